# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.courses: what a batch waits for is known at any time, without going through all runs again."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import given, strategies as st

from core.runs.planning import Ahead, Course
from core.runs.store import RunRecord, RunState
from tests.core.runs.planning.test_estimate import going

NOW = 100.0


def waiting(turn: int, estimate: float | None, slots: str = "cpu") -> RunRecord:
    return replace(going(estimate, slots=slots), turn=turn)


@st.composite
def queues(draw: st.DrawFn) -> list[RunRecord]:
    slots, estimates = st.sampled_from(("cpu", "device")), st.sampled_from((None, 5.0, 20.0))
    running = [going(draw(estimates), 90.0, draw(slots)) for _ in range(draw(st.integers(0, 3)))]
    turns = draw(st.permutations(range(draw(st.integers(0, 6)))))
    queued = [replace(waiting(turn, draw(estimates), draw(slots)), held=draw(st.booleans())) for turn in turns]
    return [*running, *queued]


def plainly(members: list[RunRecord], records: list[RunRecord]) -> tuple[float | None, int]:
    """Seconds until a batch has ended, and the runs without an estimate, by going through all that is before it."""
    awaited = [one for one in members if not one.held]
    slots, last = {one.spec.slots for one in awaited}, max((one.turn or 0 for one in awaited), default=0)
    ends, unknown = [], 0
    for name in slots:
        before = [one for one in records if not one.held and one.spec.slots == name]
        before = [one for one in before if one.state is RunState.RUNNING or (one.turn or 0) <= last]
        running = [one for one in before if one.state is RunState.RUNNING]
        known = [
            one.spec.estimate if one.started is None else max(0.0, one.spec.estimate - (NOW - one.started))
            for one in before
            if one.spec.estimate is not None
        ]
        unknown += len(before) - len(known)
        ends += [max(max(known), sum(known) / max(2, len(running)))] if known else []
    return max(ends, default=None), unknown


@given(queues(), st.data())
def test_a_batch_waits_for_what_runs_and_for_what_is_before_its_last_run(
    records: list[RunRecord], data: st.DataObject
) -> None:
    members = [one for one in records if data.draw(st.booleans())]
    found = Course(members, Ahead(records)).at(NOW)
    assert (found.seconds, found.unknown) == (plainly(members, records) if members else (0.0, 0))


class Counted(list[RunRecord]):
    """Runs that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[RunRecord]:
        self.times += 1
        return super().__iter__()


def test_as_time_passes_nobody_goes_through_the_runs_again() -> None:
    records = Counted([going(50.0, 90.0), *(waiting(turn, 10.0) for turn in range(3))])
    course = Course(records, Ahead(records))
    times = records.times
    assert [course.at(NOW + gone).seconds for gone in (0.0, 10.0, 30.0)] == [40.0, 30.0, 20.0]
    assert [course.taken(NOW + gone) for gone in (0.0, 10.0)] == [10.0, 20.0]
    assert records.times == times
