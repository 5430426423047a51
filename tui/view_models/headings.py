# SPDX-License-Identifier: Apache-2.0
"""Headings of groups: what its rows have in common, their number, a rate, and a bar to scale. One form for all."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from core.matrix.view import shares
from tui.view_models.fitting import fit
from tui.view_models.style import Cell

COUNTS_FROM = 110
"""Width from which there is room for a wide bar, and for more numbers behind it."""
_COUNT, _RATE = 7, 5
_LEAST = 16
"""Cells of a heading without a name and without a bar."""
_SHORT = 6
"""Cells of a bar in a column."""
_FOLDED, _OPENED = "▸ ", "▾ "


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows of a group that are alike."""

    count: int
    style: str = "dim"
    fill: str = "█"


@dataclass(frozen=True, slots=True)
class HeadingTitles:
    """The titles above the pieces of headings."""

    name: str
    count: str = "rows"
    rate: str = "share"
    """Empty: the share says nothing, and headings have none."""
    bar: str = ""


NO_TITLES = HeadingTitles("")


def bar_room(width: int) -> int:
    """Cells for the bar of a heading in a line of that width."""
    return 24 if width >= COUNTS_FROM else max(0, min(width - _LEAST, max(10, width // 6)))


def heading_line(
    name: Sequence[Cell],
    count: int,
    rate: str,
    bar: Sequence[Cell],
    width: int,
    *,
    opened: bool,
    more: Sequence[Cell] = (),
) -> list[Cell]:
    """The pieces of a heading over `width` cells; `more` follows the bar, which has at most `bar_room` cells."""
    room = bar_room(width)
    drawn = sum(len(cell.text) for cell in bar)
    tail = [Cell(f"{count:>{_COUNT},} {rate:>{_RATE}} "), *bar, Cell(" " * (room - drawn)), *more]
    left = max(0, width - len(_OPENED) - sum(cell_len(cell.text) for cell in tail))
    return [Cell(_OPENED if opened else _FOLDED, "running"), *_cut(name, left), *tail]


def title_line(titles: HeadingTitles, width: int, more: str = "") -> str:
    """The titles above such headings."""
    tail = f"{titles.count:>{_COUNT}} {titles.rate:>{_RATE}} {titles.bar:{bar_room(width)}}{more}"
    return fit(titles.name, max(0, width - len(tail))) + tail


def scaled_bar(parts: Sequence[Part], room: int, largest: int) -> list[Cell]:
    """The parts of a group to scale: those of the largest one fill the room. What there is has a cell at least."""
    counts = {str(at): part.count for at, part in enumerate(parts)}
    there = sum(map(bool, counts.values()))
    cells = max(min(room, there), round(room * sum(counts.values()) / max(1, largest)))
    return [Cell(parts[int(at)].fill * count, parts[int(at)].style) for at, count in shares(counts, cells).items()]


def share_cells(parts: Sequence[Part]) -> list[Cell]:
    """`███▒░░  50% `: a rate with a bar, in front of words in a column."""
    if not any(part.count for part in parts):
        return []
    bar = scaled_bar(parts, _SHORT, sum(part.count for part in parts))
    drawn = sum(len(cell.text) for cell in bar)
    return [*bar, Cell(f"{' ' * (_SHORT - drawn)}{rate_text(parts):>{_RATE}} ", "dim")]


def rate_text(parts: Sequence[Part]) -> str:
    """The share of the first part: never rounded up to 100."""
    total = sum(part.count for part in parts)
    return f"{100 * parts[0].count // total}%" if total else "-"


def _cut(cells: Sequence[Cell], width: int) -> list[Cell]:
    """Pieces in exactly `width` cells."""
    found = []
    for at, cell in enumerate(cells):
        last = at == len(cells) - 1
        text = fit(cell.text, width if last else min(width, cell_len(cell.text)), elide=len(cells) == 1)
        found.append(Cell(text, cell.style))
        width -= cell_len(text)
    return found
