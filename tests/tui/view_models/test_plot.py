# SPDX-License-Identifier: Apache-2.0
"""Lines over days as text: to scale, with gaps, in exactly the cells that there are."""

import pytest
from hypothesis import given, strategies as st

from tui.view_models.plot import AXIS, Curve, plot, scale

DAYS = [f"2026-11-{day:02}" for day in range(1, 11)]


def _texts(curves: list[Curve], width: int, height: int, *, letters: bool = False) -> list[str]:
    return ["".join(cell.text for cell in line) for line in plot(curves, DAYS, width, height, letters=letters)]


def _dots(line: str) -> str:
    return "".join(character for character in line if "\u2800" <= character <= "\u28ff")


def test_letters_to_scale_with_a_gap_and_the_later_curve_on_top() -> None:
    up = Curve("u", "", [0, 10, 20, 30, None, 50, 60, 70, 80, 90])
    flat = Curve("f", "", [30.0] * 10)
    assert _texts([up, flat], AXIS + 20, 6, letters=True) == [
        "  100┤                  uu",
        "     │              uuuu  ",
        "   50┤          uuuu      ",
        "     │ffffffffffffffffffff",
        "    0┤uuuu                ",
        "     └11-01────11-06─11-10",
    ]


def test_a_curve_is_joined_dots_with_its_letter_at_the_end() -> None:
    up = Curve("u", "", [0.0, 10.0])
    assert _texts([up], AXIS + 10, 6)[:-1] == [
        "   10┤      ⢠⠊ u",
        "     │    ⢀⠔⠁   ",
        "    5┤   ⡠⠊     ",
        "     │ ⢀⠔⠁      ",
        "    0┤⡠⠃        ",
    ]


def test_a_gap_is_not_bridged() -> None:
    with_gap = Curve("g", "", [5.0, 5.0, None, None, 5.0, 5.0])
    whole = Curve("g", "", [5.0] * 6)
    assert len(_dots("".join(_texts([with_gap], AXIS + 30, 5)))) < len(_dots("".join(_texts([whole], AXIS + 30, 5))))


def test_curves_differ_without_colour() -> None:
    curves = [Curve(sign, "", [float(nth)] * 10) for nth, sign in enumerate("abc")]
    lines = [line for line in _texts(curves, AXIS + 40, 10) if _dots(line)]
    assert len({_dots(line) for line in lines}) == 3
    assert [line[-1] for line in lines] == ["c", "b", "a"]


def test_curves_that_end_together_have_a_letter_each() -> None:
    curves = [Curve(sign, "", [1.0, 2.0, 2.0]) for sign in "abc"]
    ends = {line[-1] for line in _texts(curves, AXIS + 20, 7)[:-1]} - {" "}
    assert ends == {*"abc"}


@pytest.mark.parametrize("letters", [True, False])
@pytest.mark.parametrize("width", [AXIS + 1, AXIS + 5, AXIS + 10, 40, 133])
@pytest.mark.parametrize("height", [3, 7, 15])
@pytest.mark.parametrize("values", [[], [None], [5.0], [5.0, 5.0], [None, 1.0, 2.0], [float(n) for n in range(400)]])
def test_as_wide_and_high_as_asked(width: int, height: int, values: list[float | None], letters: bool) -> None:
    found = _texts([Curve("c", "", values)], width, height, letters=letters)
    assert [len(line) for line in found] == [width] * height
    text = "".join(found)
    assert (("c" in text) if letters else bool(_dots(text))) == any(value is not None for value in values)


def test_one_day_is_seen_in_every_column_and_the_last_day_in_the_last_one() -> None:
    (line,) = [line for line in _texts([Curve("c", "", [3.0])], AXIS + 8, 4, letters=True) if "c" in line]
    assert line.endswith("c" * 8)
    many = Curve("c", "", [0.0] * 99 + [1.0])
    assert _texts([many], AXIS + 8, 4, letters=True)[0].endswith(" c")


def test_the_axis_says_where_it_begins() -> None:
    lines = _texts([Curve("c", "", [53.0, 54.0, 57.0])], AXIS + 20, 8)
    assert [line[:AXIS].strip("│┤ ") for line in lines[:-1]] == ["58", "", "56", "", "54", "", "52"]


@pytest.mark.parametrize(("value", "numbers"), [(40.0, ["41", "40", "39"]), (0.0, ["1", "", "0"])])
def test_a_curve_that_never_changes_is_in_the_middle(value: float, numbers: list[str]) -> None:
    lines = _texts([Curve("c", "", [value] * 5)], AXIS + 20, 6)[:-1]
    assert [line[:AXIS].strip("│┤ ") for line in lines][::2] == numbers
    drawn = [at for at, line in enumerate(lines) if _dots(line)]
    assert drawn == [2 if value else 4]


@given(
    st.floats(-1e9, 1e9),
    st.floats(0, 1e9).filter(lambda span: not 0 < span < 1e-3),
    st.integers(2, 40),
)
def test_the_axis_holds_all_values_with_numbers_on_rows_of_their_own(low: float, span: float, height: int) -> None:
    axis = scale(low, low + span, height)
    slack = axis.step * 1e-6
    assert axis.low - slack <= low
    assert low + span <= axis.high + slack
    assert axis.high > axis.low
    rows = axis.rows(height)
    assert {0, height - 1} <= set(rows)
    assert len(rows) >= 2
