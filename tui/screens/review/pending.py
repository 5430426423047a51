# SPDX-License-Identifier: Apache-2.0
"""The rows of the review: pending changes to decide on, and below them the loader edits of workflows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from core import workflows
from core.base.text import counted
from core.edits.pending import Change, Decision, GroupBy, group_changes
from tui.keymap import with_keys
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.review.lists import loader_of
from tui.view_models import PendingLook, ReviewRows, edit_rows, edit_text, search_text

if TYPE_CHECKING:
    from core.workflows import LoaderEdit


class LoaderEdits:
    """Loader edits in the submodule's work tree, as of the last look: left there or reverted, never committed.

    `changed` is called when a look found others.
    """

    def __init__(self, context: Context, changed: Callable[[], None]) -> None:
        self.edits: Sequence[LoaderEdit] = ()
        self._session = context.session
        self._context = context
        self._changed = changed

    def matching(self, matches: Callable[[str], bool]) -> list[LoaderEdit]:
        """The changes whose text matches the filter."""
        return [one for one in self.edits if matches(edit_text(one))]

    def look(self) -> None:
        """Read in the background which edits are in the work tree now."""
        sessions, root = self._session.sessions, self._session.checkout.root
        self._context.background.run(
            "loader edits", lambda: workflows.uncommitted_edits(sessions, root), self._take, supersede=True
        )

    def _take(self, edits: Sequence[LoaderEdit]) -> None:
        if edits != self.edits:
            self.edits = edits
            self._changed()

    def explain(self) -> None:
        """Say what accepting an edit means: nothing."""
        words = "It stays in the work tree of the submodule. Commit it there; {decide.reject} reverts it."
        self._context.notify.info(with_keys(words, self._context.keymap))

    def ask_to_revert(self, screen: SessionScreen, edits: Sequence[LoaderEdit]) -> None:
        """Restore the loaders, after asking on `screen`."""
        files = "\n".join(dict.fromkeys(edit.path for edit in edits))
        words = "The files become exactly what they were. Pending changes stay; {decide.reject} rejects them."
        body = f"{files}\n{with_keys(words, self._context.keymap)}"
        question = Confirm(f"Revert {counted(len(edits), 'loader edit')}?", body, verb="revert")
        screen.app.push_screen(question, lambda yes: self._revert(edits) if yes else None)

    def _revert(self, edits: Sequence[LoaderEdit]) -> None:
        sessions, context = self._session.sessions, self._context

        def done(_: None) -> None:
            context.notify.info(f"{counted(len(edits), 'loader edit')} reverted.")
            self.look()
            context.files.reload()

        context.background.run("revert", lambda: workflows.take_back_edits(sessions, edits), done)


class PendingChanges:
    """A ChangeSource; the loader edits are listed below the changes."""

    noun = "change"

    def __init__(self, context: Context, edits: LoaderEdits, deciding: Callable[[], None]) -> None:
        """`deciding` is called before each decision."""
        self._deciding = deciding
        self._session = context.session
        self._context = context
        self._edits = edits
        self._texts: dict[int, tuple[Change, str]] = {}

    @property
    def orders(self) -> Sequence[StrEnum]:
        """By cause first, where changes have one: a commit for each is the next step."""
        first = [GroupBy.CAUSE] if any(one.cause for one in self.changes) else []
        return (*first, *(by for by in GroupBy if by is not GroupBy.CAUSE))

    @property
    def changes(self) -> Sequence[Change]:
        return self._session.pending.changes

    def rows(
        self,
        changes: Sequence[Change],
        by: StrEnum,
        opened: Collection[str],
        left_out: Collection[str],
        matches: Callable[[str], bool],
    ) -> ReviewRows:
        order = GroupBy(by)
        groups = group_changes(changes, order, partial(loader_of, self._session.matrix))
        look = PendingLook(order, self._session.conflicts)
        return ReviewRows(groups, look, opened, edit_rows(self._edits.matching(matches)))

    def search_text(self, change: Change) -> str:
        known = self._texts.get(change.id)
        if known is None or known[0] is not change:
            known = self._texts[change.id] = change, search_text(change)
        return known[1]

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self._deciding()
        self._context.edits.decide(decision, [change.id for change in changes])

    def other_way(self, changes: Sequence[Change]) -> str:
        return ""

    def accept_otherwise(self, changes: Sequence[Change]) -> None:
        """There is no other way."""

    def warning(self, changes: Sequence[Change]) -> str:
        return ""

    def named_first(self, change: Change) -> bool:
        return False
