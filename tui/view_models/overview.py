# SPDX-License-Identifier: Apache-2.0
"""The numbers of the overview as rows."""

from collections.abc import Sequence
from itertools import zip_longest

from core.base.text import one_line
from core.domain.model import Status
from core.matrix.view import DECLARED, Number, Section
from tui.view_models.fitting import fit
from tui.view_models.style import WORD_LOOKS, Cell, TableColumn, bar, status_word, work_word

_NAMES, _MOST_NAMES, _CELL, _BAR_NAMES = 30, 60, 7, 14
_AROUND = 3
"""Cells of a board before and behind its columns."""
_GAP, _HEADING = -2, -1
"""Lines of a section before its first row."""


class OverviewRows:
    """A RowSource over sections, one below the other.

    The table's own header is the heading of the first section; the others bring theirs.
    """

    def __init__(self, sections: Sequence[Section], width: int = 0) -> None:
        """In `width` cells the first column, which also contains the bars, has what the others leave."""
        columns = max((len(section.heads) for section in sections), default=0)
        names = max(_NAMES, min(_MOST_NAMES, width - _AROUND - columns * (_CELL + 1)))
        self.sections = sections
        self._bar = max(8, names - _BAR_NAMES - 1)
        self._lines: list[tuple[Section, int]] = []
        for section in sections:
            self._lines += [(section, at) for at in range(_GAP if self._lines else 0, len(section.rows))]
        heads = zip_longest(*(section.heads for section in sections), fillvalue="")
        self.columns: Sequence[TableColumn] = (
            TableColumn("", names),
            *(TableColumn(max(map(_head, texts), key=len), _CELL, elide=True, right=True) for texts in heads),
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
        numbers = [Cell(f"{one.count:,}" if one else "", "" if one and one.count else "dim") for one in row.numbers]
        return [label, *([cell] for cell in numbers), *[[Cell("")]] * (len(self.columns) - 1 - len(numbers))]

    def _filled(self, label: Sequence[Cell], texts: Sequence[str], style: str) -> Sequence[Sequence[Cell]]:
        padded = [*texts, *[""] * (len(self.columns) - 1 - len(texts))]
        return [label, *([Cell(_head(text), style)] for text in padded)]


def _head(text: str) -> str:
    """The head of a column: a status in words, parallelisms and modes abbreviated."""
    if text == Status.UNSPECIFIED:
        return "none"
    return status_word(text) if text in DECLARED else work_word(text)
