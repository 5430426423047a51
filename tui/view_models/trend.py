# SPDX-License-Identifier: Apache-2.0
"""Twelve weeks of entries as lines of text: statuses as stacked columns, and what does not pass as a curve."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate, zip_longest

from core.base.checked_numbers import day_of
from core.base.text import bars, counted
from core.domain.model import Status
from core.history import Week
from core.matrix.view import shares
from tui.view_models.fitting import CellLine, fit
from tui.view_models.plot import AXIS, Curve, axis_cell, plot, scale
from tui.view_models.style import WORD_LOOKS, Cell

_GAP = 2
_WRITTEN = tuple(status for status in Status if status is not Status.UNSPECIFIED)
_LEVEL = 12
"""Lines of the plots where nothing changes that could be seen in higher ones."""
_LEVEL_CURVE = 3
"""Lines of a curve that stays where it is."""
_SIGN = "•"
"""The sign of the burn-down, which is its only curve."""

PlotLine = Sequence[Cell]


def trend_height(weeks: Sequence[Week], most: int) -> int:
    """The lines that the plots are worth, of `most`: few where all weeks look alike, whatever the height."""
    # By week, the numbers below the top of each part of its column.
    stacks = [[*accumulate(week.counts.get(status, 0) for status in _WRITTEN)] for week in weeks if week.counts]
    if not stacks:
        return 1
    moved = max(max(sums) - min(sums) for sums in zip(*stacks, strict=True))
    alike = moved * most < max(sums[-1] for sums in stacks)
    return min(most, max(_LEVEL, _curve_height(weeks) + 2)) if alike else most


def _curve_height(weeks: Sequence[Week]) -> int:
    """The lines in which the burn-down goes up or down by what it does: two for each entry."""
    known = [value for value in _not_passing(weeks) if value is not None]
    moved = int(max(known, default=0) - min(known, default=0))
    return 2 * moved + _LEVEL_CURVE


def trend_lines(weeks: Sequence[Week], width: int, height: int, *, letters: bool = False) -> list[PlotLine]:
    """Both plots side by side, in lines of at most `width` cells; `height` includes titles and dates.

    `letters` is for terminals without braille or colours.
    """
    if not any(week.counts for week in weeks):
        return [[Cell(" no entries in the history of this clone", "dim")]]
    half = (width - _GAP) // 2
    column = max(1, (half - AXIS) // len(weeks))
    left = _statuses(weeks, column, height - 2)
    right = _burn_down(weeks, half, min(height - 1, _curve_height(weeks) + 1), letters=letters)
    lines = [_beside(_status_title(weeks, half), [Cell(fit(f" {_change(weeks)}", half), "running")], half)]
    wide = max(half, AXIS + column * len(weeks))
    below = [*left, [Cell(_dates(weeks, column), "dim")]]
    return [*lines, *(_beside(one, other, wide) for one, other in zip_longest(below, right, fillvalue=()))]


def trend_line(weeks: Sequence[Week], width: int) -> PlotLine:
    """The same in one line: the burn-down as a sparkline, its change, and the entries of the last week by status."""
    if not any(week.counts for week in weeks):
        return trend_lines(weeks, width, 1)[0]
    spark, words = f" {bars(_not_passing(weeks))}", f" entries: {_change(weeks)} "
    return [Cell(spark, "xfail"), Cell(words, "running"), *_by_status(weeks, width - len(spark) - len(words))]


def _status_title(weeks: Sequence[Week], width: int) -> PlotLine:
    """`entries by status   █ 81 PASS  ▓ 23 XFAIL`: the fills with the numbers of the last week that has some."""
    title = " entries by status"
    return [Cell(fit(title, min(width, len(title))), "running"), *_by_status(weeks, width - len(title))]


def _by_status(weeks: Sequence[Week], left: int) -> PlotLine:
    """`  █ 81 PASS  ▓ 23 XFAIL`, as many as fit, padded to `left` cells."""
    cells = []
    counts = next(week.counts for week in reversed(weeks) if week.counts)
    for status in _WRITTEN:
        look, count = WORD_LOOKS[status], counts.get(status, 0)
        text = f"  {look.fill} {count:,} {look.word}"
        if count and len(text) <= left:
            cells.append(Cell(text, look.style))
            left -= len(text)
    return [*cells, Cell(" " * max(0, left))]


def _beside(left: PlotLine, right: PlotLine, width: int) -> PlotLine:
    used = sum(len(cell.text) for cell in left)
    return [*left, Cell(" " * (width + _GAP - used)), *right]


def _statuses(weeks: Sequence[Week], column: int, height: int) -> list[PlotLine]:
    """A column for each week, as high as its number of entries on the axis; passing ones are at the bottom."""
    # Columns end at the top of a line, so that 0 is at the line of dates.
    axis = scale(0, max(sum(week.counts.values()) for week in weeks), height + 1, least=1)
    stacks = []
    for week in weeks:
        filled = round(axis.row(sum(week.counts.values())))
        parts = shares({word: week.counts.get(Status(word), 0) for word in _WRITTEN}, filled)
        stacks.append([word for word in _WRITTEN for _ in range(parts.get(word, 0))])
    numbers = axis.rows()
    lines: list[PlotLine] = []
    for level in reversed(range(height)):
        cells = [axis_cell(numbers.get(level + 1), axis.step)]
        for stack in stacks:
            look = WORD_LOOKS[stack[level]] if level < len(stack) else None
            cells.append(_column(look.fill * _bar(column) if look else "", look.style if look else "", column))
        lines.append(cells)
    return lines


def _burn_down(weeks: Sequence[Week], width: int, height: int, *, letters: bool) -> list[CellLine]:
    """The entries that do not pass, as a curve; its axis begins at 0 only if they do."""
    curve = Curve(_SIGN, "xfail", _not_passing(weeks))
    days = [day_of(week.end) for week in weeks]
    return plot([curve], days, width, height, letters=letters)


def _not_passing(weeks: Sequence[Week]) -> list[float | None]:
    return [float(week.not_passing) if week.counts else None for week in weeks]


def _change(weeks: Sequence[Week]) -> str:
    """`37 not passing, 4 fewer in 11 weeks`, in at most 38 cells up to 9,999."""
    first = next(week for week in weeks if week.counts)
    now = weeks[-1].not_passing
    past = len(weeks) - 1 - weeks.index(first)
    change = now - first.not_passing
    words = f"{abs(change):,} {'more' if change > 0 else 'fewer'}" if change else "the same"
    return f"{now:,} not passing" + (f", {words} in {counted(past, 'week')}" if past else "")


def _bar(column: int) -> int:
    """Width of a bar in cells; columns wider than one cell have gaps."""
    return max(1, column - 1)


def _column(text: str, style: str, column: int) -> Cell:
    return Cell(text.ljust(column), style)


def _dates(weeks: Sequence[Week], column: int) -> str:
    """The end dates of the first, the middle and the last week, behind the 0 of the axis."""
    text = f"{0:>{AXIS - 1}}└"
    line = list((text + "─" * (column * len(weeks))).ljust(AXIS + column * len(weeks)))
    for at in (0, len(weeks) // 2, len(weeks) - 1):
        day = f"{datetime.fromtimestamp(weeks[at].end, UTC):%m-%d}"
        start = min(AXIS + at * column, len(line) - len(day))
        line[start : start + len(day)] = day
    return "".join(line)
