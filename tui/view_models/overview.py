# SPDX-License-Identifier: Apache-2.0
"""The numbers of the overview as rows, and which of them are beside each other in a terminal of a given size."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from core.base.text import one_line
from core.domain.model import Status
from core.matrix.view import DECLARED, Number, Part, Section
from tui.view_models.fitting import fit
from tui.view_models.style import WORD_LOOKS, Cell, TableColumn, bar, status_word, work_word

_NAMES, _CELL, _BAR_NAMES, _LEAST_BAR = 110, 7, 14, 8
"""Cells: the widest first column, a number, the name in front of a bar, the shortest bar."""
_NUMBER = 5
"""Cells of a number that is alone in its row: up to 99,999 without its separator."""
_AROUND = 2
"""Cells of a board before and behind its columns."""
_GAP, _HEADING = -2, -1
"""Lines of a section before its first row."""

_LANE = 26
"""The least width of a lane: the longest name of the morning's numbers, and the number."""
_TWO_WIDE_FROM = 160
"""Width from which there are two wide boards side by side."""
_MOST_PLOT, _LEAST_PLOT = 30, 7
"""Lines of the plots. With less room there is one line in their place."""
_LANES = (Part.NIGHT, Part.DECIDE, Part.HERE, Part.DOCTOR, Part.LOOK)
"""The contents of each lane, from the left; later ones are below where there is no room for their lane."""
MOST_LANES = len(_LANES)
_SURE = 3
"""So many lanes are everywhere."""


class Arranged(NamedTuple):
    """The layout of the sections: lanes side by side, below them wide boards, below these the plots."""

    lanes: tuple[tuple[Section, ...], ...]
    wide: tuple[tuple[Section, ...], ...]
    lane_lines: int
    plot_lines: int
    """1: there is only room for a line in their place."""


def arranged(sections: Iterable[Section], width: int, height: int) -> Arranged:
    """Arrange the sections in `width` x `height` cells, so that what a morning asks first is at the top left."""
    left = {section.title: section for section in sections}
    count = max(_SURE, min(MOST_LANES, width // _LANE))
    lanes = [[left.pop(title)] for title in _LANES[:count] if title in left]
    below = [left.pop(title) for title in Part if title in left]
    # What is left are the kinds of rows.
    if count == MOST_LANES and lanes:
        lanes[min(_SURE, len(lanes)) - 1] += left.values()
    else:
        below += left.values()
    wide = (tuple(below[:1]), tuple(below[1:])) if width >= _TWO_WIDE_FROM else (tuple(below),)
    wide_lines = max(map(_lines, wide), default=0)
    least = max(map(_lines, lanes[:_SURE]), default=0)
    longest = max(map(_lines, lanes), default=0)
    lane_lines = max(least, min(longest, height - wide_lines - 1))
    room = height - lane_lines - 1 - wide_lines
    return Arranged(tuple(map(tuple, lanes)), wide, lane_lines, min(_MOST_PLOT, room) if room >= _LEAST_PLOT else 1)


def _lines(sections: Sequence[Section]) -> int:
    """The height of a board with these sections: each has a heading, and a blank line above it."""
    return sum(len(one.rows) + 2 for one in sections) - 1 if sections else 0


class OverviewRows:
    """A RowSource over sections, one below the other.

    The table's own header is the heading of the first section; the others bring theirs.
    """

    def __init__(self, sections: Sequence[Section], width: int) -> None:
        """In `width` cells the first column, which also contains the bars, has what the others leave."""
        columns = max((len(section.heads) for section in sections), default=0)
        self.sections = sections
        cell = _CELL if columns > 1 else _NUMBER
        room = width - _AROUND - max(1, columns) * (cell + 1)
        needed = max((_least(row.label, bool(row.bar)) for section in sections for row in section.rows), default=0)
        # A single number gives way to no name: the name is cut. Where there are several, those on the right are.
        names = max(needed, min(_NAMES, room)) if columns > 1 else room
        self._bar = max(_LEAST_BAR, names - _BAR_NAMES - 1)
        self._lines: list[tuple[Section, int]] = []
        for section in sections:
            self._lines += [(section, at) for at in range(_GAP if self._lines else 0, len(section.rows))]
        heads = zip_longest(*(section.heads for section in sections), fillvalue="")
        self.columns: Sequence[TableColumn] = (
            TableColumn("", names),
            *(TableColumn(max(map(_head, texts), key=len), cell, elide=True, right=True) for texts in heads),
        )

    def __len__(self) -> int:
        return len(self._lines)

    def key(self, position: int) -> str:
        section, at = self._lines[position]
        return f"{section.title}/{section.rows[at].label if at >= 0 else at}"

    def marked(self, position: int) -> bool:
        return False

    def number(self, position: int, column: int) -> Number | None:
        """The number in a cell; None if there is none."""
        if not 0 <= position < len(self._lines):
            return None
        section, at = self._lines[position]
        return section.rows[at].numbers[column] if at >= 0 and column < len(section.heads) else None

    def has_numbers(self, position: int) -> bool:
        """Whether a row has numbers, known or not; headings and gaps do not."""
        return 0 <= position < len(self._lines) and self._lines[position][1] >= 0

    def starts(self) -> list[int]:
        """The position of the first row of each section."""
        return [position for position, (_, at) in enumerate(self._lines) if at == 0]

    def heading(self, position: int) -> Sequence[Sequence[Cell]]:
        """The heading for the row at a position."""
        above = (section for section, at in reversed(self._lines[: position + 1]) if at >= 0)
        section = next(above, None)
        return self._filled([Cell(section.title, "header")], section.heads, "header") if section else []

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        section, at = self._lines[position]
        if at == _GAP:
            return self._filled([Cell("")], (), "")
        if at == _HEADING:
            return self._filled([Cell(section.title, "running")], section.heads, "dim")
        row = section.rows[at]
        look = WORD_LOOKS.get(row.label)
        label = (
            [Cell(f"{look.fill} ", look.style), Cell(status_word(row.label))] if look else [Cell(one_line(row.label))]
        )
        if row.bar:
            most = max(sum(one.bar.values()) for one in section.rows)
            # To scale, but at least one cell for everything that exists.
            cells = max(len(row.bar), round(self._bar * sum(row.bar.values()) / most))
            label = [Cell(f"{fit(one_line(row.label), _BAR_NAMES, elide=True)} "), *bar(row.bar, cells)]
        numbers = [Cell(f"{one.count:,}" if one else "…", "" if one and one.count else "dim") for one in row.numbers]
        return [label, *([cell] for cell in numbers), *[[Cell("")]] * (len(self.columns) - 1 - len(numbers))]

    def _filled(self, label: Sequence[Cell], texts: Sequence[str], style: str) -> Sequence[Sequence[Cell]]:
        padded = [*texts, *[""] * (len(self.columns) - 1 - len(texts))]
        return [label, *([Cell(_head(text), style)] for text in padded)]


def _least(label: str, bar: bool) -> int:
    """The cells that a row needs for its name, and for the bar behind it."""
    return _BAR_NAMES + 1 + _LEAST_BAR if bar else len(label)


def _head(text: str) -> str:
    """The head of a column: a status in words, parallelisms and modes abbreviated."""
    if text == Status.UNSPECIFIED:
        return "none"
    return status_word(text) if text in DECLARED else work_word(text)
