# SPDX-License-Identifier: Apache-2.0
"""The copy of a job that runs a test."""

from random import Random

from hypothesis import given, strategies as st

from core.ci.jobs import least_duration
from core.domain.model import TEST_MODULE

NAMES = st.lists(st.from_regex(r"f\[[ab\-/.]{1,5}\]", fullmatch=True), unique=True, max_size=20)
SECONDS = st.dictionaries(
    st.from_regex(rf"{TEST_MODULE}::f\[[ab]{{1,2}}\]", fullmatch=True), st.integers(0, 4).map(float)
)


def _durations(**seconds: float) -> dict[str, float]:
    return {f"{TEST_MODULE}::f[{id}]": value for id, value in seconds.items()}


def test_longest_first_to_the_group_with_the_least_to_do() -> None:
    names = ["f[a]", "f[b]", "f[c]", "f[d]"]
    # d 5 -> 1; c 4 -> 2; b 3 -> 2 (4 against 5); a 1 -> 1 (5 against 7)
    assert least_duration(names, _durations(a=1, b=3, c=4, d=5), 2) == {"f[d]": 1, "f[c]": 2, "f[b]": 2, "f[a]": 1}


def test_tests_that_were_never_timed_count_as_the_mean_of_those_selected() -> None:
    durations = _durations(a=9, b=1, elsewhere=1000)
    # a 9 -> 1; new 5 -> 2; other 5 -> 2; b 1 -> 1 (9 against 10)
    placed = least_duration(["f[a]", "f[b]", "f[new]", "f[other]"], durations, 2)
    assert placed == {"f[a]": 1, "f[new]": 2, "f[other]": 2, "f[b]": 1}


def test_without_any_duration_tests_go_round_by_their_text() -> None:
    assert least_duration(["f[c]", "f[a]", "f[b]"], {}, 3) == {"f[a]": 1, "f[b]": 2, "f[c]": 3}
    # The closing bracket belongs to the text: `]` sorts after `-` and before letters.
    assert least_duration(["f[a]", "f[a-b]", "f[ab]"], {}, 3) == {"f[a-b]": 1, "f[a]": 2, "f[ab]": 3}


@given(NAMES, SECONDS, st.integers(1, 5), st.randoms())
def test_the_order_of_the_tests_does_not_matter(
    names: list[str], seconds: dict[str, float], groups: int, random: Random
) -> None:
    shuffled = list(names)
    random.shuffle(shuffled)
    assert least_duration(shuffled, seconds, groups) == least_duration(names, seconds, groups)


@given(NAMES, SECONDS, st.integers(1, 5))
def test_every_test_has_one_group_and_none_is_overloaded(
    names: list[str], seconds: dict[str, float], groups: int
) -> None:
    placed = least_duration(names, seconds, groups)
    assert set(placed) == set(names)
    assert set(placed.values()) <= set(range(1, groups + 1))
    known = {name: seconds[f"{TEST_MODULE}::{name}"] for name in names if f"{TEST_MODULE}::{name}" in seconds}
    mean = sum(known.values()) / len(known) if known else 1.0
    cost = {name: known.get(name, mean) for name in names}
    load = dict.fromkeys(range(1, groups + 1), 0.0)
    for name, group in placed.items():
        load[group] += cost[name]
    # No group can be ahead of another by more than the last, hence shortest, test it was given.
    for group in range(1, groups + 1):
        own = [cost[name] for name in names if placed[name] == group]
        if own:
            assert load[group] - min(own) <= min(load.values()) + 1e-9
