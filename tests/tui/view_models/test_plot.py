# SPDX-License-Identifier: Apache-2.0
"""Lines over days as text: to scale, with gaps, in exactly the cells that there are."""

import pytest

from tui.view_models.plot import AXIS, Curve, plot

DAYS = [f"2026-11-{day:02}" for day in range(1, 11)]


def _texts(curves: list[Curve], width: int, height: int) -> list[str]:
    return ["".join(cell.text for cell in line) for line in plot(curves, DAYS, width, height)]


def test_to_scale_with_a_gap_and_the_later_curve_on_top() -> None:
    up = Curve("u", "", [0, 10, 20, 30, None, 50, 60, 70, 80, 90])
    flat = Curve("f", "", [30.0] * 10)
    assert _texts([up, flat], AXIS + 20, 5) == [
        "   90│                uuuu",
        "     │          uuuuuu    ",
        "     │ffffffffffffffffffff",
        "    0│uuuu                ",
        "     └11-01────11-06─11-10",
    ]


@pytest.mark.parametrize("width", [AXIS + 1, AXIS + 5, AXIS + 10, 40, 133])
@pytest.mark.parametrize("height", [3, 7, 15])
@pytest.mark.parametrize("values", [[], [None], [5.0], [5.0, 5.0], [None, 1.0, 2.0], [float(n) for n in range(400)]])
def test_as_wide_and_high_as_asked(width: int, height: int, values: list[float | None]) -> None:
    found = _texts([Curve("c", "", values)], width, height)
    assert [len(line) for line in found] == [width] * height
    assert ("c" in "".join(found)) == any(value is not None for value in values)


def test_one_day_is_seen_in_every_column_and_the_last_day_in_the_last_one() -> None:
    (line,) = [line for line in _texts([Curve("c", "", [3.0])], AXIS + 8, 4) if "c" in line]
    assert line.endswith("c" * 8)
    many = Curve("c", "", [0.0] * 99 + [1.0])
    assert _texts([many], AXIS + 8, 4)[0].endswith(" c")
