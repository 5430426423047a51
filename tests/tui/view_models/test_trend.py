# SPDX-License-Identifier: Apache-2.0
"""The plots of the overview: stacked columns, and a burn-down that shows small changes."""

from core.domain.model import Status
from core.history import Week
from tui.view_models import Cell, trend_lines

_DAY = 86_400


def _week(number: int, passing: int, failing: int) -> Week:
    counts = {Status.EXPECTED_PASSING: passing, Status.KNOWN_FAILURE_XFAIL: failing}
    return Week(7 * _DAY * number, counts if passing + failing else {})


def _texts(lines: list[list[Cell]]) -> list[str]:
    return ["".join(cell.text for cell in line) for line in lines]


def test_both_plots_fit_their_width_and_height() -> None:
    weeks = [_week(at, 30 + at, 20 - at) for at in range(12)]
    for width, height in ((78, 8), (158, 15)):
        lines = _texts(trend_lines(weeks, width, height))
        assert len(lines) == height
        assert max(map(len, lines)) <= width
        assert lines[0].startswith(" entries by status  █ 41 PASS")
        assert "9 not passing, 11 fewer in 11 weeks" in lines[0]


def test_what_passes_is_below_what_does_not() -> None:
    lines = _texts(trend_lines([_week(at, 10, 10) for at in range(12)], 78, 8))
    assert [line[6] for line in lines[1:7]] == [*"▓▓▓███"]
    assert lines[1].startswith("   20│")


def test_a_burn_down_goes_down_and_ends_at_what_is_left() -> None:
    lines = trend_lines([_week(at, 10, 100 - at) for at in range(12)], 78, 8)
    heights = [0] * 12
    for line in lines[1:7]:
        # Behind the first plot, the gap and the axis of the second one.
        for at, cell in enumerate(line[-12:]):
            heights[at] += bool(cell.text.strip())
    assert heights[0] == 6
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] < heights[0]


def test_nothing_changed_and_nothing_known() -> None:
    same = [_week(0, 0, 0), *(_week(at, 5, 3) for at in range(1, 12))]
    assert "3 not passing, the same in 10 weeks" in _texts(trend_lines(same, 78, 8))[0]
    assert _texts(trend_lines([_week(0, 0, 0)] * 12, 78, 8)) == [" no entries in the history of this clone"]
    assert "0 not passing" in _texts(trend_lines([_week(at, 5, 0) for at in range(12)], 78, 8))[0]
