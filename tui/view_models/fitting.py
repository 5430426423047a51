# SPDX-License-Identifier: Apache-2.0
"""Fit texts to a width: shorten ids, pad or cut lines, wrap paragraphs."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, chop_cells, set_cell_size

from core.ids import TestId
from core.text import elide_middle, one_line
from tui.view_models.style import Cell

_WORDS = re.compile(r"\s*\S+\s?|\s+")
"""Words, between which a line may be broken."""

_ID_WORDS = (
    ("-inference", "-inf"),
    ("-training", "-train"),
    ("single_device", "single"),
    ("data_parallel", "data"),
    ("tensor_parallel", "tensor"),
    ("-mesh_", "-"),
    ("megatron", "mgtn"),
    ("llm_decode", "dec"),
    ("llm_prefill", "pre"),
    ("-seq_", "-s"),
    ("-batch_", "-b"),
)
"""Words of the id grammar and their abbreviations, which are all different."""
_LAST_WORDS = (("-tensor-", "-tp-"), ("-default-", "-def-"), ("-single-", "-sd-"))
"""Stronger abbreviations, for very narrow columns."""
_FRAMEWORKS = {"pytorch": "pt"}
_LEAST_TAIL = 8
"""Fewer characters after the variant are useless."""
_GOOD_PLACE, _LEAST_PLACE = 12, 5
"""Characters before the variant: 12 tell most ids apart, and fewer than 5 are useless."""
_OF_ENTRIES = "test_config_"
"""What the names of files of entries begin with."""
_LEAST_END = 3
"""Fewer characters of the directories below the first one are useless."""

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
        return set_cell_size(text if cell_len(text) <= width else f"{text[: max(0, width - 1)]}…", width)
    if len(text) > width:
        text = short_id(text, width) if elide else f"{text[: max(0, width - 1)]}…"[:width]
    return text.ljust(width)


@lru_cache(4096)
def short_id(id: str, width: int) -> str:
    """A test id in at most `width` characters: common parts are shortened, never the variant, in which ids differ.

    First the words of the grammar are abbreviated (docs/rules.md 1.5), then the directories lose their middle, then
    they go, and the middle of what comes after the variant. Any other text, or too long a variant, loses its middle.
    """
    parsed = TestId.parse(id) if len(id) > width else None
    if parsed is None:
        return elide_middle(id, width)
    directory, variant = parsed.directory, f"-{parsed.variant}" if parsed.variant else ""
    tail = id.removeprefix(f"{directory}{variant}")
    for long, short in _ID_WORDS:
        tail = tail.replace(long, short)
        if len(text := f"{directory}{variant}{tail}") <= width:
            return text
    path, _, framework = directory.rpartition("/")
    last = tail
    for long, short in _LAST_WORDS:
        last = last.replace(long, short)
    for rest, least in ((tail, _GOOD_PLACE), (last, _LEAST_PLACE)):
        end = f"/{_FRAMEWORKS.get(framework, framework)}{variant}{rest}"
        room = width - len(end)
        # Without a variant, the directory distinguishes an id from others.
        if room >= (min(least, len(path)) if variant else len(path)):
            return f"{_short_place(path, room)}{end}"
    start = variant.removeprefix("-") or path
    room = width - len(start) - bool(variant)
    if room < _LEAST_TAIL:
        return elide_middle(f"{start}{last}", width)
    return f"{'…' if variant else ''}{start}{elide_middle(last, room)}"


def short_file(path: str) -> str:
    """The path of a file of entries without the parts of its name that all of them share; any other path."""
    directory, slash, name = path.rpartition("/")
    own = name.removeprefix(_OF_ENTRIES)
    return f"{directory}{slash}{own.removesuffix('.yaml')}" if own != name else path


def _short_place(path: str, width: int) -> str:
    """Directories in at most `width` characters: the first one whole if that leaves room for both ends of the others.

    The ends tell `albert/masked_lm` from `albert/token_classification`, and `detection` from `detection_v2`.
    """
    first, _, others = path.partition("/")
    room = width - len(first) - 1
    return f"{first}/{elide_middle(others, room)}" if others and room >= _LEAST_END else elide_middle(path, width)
