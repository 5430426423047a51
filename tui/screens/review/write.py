# SPDX-License-Identifier: Apache-2.0
"""From the review to the files and into a commit, and what is found in the files afterwards."""

from collections.abc import Sequence

from core.edits import EditPlan, Operation, plan
from core.edits.commit import Delivered
from core.errors import TTMatrixError
from core.text import one_line
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.review.commit import Commit
from tui.session import Reread
from tui.targets import hidden_words
from tui.view_models import counted

_SHOWN_REJECTIONS = 6
LOST = "NOT in the files"
"""Begins the line of an operation that was written and is not there."""


class WriteActions(SessionScreen):
    """Write and commit what is accepted."""

    @property
    def edits_beside(self) -> int:
        """How many loader edits are in no commit, and will be in none of ours."""
        raise NotImplementedError

    @property
    def hidden_accepted(self) -> int:
        """How many accepted changes the filter hides."""
        raise NotImplementedError

    def show_summary(self, lines: Sequence[str]) -> None:
        """Show what became of a write until the person goes on."""
        raise NotImplementedError

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
            ids = self._accepted_ids()
            title = f"Write {counted(len(ids), 'change')}{hidden_words(self.hidden_accepted)}?"
            question = Confirm(title, files or "The files say so already.", verb="write")
            self.app.push_screen(question, lambda yes: self._write(ids) if yes else None)

    def _accepted_ids(self) -> Sequence[int]:
        return [change.id for change in self.session.pending.accepted()]

    def _write(self, ids: Sequence[int]) -> None:
        def written(found: Reread) -> None:
            self._written()
            self.host.say(f"Wrote {counted(len(found.files), 'file')}; c commits.")
            files = (f"wrote {file}" for file in found.files)
            self.show_summary([*summary(found), *files, "c commits it, u proposes the inverse"])

        self.host.in_thread("write", lambda: self.session.write(ids), written)

    def _written(self) -> None:
        self.host.pending_moved()
        self.host.action_reload()

    def action_commit(self) -> None:
        """Write what is accepted and commit it with what was written here, and nothing else."""
        accepted = self.session.pending.accepted_operations()
        if not accepted and not self.session.uncommitted:
            self.host.say("Nothing is accepted or written yet.")
            return
        planned = self._accepted_plan() if accepted else EditPlan((), ())
        if planned is not None:
            placed = [change.placed() for change in self.session.pending.accepted()]
            written = [(operation,) for operation in self.session.uncommitted]
            operations = (*self.session.uncommitted, *accepted)
            screen = Commit(
                self.session,
                self.host,
                planned,
                operations,
                self._accepted_ids(),
                edits=self.edits_beside,
                hidden=self.hidden_accepted,
            )
            self.app.push_screen(screen, lambda delivered: self._committed(delivered, [*written, *placed]))

    def _committed(self, delivered: Delivered | None, changes: Sequence[Sequence[Operation]]) -> None:
        if delivered is None:
            return
        self._written()
        revisions = [revision[:10] for revision in delivered.committed.revisions]
        self.host.say(f"Committed {', '.join(revisions)}.")
        commits = [f"committed {revision}" for revision in revisions]

        def reread(found: Reread) -> None:
            self.show_summary([*summary(found), *commits, "u proposes the inverse"])

        self.host.in_thread("reread", lambda: self.session.reread(changes), reread)


def summary(found: Reread) -> list[str]:
    """How much of what was written is in the files, and what is not."""
    there = found.total - len(found.missing)
    lost = [f"{LOST}: {one_line(operation.id)}" for operations in found.missing for operation in operations]
    return [f"Verified in the files: {there:,} of {counted(found.total, 'change')}", *lost]
