# SPDX-License-Identifier: Apache-2.0
"""Plots over days as text: an axis with round numbers, and curves in dots of braille, or in letters.

Curves differ without colour: each has a pattern of dots, and its letter at the end.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from tui.view_models.fitting import CellLine
from tui.view_models.style import Cell

AXIS = 6
"""Cells of the axis labels beside a plot, including its line."""
_ENDS = 2
"""Cells at the right that hold the letter of each curve."""
_ROWS_OF_A_TICK = 2
"""Lines from one number of the axis to the next, at least."""
_MOST_TICKS = 8
_HALF = 0.5
"""So near to a row, a value is in it."""
_CELLS_OF_A_LINE = 5
"""A plot is at most a line high for so many cells of its width."""
_LEAST_LINES = 8
"""So high it may be anyway."""
_NEAR = 1e-9
"""Less than this is an error of rounding."""
_ROOM = 0.05
"""Share of a number that never changes, above and below it on its axis."""
_STEPS = (1, 2, 5, 10)
"""The axis counts in these, times a power of ten."""
_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character, by line of dots from the top and by column."""
_WIDE, _HIGH = 2, 4
"""Dots of a cell."""
_PATTERNS = ((1, 0), (4, 2), (1, 1), (5, 3), (1, 3), (3, 1))
"""Dots of a curve that are set and left out, over and over."""


class Curve(NamedTuple):
    """One line of a plot."""

    sign: str
    """One character."""
    style: str
    values: Sequence[float | None]
    """Oldest first; None: a gap."""


class Scale(NamedTuple):
    """The numbers of an axis: as far from each other in rows as in value."""

    low: float
    """The least number."""
    step: float
    steps: int
    """The count of numbers above the least one."""
    first: int
    """The row of the least number, rows counted from the bottom."""
    apart: int
    """Rows from one number to the next."""

    def row(self, value: float) -> float:
        """The row at which a value is, with its fraction."""
        return self.first + (value - self.low) / self.step * self.apart

    def rows(self) -> dict[int, float]:
        """The numbers beside the rows that have one."""
        return {self.first + self.apart * nth: self.low + self.step * nth for nth in range(self.steps + 1)}


