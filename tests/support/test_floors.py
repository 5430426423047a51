# SPDX-License-Identifier: Apache-2.0
"""tests.floors: a package that loses coverage is reported, one that gains some raises its floor; floors never fall."""

from typing import Any

from tests.floors import below, measured, raised


def _report(**branches: tuple[int, int]) -> dict[str, Any]:
    files = {name.replace("__", "/") + ".py": pair for name, pair in branches.items()}
    return {
        "files": {
            name: {"summary": {"covered_branches": taken, "num_branches": there}}
            for name, (taken, there) in files.items()
        }
    }


def test_branches_are_counted_by_package() -> None:
    report = _report(core__proc=(1, 2), core__edits__yaml__splice=(3, 4), core__edits__plan=(0, 4), tui__session=(0, 0))
    assert measured(report) == {"core": 50.0, "core.edits": 37.5}


def test_what_is_below_or_unknown_is_reported() -> None:
    assert below({"a": 80.0, "b": 79.9}, {"a": 80, "b": 80}) == ["b: 79.9 %, below its floor of 80 %"]
    assert below({"a": 80.0}, {"b": 1}) == ["a: 80.0 %, and no floor", "b: a floor, and nothing measured"]


def test_a_floor_only_rises() -> None:
    there = dict.fromkeys(("a", "b", "new"), 1000)
    assert raised({"a": 90.5, "b": 70.0, "new": 50.0}, {"a": 80, "b": 75, "gone": 9}, there) == {
        "a": 88,
        "b": 75,
        "new": 48,
    }


def test_a_floor_is_two_branches_below_what_was_measured_where_a_package_is_small() -> None:
    assert raised({"small": 100.0, "large": 100.0}, {}, {"small": 20, "large": 1000}) == {"small": 90, "large": 98}
