# SPDX-License-Identifier: Apache-2.0
"""Line plots over days as text: each line has its own sign, so that they differ without colour."""

from collections.abc import Sequence
from typing import NamedTuple

from tui.view_models.fitting import CellLine
from tui.view_models.style import Cell

AXIS = 6
"""Cells of the axis labels beside a plot, including its line."""


class Curve(NamedTuple):
    """One line of a plot."""

    sign: str
    """One character."""
    style: str
    values: Sequence[float | None]
    """Oldest first; None: a gap."""


def plot(curves: Sequence[Curve], days: Sequence[str], width: int, height: int, unit: str = "") -> list[CellLine]:
    """The curves over `days`, in `height` lines of `width` cells; the last line has the days.

    The scale goes from the least value to the greatest one. If two curves meet, the later one is visible.
    """
    columns, levels = max(1, width - AXIS), max(2, height - 1)
    known = [value for curve in curves for value in curve.values if value is not None]
    if not known:
        blank = (Cell(" " * width),)
        return [(Cell(f"{'nothing to show':^{width}}"[:width], "dim"),), *[blank] * (height - 1)]
    low, high = min(known), max(known)
    # Keep the scale from having zero length.
    low, high = (low, high) if high > low else (max(0.0, low - 1), high + 1)
    grid: list[list[Curve | None]] = [[None] * columns for _ in range(levels)]
    for curve in curves:
        for column in range(columns):
            value = curve.values[_day(column, columns, len(curve.values))] if curve.values else None
            if value is not None:
                grid[round((value - low) / (high - low) * (levels - 1))][column] = curve
    numbers = {levels - 1: high, 0: low, **({levels // 2: _at(levels // 2, levels, low, high)} if levels > 7 else {})}
    lines = [(_axis(numbers.get(level), unit), *_pieces(grid[level], columns)) for level in reversed(range(levels))]
    return [*lines, (Cell(_days(days, columns), "dim"),)]


def _day(column: int, columns: int, count: int) -> int:
    """The index of the day, of `count`, that a column shows; the last column shows the last day."""
    return (column + 1) * count // columns - 1 if count >= columns else column * count // columns


def _at(level: int, levels: int, low: float, high: float) -> float:
    return low + (high - low) * level / (levels - 1)


def _axis(number: float | None, unit: str) -> Cell:
    return Cell(f"{'' if number is None else _number(number, unit):>{AXIS - 1}}│", "dim")


def _number(number: float, unit: str) -> str:
    """The number in at most five characters, up to 99,999."""
    return f"{number:.1f}{unit}" if unit and number < 100 else f"{number:,.0f}{unit}"


def _pieces(line: Sequence[Curve | None], columns: int) -> list[Cell]:
    """Join neighbouring cells of one curve into one piece."""
    pieces: list[Cell] = []
    start = 0
    for at in range(1, columns + 1):
        if at == columns or line[at] is not line[start]:
            curve = line[start]
            count = at - start
            pieces.append(Cell(curve.sign * count, curve.style) if curve else Cell(" " * count))
            start = at
    return pieces


def _days(days: Sequence[str], columns: int) -> str:
    """The first, the middle and the last day below their columns."""
    line = list(" " * (AXIS - 1) + "└" + "─" * columns)
    for at in sorted({0, len(days) // 2, len(days) - 1}) if days else ():
        text = days[at][5:]
        place = AXIS + at * columns // max(1, len(days) - 1)
        start = max(AXIS, min(place - len(text) // 2, len(line) - len(text)))
        line[start : start + len(text)] = text
    return "".join(line[: AXIS + columns])
