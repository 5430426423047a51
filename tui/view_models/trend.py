# SPDX-License-Identifier: Apache-2.0
"""Twelve weeks of entries as lines of text: statuses as stacked columns, and open entries as a burn-down."""

from collections.abc import Sequence
from datetime import UTC, datetime

from core.base.text import counted
from core.domain.model import Status
from core.history import Week
from core.matrix.view import shares
from tui.view_models.fitting import fit
from tui.view_models.style import WORD_LOOKS, Cell

_AXIS = 6
"""Cells of the axis labels beside a plot, including its line."""
_GAP = 2
_WRITTEN = tuple(status for status in Status if status is not Status.UNSPECIFIED)
_EIGHTHS = "▁▂▃▄▅▆▇█"
_TOP_PART = 0.25
"""Minimum share of its largest number that a burn-down shows, so that a few entries do not look like a cliff."""

PlotLine = list[Cell]


def trend_lines(weeks: Sequence[Week], width: int, height: int) -> list[PlotLine]:
    """Both plots side by side, in lines of at most `width` cells; `height` includes titles and dates."""
    if not any(week.counts for week in weeks):
        return [[Cell(" no entries in the history of this clone", "dim")]]
    half = (width - _GAP) // 2
    column = max(1, (half - _AXIS) // len(weeks))
    left, right = _statuses(weeks, column, height - 2), _burn_down(weeks, column, height - 2)
    plot = _AXIS + column * len(weeks)
    dates = _dates(weeks, column)
    lines = [_beside(_status_title(weeks, half), [Cell(fit(f" {_change(weeks)}", half), "running")], half)]
    lines += [_beside(one, other, max(half, plot)) for one, other in zip(left, right, strict=True)]
    return [*lines, _beside([Cell(dates, "dim")], [Cell(dates, "dim")], half)]


def trend_line(weeks: Sequence[Week], width: int) -> PlotLine:
    """The same in one line: the burn-down as a sparkline, its change, and the entries of the last week by status."""
    if not any(week.counts for week in weeks):
        return trend_lines(weeks, width, 1)[0]
    (bars,) = _burn_down(weeks, 1, 1)
    words = f" {_change(weeks)} "
    return [Cell(" "), *bars[1:], Cell(words, "running"), *_by_status(weeks, width - len(bars) - len(words))]


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
    """A column for each week, its height by the number of entries; passing ones are at the bottom."""
    most = max(sum(week.counts.values()) for week in weeks)
    stacks = []
    for week in weeks:
        total = sum(week.counts.values())
        parts = shares({word: week.counts.get(Status(word), 0) for word in _WRITTEN}, round(height * total / most))
        stacks.append([word for word in _WRITTEN for _ in range(parts.get(word, 0))])
    lines = []
    for level in reversed(range(height)):
        cells = [_axis(most if level == height - 1 else 0 if level == 0 else None)]
        for stack in stacks:
            look = WORD_LOOKS[stack[level]] if level < len(stack) else None
            cells.append(_column(look.fill * _bar(column) if look else "", look.style if look else "", column))
        lines.append(cells)
    return lines


def _burn_down(weeks: Sequence[Week], column: int, height: int) -> list[PlotLine]:
    """A bar for each week, of the entries that do not pass; the scale starts where changes become visible."""
    numbers = [week.not_passing if week.counts else None for week in weeks]
    known = [number for number in numbers if number is not None]
    high = max(known)
    low = max(0, min(min(known) - 1, int(high * (1 - _TOP_PART)))) if high else 0
    eighths = [
        0 if number is None else max(1, round(8 * height * (number - low) / (high - low or 1))) for number in numbers
    ]
    lines = []
    for level in reversed(range(height)):
        cells = [_axis(high if level == height - 1 else low if level == 0 else None)]
        for filled in eighths:
            part = min(8, filled - 8 * level)
            cells.append(_column(_EIGHTHS[part - 1] * _bar(column) if part > 0 else "", "xfail", column))
        lines.append(cells)
    return lines


def _change(weeks: Sequence[Week]) -> str:
    """`37 not passing, 4 fewer in 11 weeks`, in at most 38 cells up to 9,999."""
    first = next(week for week in weeks if week.counts)
    now = weeks[-1].not_passing
    ago = counted(len(weeks) - 1 - weeks.index(first), "week")
    change = now - first.not_passing
    words = f"{abs(change):,} {'more' if change > 0 else 'fewer'}" if change else "the same"
    return f"{now:,} not passing, {words} in {ago}"


def _axis(number: int | None) -> Cell:
    return Cell(f"{'' if number is None else f'{number:,}':>{_AXIS - 1}}│", "dim")


def _bar(column: int) -> int:
    """Width of a bar in cells; columns wider than one cell have gaps."""
    return max(1, column - 1)


def _column(text: str, style: str, column: int) -> Cell:
    return Cell(text.ljust(column), style)


def _dates(weeks: Sequence[Week], column: int) -> str:
    """The end dates of the first, the middle and the last week."""
    text = " " * (_AXIS - 1) + "└"
    line = list((text + "─" * (column * len(weeks))).ljust(_AXIS + column * len(weeks)))
    for at in (0, len(weeks) // 2, len(weeks) - 1):
        day = f"{datetime.fromtimestamp(weeks[at].end, UTC):%m-%d}"
        start = min(_AXIS + at * column, len(line) - len(day))
        line[start : start + len(day)] = day
    return "".join(line)
