# SPDX-License-Identifier: Apache-2.0
"""Lines over days as text: to scale, with gaps, in exactly the cells that there are."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from tui.view_models.plot import AXIS, Curve, most_lines, plot, scale

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
        "   10┤      ⢀⠔ u",
        "     │    ⢀⠔⠁   ",
        "    5┤   ⡠⠃     ",
        "     │ ⡠⠊       ",
        "    0┤⠊         ",
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


@pytest.mark.parametrize(("value", "numbers"), [(40.0, ["41", "", "40", "", "39"]), (0.0, ["1", "", "", "0", ""])])
def test_a_curve_that_never_changes_is_in_the_middle_or_above_the_days(value: float, numbers: list[str]) -> None:
    lines = _texts([Curve("c", "", [value] * 5)], AXIS + 20, 6)[:-1]
    assert [line[:AXIS].strip("│┤ ") for line in lines] == numbers
    drawn = [at for at, line in enumerate(lines) if _dots(line)]
    assert drawn == [2 if value else 3]


_NUMBERS = st.one_of(st.integers(0, 10_000).map(float), st.floats(0.001, 1e6))
_SPANS = st.one_of(st.integers(0, 10_000).map(float), st.floats(0.01, 1e6))


@given(_NUMBERS, _SPANS, st.integers(2, 60), st.booleans(), st.booleans())
def test_an_axis_has_round_numbers_evenly_apart_with_all_values_between(
    low: float, span: float, rows: int, stays_low: bool, stays_high: bool
) -> None:
    high = low + span
    axis = scale(low, high, rows, level=(stays_low, stays_high))
    found = sorted(axis.rows().items())
    assert len(found) >= 2
    assert {after - before for (before, _), (after, _) in pairwise(found)} == {axis.apart}
    assert all(after - before == pytest.approx(axis.step) for (_, before), (_, after) in pairwise(found))
    assert 0 <= found[0][0] < found[-1][0] < rows
    slack = axis.step * 1e-6
    assert found[0][1] - slack <= low <= high <= found[-1][1] + slack
    if rows >= 5:
        digits = f"{axis.step:.6e}"
        assert digits.startswith(("1.000000", "2.000000", "5.000000"))
        assert not stays_low or axis.row(low) >= 0.5
        assert not stays_high or axis.row(high) < rows - 1.5


@given(st.lists(st.integers(0, 100), min_size=1, max_size=4), st.integers(6, 40), st.booleans())
def test_no_curve_that_stays_where_it_is_lies_on_the_edge_of_the_frame(
    values: list[int], height: int, letters: bool
) -> None:
    curves = [Curve("c", "", [float(one)] * 5) for one in values]
    # Without the letters at the ends: those that meet are below each other.
    lines = [line[AXIS:-2] for line in _texts(curves, AXIS + 20, height, letters=letters)]
    assert not lines[0].strip() and not lines[-2].strip()


@given(st.lists(st.integers(0, 200).map(lambda half: half / 2), min_size=2), st.integers(6, 40))
def test_no_number_is_above_what_is_possible(values: list[float], height: int) -> None:
    lines = plot([Curve("c", "", values)], DAYS, AXIS + 20, height, most=100.0)
    numbers = [float(line[0].text.strip("┤│ ").replace(",", "")) for line in lines[:-1] if "┤" in line[0].text]
    assert all(0 <= number <= 100 for number in numbers)


def test_a_high_plot_has_few_numbers() -> None:
    numbers = [line[:AXIS].strip("│┤ ") for line in _texts([Curve("c", "", [25.0, 75.0])], AXIS + 60, 28)[:-1]]
    assert [one for one in numbers if one] == ["80", "70", "60", "50", "40", "30", "20"]
    assert [at for at, one in enumerate(numbers) if one] == [*range(2, 27, 4)]


def test_a_plot_is_as_high_as_it_is_wide_allows() -> None:
    assert [most_lines(width) for width in (38, 59, 98)] == [8, 11, 19]
