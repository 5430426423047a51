# SPDX-License-Identifier: Apache-2.0
"""Review: pending changes above, the diff they come to below; decide, write, commit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Footer, Static

from core.edits.conflicts import Conflict, Take
from core.edits.effect import CellChange, effect
from core.edits.operations import Operation
from core.edits.pending import Change, Decision
from core.edits.plan import EditPlan, plan
from core.errors import TTMatrixError
from core.text import one_line, printable
from tui.change_rows import ChangeRows, conflict_lines, effect_words, job_lines
from tui.commands import Where, bindings
from tui.presentation import counted, diff_style
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Ask, Confirm
from tui.widgets.lines_view import LinesView, TextLines
from tui.widgets.row_table import RowTable

_SHOWN_REJECTIONS = 6


@dataclass(frozen=True, slots=True)
class Preview:
    """A plan with its effect, as it was when it was asked for."""

    plan: EditPlan
    changes: tuple[CellChange, ...]
    conflicts: tuple[Conflict, ...]


class ChangeTable(RowTable):
    """The table of pending changes, with the keys of a table."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.TABLE)


class DiffView(LinesView):
    """The diff, with the keys of a log."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.LINES)


class ReviewScreen(SessionScreen):
    """Decide on pending changes and take them to the files and into a commit."""

    PLACES = (Where.REVIEW, Where.TABLE, Where.LINES)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.REVIEW)

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        with Vertical(id="changes-box"):
            yield ChangeTable(ChangeRows((), self.session.conflicts), id="changes")
        yield Static("", id="diff-title", markup=False)
        yield DiffView(diff_style, id="diff")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._whole = False
        self.follow(self.host.pending_changed, self._refresh)
        self.follow(self.host.matrix_changed, self._refresh)
        self.follow(self.host.runs_changed, self._say)
        self.table.focus()
        self._refresh()

    @property
    def table(self) -> ChangeTable:
        return self.query_one(ChangeTable)

    @property
    def diff_view(self) -> DiffView:
        return self.query_one(DiffView)

    @property
    def _changes(self) -> Sequence[Change]:
        return self.session.pending.changes

    def _refresh(self) -> None:
        self.table.show(ChangeRows(self._changes, self.session.conflicts))
        self.fit_list("#changes-box", len(self._changes))
        self._say()
        self._ask_preview()

    def _say(self) -> None:
        by_decision = Counter(change.decision for change in self._changes)
        words = [f"{by_decision[decision]} {decision}" for decision in Decision if by_decision[decision]]
        self.title_line(", ".join(words) or "nothing pending: E in the matrix changes entries")

    # The diff

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        if not self._whole:
            self._ask_preview()

    def _operations(self) -> tuple[Operation, ...]:
        """What the diff is about: all that is accepted, or the change under the cursor."""
        if self._whole:
            return self.session.pending.accepted_operations()
        return self._current.ops if self._current else ()

    @property
    def _current(self) -> Change | None:
        """The change under the cursor."""
        at = self.table.cursor
        return self._changes[at] if at < len(self._changes) else None

    def _ask_preview(self) -> None:
        operations, matrix, session = self._operations(), self.session.matrix, self.session
        shown = () if self._whole or self._current is None else (self._current,)

        def preview() -> Preview:
            planned = plan(matrix.checkout.test_config, operations, matrix.schema)
            clashing = tuple(found for change in shown for found in session.conflicts(change))
            return Preview(planned, tuple(effect(matrix, planned, session.ci())), clashing)

        self.host.in_thread("preview", preview, self._show_preview, supersede=True)

    def _show_preview(self, preview: Preview) -> None:
        title = "what will be written" if self._whole else f"{self.table.cursor + 1}/{len(self._changes)}"
        words = f"{title}   {effect_words(preview.changes)}" if self._changes else ""
        self.query_one("#diff-title", Static).update(words)
        refused = [f"cannot be done: {one.op.op} {one.op.id}: {one.why}" for one in preview.plan.rejected]
        clashing = conflict_lines(preview.conflicts)
        if clashing:
            clashing.append("t takes theirs, o takes ours")
        lines = [one_line(line) for line in (*clashing, *refused, *job_lines(preview.changes))]
        self.diff_view.show(TextLines([*lines, *printable(preview.plan.diff()).split("\n")[:-1]]))

    def action_whole_diff(self) -> None:
        self._whole = not self._whole
        self._ask_preview()

    # Decisions

    def _decide(self, decision: Decision) -> None:
        if self._current:
            at = self.table.cursor
            self.host.decide(decision, [self._current.id])
            self.table.cursor = at + 1

    def action_accept(self) -> None:
        self._decide(Decision.ACCEPTED)

    def action_reject(self) -> None:
        self._decide(Decision.REJECTED)

    def action_skip(self) -> None:
        self.table.action_move(1)

    def action_accept_rest(self) -> None:
        self._decide_rest(Decision.ACCEPTED, "Accept")

    def action_reject_rest(self) -> None:
        self._decide_rest(Decision.REJECTED, "Reject")

    def _decide_rest(self, decision: Decision, verb: str) -> None:
        rest = [change for change in self._changes if change.decision is Decision.UNDECIDED]
        if not rest:
            self.host.say("Nothing is undecided.")
            return
        edits = sum(len(change.ops) for change in rest)
        question = Confirm(
            f"{verb} {counted(len(rest), 'change')}?", f"{counted(edits, 'operation')} in all.", verb=verb.lower()
        )
        ids = [change.id for change in rest]
        self.app.push_screen(question, lambda yes: self.host.decide(decision, ids) if yes else None)

    def action_take(self, side: str) -> None:
        """Decide what was changed elsewhere too."""
        change = self._current
        found = self.session.conflicts(change) if change else ()
        if change is None or not found:
            self.host.say("This was not changed elsewhere.")
            return
        self.host.resolve(change.id, found, Take(side))

    def action_undo(self) -> None:
        self.host.undo()

    def action_redo(self) -> None:
        self.host.redo()

    def action_other_pane(self) -> None:
        (self.table if self.diff_view.has_focus else self.diff_view).focus()

    # To the files, and into a commit

    def _accepted_plan(self) -> EditPlan | None:
        """The plan of all that is accepted; None, and the reason on the screen, where it cannot be written."""
        operations = self.session.pending.accepted_operations()
        if not operations:
            self.host.say("Nothing is accepted yet: a accepts the change under the cursor.")
            return None
        planned = plan(self.session.checkout.test_config, operations, self.session.matrix.schema)
        if planned.rejected:
            reasons = "\n".join(f"{one.op.id}: {one.why}" for one in planned.rejected[:_SHOWN_REJECTIONS])
            count = len(planned.rejected)
            self.host.tell(
                TTMatrixError(f"{counted(count, 'operation')} cannot be done", reasons, "Reject those changes.")
            )
            return None
        return planned

    def action_write(self) -> None:
        planned = self._accepted_plan()
        if planned is not None:
            files = "\n".join(edit.file for edit in planned.files)
            title, body = f"Write {counted(len(planned.applied), 'operation')}?", files or "The files say so already."
            question = Confirm(title, body, verb="write")
            ids = self._accepted_ids()
            self.app.push_screen(question, lambda yes: self._write(ids) if yes else None)

    def _accepted_ids(self) -> Sequence[int]:
        return [change.id for change in self.session.pending.accepted()]

    def _write(self, ids: Sequence[int]) -> None:
        def written(paths: Sequence[Path]) -> None:
            self._written()
            self.host.say(f"Wrote {counted(len(paths), 'file')}; c commits.")

        self.host.in_thread("write", lambda: self.session.write(ids), written)

    def _written(self) -> None:
        self.host.pending_moved()
        self.host.action_reload()

    def action_commit(self) -> None:
        """Write what is accepted, then commit just the files written here."""
        accepted = self.session.pending.accepted_operations()
        if not accepted and not self.session.uncommitted:
            self.host.say("Nothing is accepted or written yet.")
            return
        planned = self._accepted_plan() if accepted else None
        if accepted and planned is None:
            return
        edited = [edit.path for edit in planned.files] if planned else []
        names = "\n".join(path.name for path in dict.fromkeys((*self.session.uncommitted, *edited)))
        question = Ask("Commit message", f"Commits only:\n{names}", value=self._message(), verb="commit")
        ids = self._accepted_ids() if planned else ()
        self.app.push_screen(question, lambda message: self._write_and_commit(ids, message))

    def _message(self) -> str:
        ids = dict.fromkeys(op.id for op in self.session.pending.accepted_operations())
        if not ids:
            return "Update test expectations"
        return f"Update expectations of {next(iter(ids)) if len(ids) == 1 else f'{len(ids):,} tests'}"

    def _write_and_commit(self, ids: Sequence[int], message: str | None) -> None:
        """Two steps, so that what git refuses is still known to be written."""
        if message is None:
            return
        if not ids:
            self._commit(message)
            return

        def written(_: Sequence[Path]) -> None:
            self._written()
            self._commit(message)

        self.host.in_thread("write", lambda: self.session.write(ids), written)

    def _commit(self, message: str) -> None:
        paths = self.session.uncommitted
        self.host.in_thread("commit", lambda: self.session.bench.commit(paths, message), self._committed)

    def _committed(self, revision: str) -> None:
        self.host.say(f"Committed {revision[:10]}.")
