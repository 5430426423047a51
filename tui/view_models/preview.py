# SPDX-License-Identifier: Apache-2.0
"""What pending changes come to, as lines to read: conflicts, what cannot be done, why, the entries, the jobs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

from core.ci import Ci
from core.edits import (
    CellChange,
    EditPlan,
    EntryText,
    Operation,
    Row,
    Spans,
    dead_overrides,
    effect,
    entry_texts,
    plan,
    word_diff,
)
from core.edits.pending import Change, Conflict
from core.matrix import Matrix
from core.text import one_line, printable
from tui.view_models.changes import conflict_lines, job_lines
from tui.view_models.style import Cell, diff_style, fit

SIDE_BY_SIDE_FROM = 120
"""Width from which before stands beside after."""
_BETWEEN = " │ "
_SIGNS = {"": " ", "removed": "-", "added": "+"}
_HANGING = 2
"""How much further than its begin a line goes on in the next one."""
_WORDS = re.compile(r"\s*\S+\s?|\s+")
"""Where a line may be broken."""

Line = tuple[Cell, ...]


def entry_lines(texts: Iterable[EntryText], width: int) -> list[Line]:
    """Every entry of `texts`, which begins with its id, under its file, in lines of at most `width` cells."""
    return [line for text in texts for line in _entry(text, width)]


def wrapped(cells: Sequence[Cell], width: int, indent: int = 0) -> list[Line]:
    """`cells` in lines of at most `width` terminal cells, broken between the cells where they fit.

    All lines but the first are indented, as far as that leaves room.
    """
    head, *rest = _wrapped(cells, width, max(1, width - indent))
    margin = (Cell(" " * indent, cells[0].style),) if rest and 0 < indent < width else ()
    return [head, *((*margin, *line) for line in rest)]


def _wrapped(cells: Sequence[Cell], left: int, width: int) -> list[Line]:
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


def paragraph(text: str, style: str, width: int, indent: int = 0) -> list[Line]:
    """Words of one style in lines of at most `width` cells."""
    return wrapped([Cell(word, style) for word in _WORDS.findall(one_line(text))], width, indent)


def _chopped(text: str, first: int, width: int) -> list[str]:
    """`text` in parts: the first has the room that is left in its line, the others have whole lines."""
    if cell_len(text) <= first or first <= 0:
        return [text] if first > 0 else ["", *chop_cells(text, width)]
    head = chop_cells(text, first)[0]
    return [head, *chop_cells(text[len(head) :], width)]


def _entry(text: EntryText, width: int) -> Iterator[Line]:
    yield (Cell(fit(one_line(text.file), width, elide=True), "file"),)
    rows = word_diff(text.before, text.after)
    beside = width >= SIDE_BY_SIDE_FROM and text.before and text.after
    yield from _beside(rows, width) if beside else _under(rows, width)


def _under(rows: Sequence[Row], width: int) -> Iterator[Line]:
    """Each line that changes with what it becomes right below it."""
    for row in rows:
        if row.stays:
            yield from _side(row.old, "", width)
            continue
        yield from _side(row.old, "removed", width)
        yield from _side(row.new, "added", width)


def _beside(rows: Sequence[Row], width: int) -> Iterator[Line]:
    left_width = (width - len(_BETWEEN)) // 2
    right_width = width - len(_BETWEEN) - left_width
    for row in rows:
        left = _side(row.old, "" if row.stays else "removed", left_width)
        right = _side(row.new, "" if row.stays else "added", right_width)
        for one, other in zip_longest(left, right, fillvalue=()):
            yield (*_filled(one, left_width), Cell(_BETWEEN, "dim"), *other)


def _side(spans: Spans | None, style: str, width: int) -> list[Line]:
    """One line with its sign, in as many lines as it takes; each is coloured to the end, as it is one thing."""
    if spans is None:
        return []
    words = [
        Cell(word, f"{style}-word" if span.changed and style else style)
        for span in spans
        for word in _WORDS.findall(one_line(span.text))
    ]
    sign = Cell(_SIGNS[style], style)
    text = "".join(span.text for span in spans)
    indent = len(text) - len(text.lstrip()) + _HANGING
    return [_filled((sign, *line), width) for line in wrapped(words, width - 1, indent)]


def _filled(line: Line, width: int) -> Line:
    """`line` with spaces up to `width`, in the style it ends in, which a word that stands out does not pass on."""
    rest = width - sum(cell_len(cell.text) for cell in line)
    return (*line, Cell(" " * rest, line[0].style if line else "")) if rest > 0 else line


_SHOWN_NOTES = 5
_SHOWN_DEAD = 5
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Preview:
    """A plan with its effect, as it was when it was asked for."""

    plan: EditPlan
    cells: tuple[CellChange, ...]
    conflicts: tuple[Conflict, ...]
    notes: tuple[str, ...]
    """Why it is proposed, each once."""
    evidence: tuple[str, ...]
    """What was seen that justifies it, each once."""
    dead: tuple[tuple[str, str], ...]
    """Id and arch of overrides that nothing reads."""


def make_preview(
    matrix: Matrix, changes: Sequence[Change], operations: Sequence[Operation], conflicts: Sequence[Conflict], ci: Ci
) -> Preview:
    """What `operations`, which are those of `changes`, come to. Takes a while: not for the app's own thread."""
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    notes = tuple(dict.fromkeys(change.note for change in changes if change.note))
    evidence = tuple(dict.fromkeys(line for change in changes for line in change.evidence))
    cells = tuple(effect(matrix, planned, ci))
    return Preview(planned, cells, tuple(conflicts), notes, evidence, tuple(dead_overrides(matrix, planned)))


def preview_lines(preview: Preview, width: int) -> list[Line]:
    """What a person decides by, in lines of at most `width` cells: first what may stop it."""
    clashing = conflict_lines(preview.conflicts)
    if clashing:
        clashing.append("t takes theirs, o takes ours")
    refused = [f"cannot be done: {one.op.op} {one.op.id}: {one.why}" for one in preview.plan.rejected]
    dead = [f"nothing reads the override of {arch} in {id}" for id, arch in preview.dead[:_SHOWN_DEAD]]
    notes = [*_first("why", preview.notes, "reasons to propose it"), *_first("seen", preview.evidence, "results")]
    jobs = job_lines(preview.cells)
    return [
        *_paragraphs(clashing, "error", width),
        *_paragraphs(refused, "error", width),
        *_paragraphs(notes, "dim", width),
        *entry_lines(entry_texts(preview.plan), width),
        *(line for job in jobs for line in paragraph(job, diff_style(job), width, _INDENT)),
        *_paragraphs(dead, "dim", width),
    ]


def _first(word: str, texts: Sequence[str], what: str) -> list[str]:
    more = len(texts) - _SHOWN_NOTES
    return [*(f"{word}: {text}" for text in texts[:_SHOWN_NOTES]), *([f"and {more:,} more {what}"] if more > 0 else [])]


def whole_lines(preview: Preview) -> list[Line]:
    """The diff of the files, as git will show it."""
    refused = (f"cannot be done: {one.op.op} {one.op.id}: {one.why}" for one in preview.plan.rejected)
    lines = [*map(one_line, refused), *printable(preview.plan.diff()).split("\n")[:-1]]
    return [(Cell(line, diff_style(line)),) for line in lines]


def _paragraphs(texts: Sequence[str], style: str, width: int) -> list[Line]:
    return [line for text in texts for line in paragraph(text, style, width, _INDENT)]
