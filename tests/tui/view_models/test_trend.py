# SPDX-License-Identifier: Apache-2.0
"""The plots of the overview: stacked columns, and a curve that shows small changes."""

from collections.abc import Sequence

import pytest

from core.domain.model import Status
from core.history import Week
from tui.view_models import Cell, trend_height, trend_line, trend_lines

_DAY = 86_400


def _week(number: int, passing: int, failing: int) -> Week:
    counts = {Status.EXPECTED_PASSING: passing, Status.KNOWN_FAILURE_XFAIL: failing}
    return Week(7 * _DAY * number, counts if passing + failing else {})


def _texts(lines: Sequence[Sequence[Cell]]) -> list[str]:
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
    assert lines[1].startswith("   20┤")


def test_columns_are_to_scale_on_an_axis_of_round_numbers() -> None:
    lines = _texts(trend_lines([_week(at, 53 if at else 23, 0) for at in range(12)], 78, 10))[1:10]
    assert [line[:6].strip("│┤└ ") for line in lines] == ["80", "", "60", "", "40", "", "20", "", "0"]
    assert sum(line[6] == "█" for line in lines) == round(8 * 23 / 80)
    assert sum(line[8] == "█" for line in lines) == round(8 * 53 / 80)


@pytest.mark.parametrize("letters", [True, False])
def test_a_burn_down_goes_down_on_an_axis_that_says_where_it_begins(letters: bool) -> None:
    lines = _texts(trend_lines([_week(at, 10, 57 - at // 3) for at in range(12)], 120, 12, letters=letters))
    right = [line[61:] for line in lines[1:10]]
    numbers = [int(line[:6].strip("│┤ ")) for line in right if line[:6].strip("│┤ ")]
    assert numbers == sorted(numbers, reverse=True)
    assert 50 <= numbers[-1] <= 54
    assert 57 <= numbers[0] <= 58
    drawn = [[at for at, sign in enumerate(line[6:]) if sign not in " ."] for line in right]
    rows = [at for at, line in enumerate(drawn) if line]
    assert min(drawn[rows[0]]) < min(drawn[rows[-1]])
    signs = {sign for line in right for sign in line[6:]} - {" "}
    assert signs == {"•"} if letters else all("\u2800" <= sign <= "\u28ff" for sign in signs - {"•"})


def test_weeks_that_are_alike_have_low_plots() -> None:
    level = [_week(at, 79, 40) for at in range(12)]
    assert trend_height(level, 27) == 12
    assert trend_height(level, 9) == 9
    lines = _texts(trend_lines(level, 198, 12))
    right = [line[100:].rstrip() for line in lines]
    assert [line[:6] for line in right[1:5]] == ["   41┤", "   40┤", "   39┤", "     └"]
    assert "⠒" in right[2] and not any(right[5:]), "a curve that stays needs three lines and its days"
    # A step of one in a hundred is seen in the curve, and in no column.
    nearly = [_week(at, 79 + (at > 6), 40 - (at > 6)) for at in range(12)]
    assert trend_height(nearly, 27) == 12
    right = [line[100:106].strip(" │┤└") for line in _texts(trend_lines(nearly, 198, 12))[1:7]]
    assert {"39", "40"} < {*right}
    assert trend_height([_week(at, 30 + at, 20 - at) for at in range(12)], 27) == 27
    assert trend_height([_week(0, 0, 0)] * 12, 27) == 1


def test_one_line_has_a_bar_a_week() -> None:
    weeks = [_week(at, 10, 57 - at) for at in range(12)]
    line = "".join(cell.text for cell in trend_line(weeks, 78))
    assert line.startswith(" █▇")
    assert line[12] == "▁"
    assert "46 not passing, 11 fewer in 11 weeks" in line
    # A curve that stays where it is, is neither high nor low.
    flat = "".join(cell.text for cell in trend_line([_week(at, 5, 3) for at in range(12)], 78))
    assert flat.startswith(f" {'▄' * 12} entries: 3 not passing")


def test_nothing_changed_and_nothing_known() -> None:
    same = [_week(0, 0, 0), *(_week(at, 5, 3) for at in range(1, 12))]
    assert "3 not passing, the same in 10 weeks" in _texts(trend_lines(same, 78, 8))[0]
    assert _texts(trend_lines([_week(0, 0, 0)] * 12, 78, 8)) == [" no entries in the history of this clone"]
    assert "0 not passing" in _texts(trend_lines([_week(at, 5, 0) for at in range(12)], 78, 8))[0]
