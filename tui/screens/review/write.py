# SPDX-License-Identifier: Apache-2.0
"""From the review to the files and into a commit, and what is found in the files afterwards."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.text import counted, one_line
from core.edits import EditPlan, Operation
from core.edits.commit import Delivered
from core.matrix.view import hidden_words
from tui.commands import Need
from tui.keymap import need_words
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.review.commit import CommitDialog
from tui.session import Reread, Session

_SHOWN_REJECTIONS = 6


class SummaryLine(NamedTuple):
    """One thing to know after a write."""

    text: str
    lost: bool = False
    """Whether it is about a change that was written and is not in the files."""


class Writer:
    """Writes and commits the accepted changes; `done` is called with what is in the files then, and a headline."""

    def __init__(self, screen: SessionScreen, done: Callable[[Sequence[SummaryLine], str], None]) -> None:
        self._screen = screen
        self._session = screen.session
        self._context = screen.context
        self._done = done

    def ask_to_write(self, hidden: int) -> None:
        """Write what is accepted, after asking; `hidden` is how many of the changes the filter hides."""
        operations = self._session.pending.accepted_operations()
        if not operations:
            self._context.notify.info(need_words(Need.ACCEPTED, self._context.keymap))
            return
        ids = self._accepted_ids()
        title = f"Write {counted(len(ids), 'change')}{hidden_words(hidden)}?"
        # Asked at once, so that the key typed next is for the question and not for the list below it.
        question = Confirm(title, "Planning …", verb="write", ready=False)
        self._screen.app.push_screen(question, lambda yes: self._write(ids) if yes else None)

        def planned(plan: EditPlan) -> None:
            question.complete("\n".join(edit.file for edit in plan.files) or "The files already say this.")

        def refused(error: TTMatrixError) -> None:
            question.withdraw()
            self._context.notify.error(error)

        work = partial(plan_accepted, self._session, operations)
        self._context.background.run("plan", work, planned, fail=refused)

    def _accepted_ids(self) -> Sequence[int]:
        return [change.id for change in self._session.pending.accepted()]

    def _write(self, ids: Sequence[int]) -> None:
        def written(found: Reread) -> None:
            self._files_changed()
            commits, undo = map(self._context.keymap.key, ("review.commit", "decide.undo"))
            self._context.notify.info(f"Wrote {counted(len(found.files), 'file')}; {commits} commits.")
            files = (SummaryLine(f"wrote {file}") for file in found.files)
            ways_on = SummaryLine(f"{commits} commits it, {undo} proposes to undo it")
            self._done([*summary(found), *files, ways_on], "written, not committed yet")

        self._context.background.run("write", lambda: self._session.write(ids), written)

    def _files_changed(self) -> None:
        self._context.edits.refresh()
        self._context.files.reload()

    def commit(self, hidden: int, edits: int) -> None:
        """Write what is accepted and commit it with what was written here, and nothing else.

        `hidden` is how many accepted changes the filter hides, `edits` how many loader edits are in no commit.
        """
        session, pending = self._session, self._session.pending
        accepted, uncommitted = pending.accepted_operations(), session.uncommitted
        if not accepted and not uncommitted:
            self._context.notify.info("Nothing is accepted or written yet.")
            return
        # What was written is known as operations alone, in their order: those in a row on one entry are a change.
        written = (tuple(found) for _, found in groupby(uncommitted, key=lambda one: (one.id, one.file)))
        changes = [*written, *(change.placed() for change in pending.accepted())]
        dialog = CommitDialog(
            self._context,
            lambda: plan_accepted(session, accepted),
            (*uncommitted, *accepted),
            self._accepted_ids(),
            edits=edits,
            hidden=hidden,
        )
        self._screen.app.push_screen(dialog, lambda delivered: self._committed(delivered, changes))

    def _committed(self, delivered: Delivered | None, changes: Sequence[Sequence[Operation]]) -> None:
        if delivered is None:
            return
        self._files_changed()
        revisions = [revision[:10] for revision in delivered.committed.revisions]
        self._context.notify.info(f"Committed {', '.join(revisions)}.")
        commits = [SummaryLine(f"committed {revision}") for revision in revisions]
        undo = self._context.keymap.key("decide.undo")

        def reread(found: Reread) -> None:
            ways_on = SummaryLine(f"{undo} proposes to undo it, :pr copies the text of a pull request")
            self._done([*summary(found), *commits, ways_on], "committed")

        self._context.background.run("reread", lambda: self._session.reread(changes), reread)


def plan_accepted(session: Session, operations: Sequence[Operation]) -> EditPlan:
    """The plan of accepted operations. Reads files: not for the app's own thread.

    Raises TTMatrixError with the reasons where some of them cannot be done.
    """
    if not operations:
        return EditPlan((), ())
    planned = session.bench.plan(operations, session.matrix.schema, session.matrix.files)
    if planned.rejected:
        reasons = "\n".join(f"{one.op.id}: {one.why}" for one in planned.rejected[:_SHOWN_REJECTIONS])
        title = f"{counted(len(planned.rejected), 'operation')} cannot be done"
        raise TTMatrixError(title, reasons, "Reject those changes.")
    return planned


def summary(found: Reread) -> list[SummaryLine]:
    """The part of the written changes that is in the files, and the part that is not."""
    there = found.total - len(found.missing)
    lost = dict.fromkeys(one_line(operation.id) for operations in found.missing for operation in operations)
    return [
        SummaryLine(f"Verified on disk: {there:,} of {counted(found.total, 'change')}"),
        *(SummaryLine(f"NOT in the files: {id}", lost=True) for id in lost),
    ]
