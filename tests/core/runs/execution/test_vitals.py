# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.watch: silence and idleness together are a hang; either alone is not."""

import pytest

from core.runs.execution.watch import Activity, Vitals


@pytest.mark.parametrize(
    ("log_growth", "load", "hangs"),
    [(0, 0.0, True), (1, 0.0, False), (0, 0.5, False), (0, 0.001, True), (0, 0.05, True), (3, 1.0, False)],
)
def test_only_what_neither_writes_nor_works_hangs(log_growth: int, load: float, hangs: bool) -> None:
    vitals = Vitals(60.0, Activity(0.0, 0, 5.0))
    seen = [vitals.hangs(Activity(at, int(at * log_growth), 5.0 + at * load)) for at in range(0, 200, 6)]
    assert any(seen) == hangs


def test_silence_is_counted_from_the_last_sign_of_life() -> None:
    vitals = Vitals(60.0, Activity(0.0, 0, 0.0))
    assert not vitals.hangs(Activity(50.0, 1, 0.0))
    assert not vitals.hangs(Activity(109.9, 1, 0.0))
    assert vitals.hangs(Activity(110.0, 1, 0.0))


def test_the_end_of_a_child_that_worked_is_a_sign_of_life() -> None:
    vitals = Vitals(60.0, Activity(0.0, 0, 100.0))
    assert not vitals.hangs(Activity(60.0, 0, 3.0))


def test_without_a_limit_nothing_hangs_and_it_is_looked_at_all_the_same() -> None:
    vitals = Vitals(0.0, Activity(0.0, 0, 0.0))
    assert not vitals.hangs(Activity(1e9, 0, 0.0))
    assert vitals.interval == 10.0


def test_how_long_it_was_idle_is_counted_from_the_last_sign_of_life() -> None:
    vitals = Vitals(0.0, Activity(0.0, 0, 0.0))
    assert (vitals.idle(Activity(5.0, 0, 0.0)), vitals.alive) == (5.0, False)
    assert (vitals.idle(Activity(9.0, 1, 0.0)), vitals.alive) == (0.0, True)
    assert (vitals.idle(Activity(40.0, 1, 0.01)), vitals.alive) == (31.0, True)
