# SPDX-License-Identifier: Apache-2.0
"""The effect of pending changes as lines: conflicts, obstacles, reasons, the changed entries, the CI jobs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len

from core.base.text import counted, one_line, printable
from core.ci import Ci
from core.edits import (
    CellChange,
    EditPlan,
    EntryText,
    Row,
    Spans,
    dead_overrides,
    effect,
    entry_texts,
    evidence_lines,
    unknown_ids,
    word_diff,
)
from core.edits.pending import Change, Conflict
from core.matrix import Matrix
from tui.view_models.changes import conflict_lines, job_lines
from tui.view_models.fitting import CellLine, fit, paragraph, words_of, wrapped
from tui.view_models.style import Cell, diff_style

SIDE_BY_SIDE_FROM = 120
"""Width from which before and after are shown side by side."""
_BETWEEN = " │ "
_SIGNS = {"": " ", "removed": "-", "added": "+"}
_HANGING = 2
"""Cells by which continuation lines are indented further than the start."""


def entry_lines(texts: Iterable[EntryText], width: int) -> list[CellLine]:
    """Every entry of `texts`, starting with its id, grouped by file, in lines of at most `width` cells."""
    return [line for text in texts for line in _entry(text, width)]


def _entry(text: EntryText, width: int) -> Iterator[CellLine]:
    yield (Cell(fit(one_line(text.file), width, elide=True), "file"),)
    rows = word_diff(text.before, text.after)
    beside = width >= SIDE_BY_SIDE_FROM and text.before and text.after
    yield from _beside(rows, width) if beside else _under(rows, width)


def _under(rows: Sequence[Row], width: int) -> Iterator[CellLine]:
    """Each changed line with its new form directly below."""
    for row in rows:
        if row.stays:
            yield from _side(row.old, "", width)
            continue
        yield from _side(row.old, "removed", width)
        yield from _side(row.new, "added", width)


def _beside(rows: Sequence[Row], width: int) -> Iterator[CellLine]:
    left_width = (width - len(_BETWEEN)) // 2
    right_width = width - len(_BETWEEN) - left_width
    for row in rows:
        left = _side(row.old, "" if row.stays else "removed", left_width)
        right = _side(row.new, "" if row.stays else "added", right_width)
        for one, other in zip_longest(left, right, fillvalue=()):
            yield (*_filled(one, left_width), Cell(_BETWEEN, "dim"), *other)


def _side(spans: Spans | None, style: str, width: int) -> list[CellLine]:
    """One source line with its sign, in as many lines as needed; each is coloured up to its end."""
    if spans is None:
        return []
    words = [
        Cell(word, f"{style}-word" if span.changed and style else style)
        for span in spans
        for word in words_of(span.text)
    ]
    sign = Cell(_SIGNS[style], style)
    text = "".join(span.text for span in spans)
    indent = len(text) - len(text.lstrip()) + _HANGING
    return [_filled((sign, *line), width) for line in wrapped(words, width - 1, indent)]


def _filled(line: CellLine, width: int) -> CellLine:
    """`line` padded to `width` in the style of its first piece."""
    rest = width - sum(cell_len(cell.text) for cell in line)
    return (*line, Cell(" " * rest, line[0].style if line else "")) if rest > 0 else line


_SHOWN_NOTES = 5
_SHOWN_EVIDENCE = 12
_SHOWN_DEAD = 5
_SHOWN_UNKNOWN = 5
_INDENT = 2


@dataclass(frozen=True, slots=True)
class Preview:
    """A plan with its effect, computed at one moment."""

    plan: EditPlan
    cells: tuple[CellChange, ...]
    conflicts: tuple[Conflict, ...]
    notes: tuple[str, ...]
    """The reasons of the proposals, each once."""
    evidence: tuple[str, ...]
    """The results as a commit says them; inner lines are indented."""
    dead: tuple[tuple[str, str], ...]
    """Id and arch of overrides that have no effect."""
    unknown: tuple[str, ...] = ()
    """A sentence for each new id that no test has."""
    grades: tuple[str, ...] = ()
    """The grades of the proposals with what they rest on, each once."""
    restored: tuple[str, ...] = ()
    """The notes about issues after whose end it is to be undone."""


def make_preview(
    planned: EditPlan, matrix: Matrix, changes: Sequence[Change], conflicts: Sequence[Conflict], ci: Ci
) -> Preview:
    """The effect of `planned`, the plan of all operations of `changes`. Slow: not for the app's own thread."""
    notes = tuple(dict.fromkeys(change.note for change in changes if change.note))
    evidence = tuple(evidence_lines(one for change in changes for one in change.shown))
    restored = tuple(dict.fromkeys(change.restore_words for change in changes if change.restore))
    cells = tuple(effect(matrix, planned, ci))
    dead, unknown = tuple(dead_overrides(matrix, planned)), tuple(unknown_ids(matrix, planned))
    grades = tuple(dict.fromkeys(line for change in changes if (line := change.grade_line)))
    return Preview(planned, cells, tuple(conflicts), notes, evidence, dead, unknown, grades, restored)


