# SPDX-License-Identifier: Apache-2.0
"""Headings of groups: what its rows have in common, a bar to scale, their number, and a rate. One form for all.

The words have their room first: a bar is there where they leave it, and where it says something.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from core.matrix.view import shares
from tui.view_models.fitting import fit
from tui.view_models.style import Cell

HEADING = "\0"
"""The beginning of the keys of headings, and of no other key."""
COUNTS_FROM = 110
"""Width from which there is room for a wide bar, and for more numbers behind it."""
_COUNT, _RATE = 7, 5
_LEAST = 16
"""Cells of a heading without a name and without a bar."""
_SHORT = 6
"""Cells of a bar in a column."""
_FEW = 10
"""Cells of the bars of groups of fewer rows."""
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
    rate: str = "of all"
    """Of what the rate is, which each heading says too. Empty: the share says nothing, and headings have none."""
    bar: str = ""
    said: bool = True
    """Whether each heading says of what its rate is: the titles are there only while the cursor is on one."""

    @property
    def room_of_rate(self) -> int:
        """The cells of a rate."""
        return (_RATE + (1 + len(self.rate) if self.said else 0)) if self.rate else 0

    def said_rate(self, rate: str) -> str:
        """A rate, below its title: `50% of all`."""
        words = f" {self.rate}" if self.said and rate.endswith("%") else ""
        return f"{rate:>{_RATE}}{words}"[: self.room_of_rate].ljust(self.room_of_rate)


NO_TITLES = HeadingTitles("")


def bar_room(width: int, largest: int) -> int:
    """Cells for the bar of a heading in a line of that width, where the largest group has so many rows."""
    room = 24 if width >= COUNTS_FROM else max(0, min(width - _LEAST, max(10, width // 6)))
    # No more cells than rows.
    return min(room, max(_FEW, largest))


def heading_line(
    name: Sequence[Cell],
    count: int,
    rate: str,
    bar: Sequence[Cell],
    width: int,
    room: int,
    titles: HeadingTitles,
    *,
    opened: bool,
    more: Sequence[Cell] = (),
) -> list[Cell]:
    """The pieces of a heading over `width` cells; `more` is at its end.

    The bar has at most `room` cells. It is left out where the name needs them.
    """
    numbers = f" {count:>{_COUNT},} {titles.said_rate(rate)}"[: max(0, width - len(_OPENED))]
    tail = [Cell(numbers), *more]
    left = max(0, width - len(_OPENED) - sum(cell_len(cell.text) for cell in tail))
    drawn = sum(cell_len(cell.text) for cell in bar)
    if bar and sum(cell_len(cell.text) for cell in name) + 1 + room <= left:
        tail = [*bar, Cell(f"{' ' * (room - drawn)}{numbers}"), *more]
        left -= room
    return [Cell(_OPENED if opened else _FOLDED, "running"), *_cut(name, left), *tail]


def heading_need(name: Sequence[Cell], titles: HeadingTitles) -> int:
    """The cells of a heading in which its name is whole."""
    return len(_OPENED) + sum(cell_len(cell.text) for cell in name) + 2 + _COUNT + titles.room_of_rate


def title_line(titles: HeadingTitles, width: int, room: int, more: str = "") -> str:
    """The titles above such headings."""
    tail = f"{titles.bar:{room}} {titles.count:>{_COUNT}} {titles.rate:>{titles.room_of_rate}}{more}"
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
