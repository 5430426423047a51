# SPDX-License-Identifier: Apache-2.0
"""What fits into slots: laws that hold for all candidates and slots, and the order by value."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, strategies as st

from core.hosts import Host
from core.sessions import Candidate, SessionPlan, Slot
from core.sessions.placing import fill, slots_of

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
ARCHS = ("n150", "p150", "n300")


def candidate(name: str, minutes: float, value: int = 1, arch: str = "n150", runs: int = 1) -> Candidate:
    return Candidate(name, arch, minutes * 60, True, value, ("no result",), runs)


slots = st.lists(
    st.builds(
        Slot,
        host=st.sampled_from("abc"),
        labels=st.frozensets(st.sampled_from(ARCHS)),
        seconds=st.floats(1, 10_000),
    ),
    max_size=5,
)
candidates = st.lists(
    st.builds(
        Candidate,
        id=st.text("xyz", min_size=1, max_size=3),
        arch=st.sampled_from(ARCHS),
        seconds=st.floats(0, 5_000),
        known=st.booleans(),
        value=st.integers(1, 15),
        why=st.just(("no result",)),
        runs=st.integers(1, 3),
    ),
    max_size=25,
    unique_by=lambda one: (one.id, one.arch),
)


def room(plan: SessionPlan) -> list[float]:
    """What each slot has left."""
    taken = [sum(one.candidate.total for one in plan.placed if one.slot == at) for at in range(len(plan.slots))]
    return [slot.seconds - used for slot, used in zip(plan.slots, taken, strict=True)]


@given(candidates, slots)
def test_every_candidate_is_placed_or_left_over_once(some: list[Candidate], on: list[Slot]) -> None:
    plan = fill(some, on)
    found = [one.candidate for one in plan.placed] + [one.candidate for one in plan.left_over]
    assert sorted(found, key=lambda one: (one.id, one.arch)) == sorted(some, key=lambda one: (one.id, one.arch))


@given(candidates, slots)
def test_nothing_ends_behind_its_slot_nor_overlaps_nor_runs_where_its_arch_is_not(
    some: list[Candidate], on: list[Slot]
) -> None:
    plan = fill(some, on)
    free = [0.0] * len(on)
    for one in plan.placed:
        assert one.begin == free[one.slot]
        assert one.end <= on[one.slot].seconds and on[one.slot].takes(one.candidate.arch)
        assert one.host == on[one.slot].host
        free[one.slot] = one.end
    assert plan.seconds == max(free, default=0)


@given(candidates, slots)
def test_what_is_left_over_does_not_fit(some: list[Candidate], on: list[Slot]) -> None:
    plan = fill(some, on)
    left = room(plan)
    for one in plan.left_over:
        assert all(
            left[at] < one.candidate.total + 1e-6 for at, slot in enumerate(on) if slot.takes(one.candidate.arch)
        )
        assert one.why
    assert abs(plan.free_seconds - sum(left)) < 1e-6


@given(candidates, slots, st.randoms())
def test_the_order_in_which_candidates_come_does_not_matter(
    some: list[Candidate], on: list[Slot], random: object
) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fill(shuffled, on) == fill(some, on)


def test_the_most_valuable_come_first_and_short_ones_fill_the_rest() -> None:
    plan = fill(
        [candidate("long", 50, 8), candidate("cheap", 5), candidate("longer", 30, 4), candidate("good", 10, 8)],
        [Slot("a", frozenset({"n150"}), 3600.0)],
    )
    assert [one.candidate.id for one in plan.placed] == ["good", "long"]
    assert [(one.candidate.id, one.why) for one in plan.left_over] == [
        ("longer", "takes 30 min, and 0 min are left"),
        ("cheap", "takes 5 min, and 0 min are left"),
    ]
    assert plan.machine_seconds == 3600


def test_an_arch_that_no_machine_has() -> None:
    plan = fill([candidate("a", 1, arch="p150")], [Slot("a", frozenset({"n150"}), 60.0)])
    assert [one.why for one in plan.left_over] == ["no machine has p150"]


def test_runs_are_spread_over_slots() -> None:
    slot = Slot("a", frozenset({"n150"}), 3600.0)
    plan = fill([candidate(name, 10) for name in "abcd"], [slot, slot])
    assert [one.slot for one in plan.placed] == [0, 1, 0, 1] and plan.seconds == 1200


def test_the_slots_of_hosts() -> None:
    end = NOW + timedelta(minutes=30)
    hosts = [
        Host("two", "m", ("n150", "fast"), slots=2),
        Host("soon", "n", ("p150",), expires=end),
        Host("over", "o", ("n150",), expires=NOW),
        Host("plain", "p", ("fast",)),
    ]
    found = slots_of(hosts, frozenset(ARCHS), 3600, NOW)
    n150 = Slot("two", frozenset({"n150"}), 3600)
    assert found == [n150, n150, Slot("soon", frozenset({"p150"}), 1800)]
    assert slots_of(hosts, frozenset({"p150"}), 60, NOW) == [Slot("soon", frozenset({"p150"}), 60)]
