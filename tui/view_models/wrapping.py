# SPDX-License-Identifier: Apache-2.0
"""Texts in lines that fit a width: broken between words where there is room, else anywhere."""

import re
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

from core.text import one_line
from tui.view_models.style import Cell

_WORDS = re.compile(r"\s*\S+\s?|\s+")
"""Where a line may be broken."""

CellLine = tuple[Cell, ...]
"""One line as pieces with their styles."""


def words_of(text: str) -> list[str]:
    """The parts of a text, made safe to show, between which a line may be broken; nothing is lost."""
    return _WORDS.findall(one_line(text))


def wrapped(cells: Sequence[Cell], width: int, indent: int = 0) -> list[CellLine]:
    """`cells` in lines of at most `width` terminal cells, broken between the cells where they fit.

    All lines but the first are indented, as far as that leaves room.
    """
    head, *rest = _wrapped(cells, width, max(1, width - indent))
    margin = (Cell(" " * indent, cells[0].style),) if rest and 0 < indent < width else ()
    return [head, *((*margin, *line) for line in rest)]


def _wrapped(cells: Sequence[Cell], left: int, width: int) -> list[CellLine]:
    """`cells` in a first line of at most `left`, and others of at most `width` terminal cells."""
    lines: list[list[Cell]] = [[]]
    for cell in cells:
        if cell_len(cell.text) > left and left < width and cell_len(cell.text) <= width:
            lines.append([])
            left = width
        for at, part in enumerate(_chopped(cell.text, left, width)):
            if at:
                lines.append([])
                left = width
            lines[-1].append(Cell(part, cell.style))
            left -= cell_len(part)
    return [tuple(line) for line in lines]


def paragraph(text: str, style: str, width: int, indent: int = 0) -> list[CellLine]:
    """Words of one style in lines of at most `width` cells."""
    return wrapped([Cell(word, style) for word in words_of(text)], width, indent)


def _chopped(text: str, first: int, width: int) -> list[str]:
    """`text` in parts: the first has the room that is left in its line, the others have whole lines."""
    if cell_len(text) <= first or first <= 0:
        return [text] if first > 0 else ["", *chop_cells(text, width)]
    head = chop_cells(text, first)[0]
    return [head, *chop_cells(text[len(head) :], width)]
