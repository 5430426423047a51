# SPDX-License-Identifier: Apache-2.0
"""Fit texts to a width: shorten ids, pad or cut lines, wrap paragraphs."""

import re
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

from core.base.text import one_line
from tui.view_models.ids import short_id
from tui.view_models.style import Cell

_WORDS = re.compile(r"\s*\S+\s?|\s+")
"""Words, between which a line may be broken."""

_OF_ENTRIES = "test_config_"
"""The beginning of the names of files of entries."""
CellLine = tuple[Cell, ...]
"""One line as pieces with their styles."""


def words_of(text: str) -> list[str]:
    """The parts of a text between which a line may be broken, made safe to show; nothing is lost."""
    return _WORDS.findall(one_line(text))


def wrapped(cells: Sequence[Cell], width: int, indent: int = 0) -> list[CellLine]:
    """`cells` in lines of at most `width` terminal cells, preferably broken between the cells.

    All lines but the first are indented, as far as that leaves room.
    """
    head, *rest = _wrapped(cells, width, max(1, width - indent))
    margin = (Cell(" " * indent, cells[0].style),) if rest and 0 < indent < width else ()
    return [head, *((*margin, *line) for line in rest)]


def _wrapped(cells: Sequence[Cell], left: int, width: int) -> list[CellLine]:
    """`cells` in a first line of at most `left` terminal cells, and others of at most `width`."""
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
    """`text` in parts: the first fits into the rest of its line, the others into whole lines."""
    if cell_len(text) <= first or first <= 0:
        return [text] if first > 0 else ["", *chop_cells(text, width)]
    head = chop_cells(text, first)[0]
    return [head, *chop_cells(text[len(head) :], width)]


def fit(text: str, width: int, *, elide: bool = False) -> str:
    """`text` in exactly `width` cells; if too long, it is cut in the middle (`elide`) or at the end."""
    if not text.isascii():
        cut = text if cell_len(text) <= width else f"{set_cell_size(text, max(0, width - 1))}…"
        return set_cell_size(cut, width)
    if len(text) > width:
        text = short_id(text, width) if elide else f"{text[: max(0, width - 1)]}…"[:width]
    return text.ljust(width)


def short_file(path: str) -> str:
    """The path of a file of entries without the parts of its name that all of them share; any other path."""
    directory, slash, name = path.rpartition("/")
    own = name.removeprefix(_OF_ENTRIES)
    return f"{directory}{slash}{own.removesuffix('.yaml')}" if own != name else path