def scale(
    low: float,
    high: float,
    rows: int,
    *,
    least: float = 0.0,
    most: float = math.inf,
    level: tuple[bool, bool] = (False, False),
) -> Scale:
    """An axis of round numbers with room for values from `low` to `high` in `rows`; these are as tall as can be.

    Its numbers are `least` or more apart, and none is above `most` that need not be. `level` says whether a curve stays
    at `low`, and at `high`: such a curve is not in the last row of the plot.
    """
    ticks = max(1, min(_MOST_TICKS, (rows - 1) // _ROWS_OF_A_TICK))
    power = 10.0 ** math.floor(math.log10((high - low or abs(high) or 1.0) / ticks))
    found = []
    for step, first in product((power * one for one in (*_STEPS, *(10 * each for each in _STEPS))), (0, 1)):
        bottom, top = math.floor(low / step + _NEAR), math.ceil(high / step - _NEAR)
        needed = max(1, top - bottom)
        widest = (rows - 1 - first) // needed
        if step >= least and needed <= ticks:
            possible = max(needed, math.floor(min(most / step, 1e9)) - bottom)
            found += [
                Scale(bottom * step, step, min((rows - 1 - first) // apart, possible), first, apart)
                for apart in (widest, widest - 1)
                if apart > 0
            ]

    def worth(one: Scale) -> tuple[bool, bool, float]:
        clear = (not level[0] or one.row(low) >= _HALF) and (not level[1] or one.row(high) < rows - 1 - _HALF)
        # A number among the values says more than a little more height.
        return clear, one.low + one.step < high, one.apart / one.step

    return max(found, key=worth, default=Scale(low, high - low or 1.0, 1, 0, rows - 1))


def plot(
    curves: Sequence[Curve],
    days: Sequence[str],
    width: int,
    height: int,
    *,
    most: float = math.inf,
    letters: bool = False,
) -> list[CellLine]:
    """The curves over `days`, in `height` lines of `width` cells; the last line has the days.

    The axis has the values and no more: it begins at 0 only if they do, and ends at `most`, above which there is no
    value. If two curves meet, the later one is visible.
    `letters` draws each curve with its letter, for terminals without braille or colours.
    """
    columns, rows = max(1, width - AXIS), max(2, height - 1)
    known = [value for curve in curves for value in curve.values if value is not None]
    if not known:
        blank = (Cell(" " * width),)
        return [(Cell(f"{'nothing to show':^{width}}"[:width], "dim"),), *[blank] * (height - 1)]
    # Counts have no halves.
    least = float(all(value == int(value) for value in known))
    low, high = min(known), max(known)
    if low == high > 0:
        # What stays where it is, is drawn in the middle.
        room = least or high * _ROOM
        low, high = low - room, min(high + room, most)
    stays = {value for curve in curves if len(own := {*curve.values} - {None}) == 1 for value in own}
    if least and high - low == rows - 1 == 2 * least:
        # Each line has its number.
        axis = Scale(low, least, 2, 0, 1)
    else:
        axis = scale(low, high, rows, least=least, most=most, level=(low in stays, high in stays))
    inside = columns if letters or columns <= 2 * _ENDS else columns - _ENDS
    drawn = _in_letters(curves, axis, inside, rows) if letters else _in_dots(curves, axis, inside, rows)
    if inside < columns:
        ends = _ends(curves, axis, rows)
        for row, line in enumerate(drawn):
            line += [Cell(" "), ends.get(row, Cell(" "))]
    numbers = axis.rows()
    lines = [(axis_cell(numbers.get(row), axis.step), *_joined(drawn[row])) for row in reversed(range(rows))]
    return [*lines, (Cell(_day_line(days, inside, columns), "dim"),)]


def most_lines(width: int) -> int:
    """The height from which a plot of so many cells is only larger, not clearer: with its title and its days."""
    return max(_LEAST_LINES, width // _CELLS_OF_A_LINE)


def axis_cell(number: float | None, step: float) -> Cell:
    """The axis beside one row, with a number in at most five characters up to 99,999."""
    if number is None:
        return Cell(f"{'':>{AXIS - 1}}│", "dim")
    places = max(0, -math.floor(math.log10(step) + _NEAR))
    return Cell(f"{f'{number:,.{places}f}':>{AXIS - 1}}┤"[-AXIS:], "dim")


def _in_letters(curves: Sequence[Curve], axis: Scale, columns: int, rows: int) -> list[list[Cell]]:
    """A line of cells for each row, from the bottom."""
    grid = [[Cell(" ")] * columns for _ in range(rows)]
    for curve in curves:
        for column in range(columns):
            value = curve.values[_day(column, columns, len(curve.values))] if curve.values else None
            if value is not None:
                grid[_dot(axis, value) // _HIGH][column] = Cell(curve.sign, curve.style)
    return grid


def _in_dots(curves: Sequence[Curve], axis: Scale, columns: int, rows: int) -> list[list[Cell]]:
    """A line of cells for each row, from the bottom; a cell has the colour of the last curve in it."""
    bits = [[0] * columns for _ in range(rows)]
    styles = [[""] * columns for _ in range(rows)]
    for nth, curve in enumerate(curves):
        on, off = _PATTERNS[(len(curves) - 1 - nth) % len(_PATTERNS)]
        for step, (x, y) in enumerate(_dots_of(curve, axis, columns * _WIDE)):
            if step % (on + off) < on:
                row, column = y // _HIGH, x // _WIDE
                bits[row][column] |= _DOTS[_HIGH - 1 - y % _HIGH][x % _WIDE]
                styles[row][column] = curve.style
    return [
        [Cell(chr(_BRAILLE + bit), style) if bit else Cell(" ") for bit, style in zip(*line, strict=True)]
        for line in zip(bits, styles, strict=True)
    ]


def _dots_of(curve: Curve, axis: Scale, wide: int) -> Iterator[tuple[int, int]]:
    """The dots of a curve, from left to right; days that follow each other are joined."""
    count = len(curve.values)

    def place(day: int, value: float) -> tuple[int, int]:
        return round(day * (wide - 1) / max(1, count - 1)), _dot(axis, value)

    points = [None if value is None else place(day, value) for day, value in enumerate(curve.values)]
    if count == 1 and points[0] is not None:
        # One day is seen as a line.
        yield from ((x, points[0][1]) for x in range(wide))
    for one, other in pairwise([None, *points, None]):
        if one is not None:
            yield one
        if one is not None and other is not None:
            yield from _between(one, other)


def _dot(axis: Scale, value: float) -> int:
    """The line of dots of a value, from the bottom: at a number of the axis as high as its mark, amid the cell."""
    return int((axis.row(value) + _HALF) * _HIGH)


def _between(one: tuple[int, int], other: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The dots between two, without them."""
    (x, y), (to_x, to_y) = one, other
    steps = max(abs(to_x - x), abs(to_y - y))
    for step in range(1, steps):
        yield x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)


def _ends(curves: Sequence[Curve], axis: Scale, rows: int) -> dict[int, Cell]:
    """The letter of each curve at the row where it ends, or at the next free one; the last curve chooses first."""
    found: dict[int, Cell] = {}
    for curve in reversed(curves):
        if (last := next((value for value in reversed(curve.values) if value is not None), None)) is None:
            continue
        wanted = _dot(axis, last) // _HIGH
        free = [row for row in range(rows) if row not in found]
        if free:
            found[min(free, key=lambda row: abs(row - wanted))] = Cell(curve.sign, curve.style)
    return found


def _day(column: int, columns: int, count: int) -> int:
    """The index of the day, of `count`, that a column shows; the last column shows the last day."""
    return (column + 1) * count // columns - 1 if count >= columns else column * count // columns


def _joined(line: Sequence[Cell]) -> list[Cell]:
    """Neighbouring cells of one style as one piece."""
    pieces: list[Cell] = []
    for cell in line:
        if pieces and pieces[-1].style == cell.style:
            pieces[-1] = Cell(pieces[-1].text + cell.text, cell.style)
        else:
            pieces.append(cell)
    return pieces


def _day_line(days: Sequence[str], inside: int, columns: int) -> str:
    """The first, the last and the middle day below their columns; one without room is left out."""
    line = list(" " * (AXIS - 1) + "└" + "─" * inside + " " * (columns - inside))
    taken: list[tuple[int, int]] = []
    for at in dict.fromkeys((0, len(days) - 1, len(days) // 2)) if days else ():
        text = days[at][5:]
        place = AXIS + at * inside // max(1, len(days) - 1)
        start = max(AXIS, min(place - len(text) // 2, AXIS + inside - len(text)))
        end = start + len(text)
        if end <= AXIS + inside and all(end < first or last < start for first, last in taken):
            line[start:end] = text
            taken.append((start, end))
    return "".join(line)
