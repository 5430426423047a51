# SPDX-License-Identifier: Apache-2.0
"""Plots over days as text: an axis with round numbers, and curves in dots of braille, or in letters.

Curves differ without colour: each has a pattern of dots, and its letter at the end.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from tui.view_models.fitting import CellLine
from tui.view_models.style import Cell

AXIS = 6
"""Cells of the axis labels beside a plot, including its line."""
_ENDS = 2
"""Cells at the right that hold the letter of each curve."""
_ROWS_OF_A_TICK = 2
"""Lines from one number of the axis to the next, at least."""
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
    """The numbers of an axis, from the least to the greatest."""

    low: float
    high: float
    step: float

    def part(self, value: float) -> float:
        """The place of a value: 0 at the bottom, 1 at the top."""
        return (value - self.low) / (self.high - self.low)

    def rows(self, height: int) -> dict[int, float]:
        """The numbers beside rows of `height`, rows counted from the bottom."""
        count = round((self.high - self.low) / self.step)
        numbers = [self.low + self.step * nth for nth in range(count + 1)]
        return {round(self.part(one) * (height - 1)): one for one in numbers}


def scale(low: float, high: float, height: int, least: float = 0.0) -> Scale:
    """An axis of round numbers, `least` or more apart, with room for values from `low` to `high` in `height` rows."""
    most = max(1, (height - 1) // _ROWS_OF_A_TICK)
    span = high - low or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    for step in (power * one for one in (*_STEPS, *(10 * each for each in _STEPS))):
        if step < least:
            continue
        bottom, top = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        top = top if top > bottom else bottom + step
        if round((top - bottom) / step) <= most:
            return Scale(bottom, top, step)
    return Scale(low, high, high - low)


def plot(
    curves: Sequence[Curve], days: Sequence[str], width: int, height: int, unit: str = "", *, letters: bool = False
) -> list[CellLine]:
    """The curves over `days`, in `height` lines of `width` cells; the last line has the days.

    The axis has the values and no more: it begins at 0 only if they do. If two curves meet, the later one is visible.
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
        low, high = low - room, high + room
    axis = scale(low, high, rows, least=least)
    inside = columns if letters or columns <= 2 * _ENDS else columns - _ENDS
    drawn = _in_letters(curves, axis, inside, rows) if letters else _in_dots(curves, axis, inside, rows)
    if inside < columns:
        ends = _ends(curves, axis, rows)
        for row, line in enumerate(drawn):
            line += [Cell(" "), ends.get(row, Cell(" "))]
    numbers = axis.rows(rows)
    lines = [(axis_cell(numbers.get(row), axis.step, unit), *_joined(drawn[row])) for row in reversed(range(rows))]
    return [*lines, (Cell(_day_line(days, inside, columns), "dim"),)]


def axis_cell(number: float | None, step: float, unit: str = "") -> Cell:
    """The axis beside one row, with a number in at most five characters up to 99,999."""
    if number is None:
        return Cell(f"{'':>{AXIS - 1}}│", "dim")
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return Cell(f"{f'{number:,.{places}f}{unit}':>{AXIS - 1}}┤"[-AXIS:], "dim")


def _in_letters(curves: Sequence[Curve], axis: Scale, columns: int, rows: int) -> list[list[Cell]]:
    """A line of cells for each row, from the bottom."""
    grid = [[Cell(" ")] * columns for _ in range(rows)]
    for curve in curves:
        for column in range(columns):
            value = curve.values[_day(column, columns, len(curve.values))] if curve.values else None
            if value is not None:
                grid[round(axis.part(value) * (rows - 1))][column] = Cell(curve.sign, curve.style)
    return grid


def _in_dots(curves: Sequence[Curve], axis: Scale, columns: int, rows: int) -> list[list[Cell]]:
    """A line of cells for each row, from the bottom; a cell has the colour of the last curve in it."""
    bits = [[0] * columns for _ in range(rows)]
    styles = [[""] * columns for _ in range(rows)]
    for nth, curve in enumerate(curves):
        on, off = _PATTERNS[(len(curves) - 1 - nth) % len(_PATTERNS)]
        for step, (x, y) in enumerate(_dots_of(curve, axis, columns * _WIDE, rows * _HIGH)):
            if step % (on + off) < on:
                row, column = y // _HIGH, x // _WIDE
                bits[row][column] |= _DOTS[_HIGH - 1 - y % _HIGH][x % _WIDE]
                styles[row][column] = curve.style
    return [
        [Cell(chr(_BRAILLE + bit), style) if bit else Cell(" ") for bit, style in zip(*line, strict=True)]
        for line in zip(bits, styles, strict=True)
    ]


def _dots_of(curve: Curve, axis: Scale, wide: int, high: int) -> Iterator[tuple[int, int]]:
    """The dots of a curve, from left to right; days that follow each other are joined."""
    count = len(curve.values)

    def place(day: int, value: float) -> tuple[int, int]:
        return round(day * (wide - 1) / max(1, count - 1)), round(axis.part(value) * (high - 1))

    points = [None if value is None else place(day, value) for day, value in enumerate(curve.values)]
    if count == 1 and points[0] is not None:
        # One day is seen as a line.
        yield from ((x, points[0][1]) for x in range(wide))
    for one, other in pairwise([None, *points, None]):
        if one is not None:
            yield one
        if one is not None and other is not None:
            yield from _between(one, other)


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
        wanted = round(axis.part(last) * (rows - 1))
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
