# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.time_limit: which runs fit into so many hours."""

from core.runs.planning import fitting, guess_of
from tests.core.runs.conftest import MakeSpec


def test_a_test_that_is_too_long_leaves_its_time_to_later_ones(make_spec: MakeSpec) -> None:
    seconds = {"long": 9000.0, "short": 60.0, "unknown": None, "skipped": 0.5, "last": 60.0}
    specs = [make_spec(moment=at, test_id=id, estimate=took) for at, (id, took) in enumerate(seconds.items())]
    assert guess_of(specs) == 60.0, "what was skipped tells nothing"
    fits, left = fitting(specs, 0.05)
    assert [spec.test_id for spec in fits] == ["short", "unknown", "skipped"], "180 s"
    assert [error.title for error in left] == ["long is left out", "last is left out"]
    assert left[0].detail == "Not within 0.05 hours, by the estimates."
    assert [spec.test_id for spec in fitting(specs, 3).specs] == list(seconds)


def test_runs_of_one_test_stay_together(make_spec: MakeSpec) -> None:
    specs = [make_spec(moment=at, test_id=id, estimate=1000.0) for at, id in enumerate("aabbb")]
    assert [spec.test_id for spec in fitting(specs, 1.2).specs] == ["a", "a"], "not two of the three of b"


def test_nothing_is_known(make_spec: MakeSpec) -> None:
    assert guess_of([make_spec()]) == 600.0
    assert len(fitting([make_spec(moment=at, test_id=str(at)) for at in range(9)], 1).specs) == 6
