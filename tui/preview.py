# SPDX-License-Identifier: Apache-2.0
"""What pending changes come to, as lines to read: conflicts, what cannot be done, why, the entries, the jobs."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.edits.conflicts import Conflict
from core.edits.effect import CellChange, dead_overrides, effect
from core.edits.entry_texts import entry_texts
from core.edits.operations import Operation
from core.edits.pending import Change
from core.edits.plan import EditPlan, plan
from core.matrix.ci import Ci
from core.matrix.matrix import Matrix
from core.text import one_line, printable
from tui.change_words import conflict_lines, job_lines
from tui.entry_lines import entry_lines, paragraph
from tui.presentation import Cell, diff_style
from tui.widgets.lines_view import Line

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
