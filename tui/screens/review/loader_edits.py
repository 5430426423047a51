# SPDX-License-Identifier: Apache-2.0
"""Loader edits in the review: shown beside the changes, left in the work tree or taken back, never committed."""

from collections.abc import Sequence

from core.edits.pending import Change, GroupBy, group_changes
from core.workflows import LoaderEdit, take_back_edits, uncommitted_edits
from tui.screens.dialogs import Confirm
from tui.screens.review.lists import ListActions
from tui.view_models import ReviewWithEdits, counted, edit_text


class EditActions(ListActions):
    """The keys of a change, on a loader edit."""

    _edits: Sequence[LoaderEdit] = ()

    def rows_of(self, changes: Sequence[Change], opened: frozenset[str]) -> ReviewWithEdits:
        by, words = GroupBy(self.by), self._words.lower().split()
        edits = [one for one in self._edits if all(word in edit_text(one) for word in words)]
        return ReviewWithEdits(group_changes(changes, by, self.loader_of), by, opened, self.session.conflicts, edits)

    @property
    def edits(self) -> Sequence[LoaderEdit]:
        """The loader edits under the cursor."""
        rows = self.table.rows
        return rows.edits_at(self.table.cursor) if isinstance(rows, ReviewWithEdits) else ()

    @property
    def edits_beside(self) -> int:
        """How many loader edits there are in all."""
        return len(self._edits)

    def look_for_edits(self) -> None:
        """Read which edits stand in the work tree by now."""
        sessions, root = self.session.sessions, self.session.checkout.root
        self.host.in_thread(
            "loader edits", lambda: uncommitted_edits(sessions, root), self._found_edits, supersede=True
        )

    def _found_edits(self, edits: Sequence[LoaderEdit]) -> None:
        if edits != self._edits:
            self._edits = edits
            self.show_rows()
            self.fit_rows()

    def fit_rows(self) -> None:
        """Give the list the height its rows need."""
        lines = len(self.session.pending.changes) + (1 + len(self._edits) if self._edits else 0)
        self.fit_list("#changes-box", lines)

    def action_accept(self) -> None:
        if not self.edits:
            super().action_accept()
        else:
            self.host.say("It stays in the work tree of the submodule. Commit it there; x takes it back.")

    def action_reject(self) -> None:
        edits = self.edits
        if not edits:
            super().action_reject()
            return
        title = f"Take {counted(len(edits), 'loader edit')} back?"
        files = "\n".join(dict.fromkeys(edit.path for edit in edits))
        body = f"{files}\nEvery byte becomes what it was. Pending changes stay: x rejects them."
        question = Confirm(title, body, verb="take back")
        self.app.push_screen(question, lambda yes: self._take_back(edits) if yes else None)

    def _take_back(self, edits: Sequence[LoaderEdit]) -> None:
        sessions = self.session.sessions

        def done(_: None) -> None:
            self.host.say(f"{counted(len(edits), 'loader edit')} taken back.")
            self.look_for_edits()
            self.host.action_reload()

        self.host.in_thread("take back", lambda: take_back_edits(sessions, edits), done)