def preview_lines(preview: Preview, width: int, ways_out: str = "") -> list[CellLine]:
    """The information for a decision, in lines of at most `width` cells: obstacles first.

    `ways_out` names the keys that resolve a conflict.
    """
    clashing = conflict_lines(preview.conflicts)
    if clashing and ways_out:
        clashing.append(ways_out)
    refused = [f"cannot be done: {one.op.op} {one.op.id}: {one.why}" for one in preview.plan.rejected]
    dead = [f"nothing reads the override of {arch} in {id}" for id, arch in preview.dead[:_SHOWN_DEAD]]
    notes = _first([f"why: {note}" for note in preview.notes], "reasons to propose it")
    return [
        *_paragraphs(clashing, "error", width),
        *_paragraphs([*refused, *preview.unknown[:_SHOWN_UNKNOWN]], "error", width),
        *_paragraphs(notes, "dim", width),
        *_paragraphs(_first(preview.grades, "grades"), "", width),
        *_seen_lines(preview.evidence, width),
        *_paragraphs(preview.restored, "", width),
        *entry_lines(entry_texts(preview.plan), width),
        *(line for text, style in job_lines(preview.cells) for line in paragraph(text, style, width, _INDENT)),
        *_paragraphs(dead, "dim", width),
    ]


def _first(texts: Sequence[str], what: str) -> list[str]:
    more = len(texts) - _SHOWN_NOTES
    return [*texts[:_SHOWN_NOTES], *([f"and {more:,} more {what}"] if more > 0 else [])]


def _seen_lines(evidence: Sequence[str], width: int) -> Iterator[CellLine]:
    """The lines of results; details are indented as in a commit message."""
    for line in evidence[:_SHOWN_EVIDENCE]:
        text = line.lstrip(" ")
        depth = len(line) - len(text)
        for part in paragraph(text if depth else f"seen: {text}", "dim", max(1, width - depth), _INDENT):
            yield (Cell(" " * depth, "dim"), *part) if depth else part
    if (more := len(evidence) - _SHOWN_EVIDENCE) > 0:
        yield from paragraph(f"and {counted(more, 'more line')}", "dim", width, _INDENT)


def whole_lines(preview: Preview) -> list[CellLine]:
    """The diff of the files as git will show it."""
    refused = (f"cannot be done: {one.op.op} {one.op.id}: {one.why}" for one in preview.plan.rejected)
    diff = printable(preview.plan.diff()).split("\n")[:-1]
    return [
        *((Cell(one_line(line), "error"),) for line in refused),
        *((Cell(line, diff_style(line)),) for line in diff),
    ]


def markdown_lines(text: str, width: int) -> list[CellLine]:
    """The text of a pull request for a person: its headings in colour, and what a browser folds below all else."""
    found: list[CellLine] = []
    for line in printable(text).split("\n")[:-1]:
        style = "heading" if line.startswith(("# ", "**")) else "dim" if line.startswith(("<", "|")) else ""
        found += paragraph(line, style, width, _INDENT) or [()]
    return found


def _paragraphs(texts: Sequence[str], style: str, width: int) -> list[CellLine]:
    return [line for text in texts for line in paragraph(text, style, width, _INDENT)]
