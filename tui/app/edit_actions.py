# SPDX-License-Identifier: Apache-2.0
"""Steps on the pending changes. Each is written to the journal before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.base.errors import TTMatrixError
from tui import view_models
from tui.keymap import Keymap
from tui.protocol import Background, Notify, Signals
from tui.session import Session

if TYPE_CHECKING:
    from core.edits import Operation
    from core.edits.pending import Change, Conflict, Decision, Take

_NOTICE_SECONDS = 20
"""Seconds that important messages stay."""


class EditActions:
    """Proposes, decides, undoes. No step waits for another instance that holds the journal (`Session.bench`)."""

    def __init__(
        self, session: Session, signals: Signals, notify: Notify, background: Background, keymap: Keymap
    ) -> None:
        self._session = session
        self._signals = signals
        self._notify = notify
        self._background = background
        self._keymap = keymap
        self._problem_shown = False

    def propose(self, operations: Sequence[Operation] | None, note: str = "") -> None:
        """Add a change and say where it is; `note` is its reason."""
        if operations and self._step(lambda: self._session.bench.propose(operations, note, self._session.present)):
            self._notify.info(f"Added to the pending changes. {self._keymap.key('app.review')} reviews them.")

    def decide(self, decision: Decision, ids: Collection[int]) -> None:
        """Give changes one decision."""
        self._step(lambda: self._session.bench.decide(decision, ids))

    def decide_proposals(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision; those that are not pending yet are added with it."""
        self._step(lambda: self._session.bench.propose_decided(decision, changes, self._session.present))

    def replace(self, id: int, new: Change | None) -> None:
        """Replace a change, keeping its decision, or remove it."""
        old = self._session.pending.change(id)
        self._step(
            lambda: self._session.bench.replace(id, replace(new, decision=old.decision) if old and new else None)
        )

    def note(self, issue: str, ids: Collection[int]) -> None:
        """Note with changes that they are to be undone once an issue is closed; empty: not any more."""
        self._step(lambda: self._session.bench.note(issue, ids))

    def undo(self) -> None:
        """Undo the last step."""
        self._step(lambda: self._session.bench.undo())

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self._step(lambda: self._session.bench.redo())

    def resolve(self, id: int, chosen: Collection[Conflict], take: Take) -> None:
        """Take one side of conflicts of a change."""
        self._step(lambda: self._session.bench.resolve(id, chosen, take))

    def _step(self, step: Callable[[], object]) -> bool:
        """Take a step and show the new pending changes; False with an error message if the app is read-only."""
        try:
            self._session.check_writable()
        except TTMatrixError as error:
            self._notify.error(error)
            return False
        step()
        self.refresh()
        return True

    def refresh(self) -> None:
        """Show the current pending changes, and report problems of their journal."""
        session = self._session
        session.count_changes()
        session.take_marks_elsewhere()
        self._signals.pending_changed.publish(None)
        for notice in session.bench.notices():
            self._notify.info(notice, timeout=_NOTICE_SECONDS)
        problem = session.bench.problem
        # Shown once: it lasts until somebody solves it.
        if problem is not None and not self._problem_shown:
            self._notify.info(f"{problem.title}: {problem.detail}", timeout=_NOTICE_SECONDS)
        self._problem_shown = problem is not None

    def save_marks(self) -> None:
        """Save which tests are marked; a read-only app does not save its marks."""
        if not self._session.read_only:
            self._session.bench.mark(self._session.view.marks | self._session.awaited_marks)
            self._session.take_marks_elsewhere()

    def rebase(self) -> None:
        """Compare the pending changes with the files as last read, and follow renames."""
        session = self._session
        if session.read_only:
            return

        def rebase() -> tuple[bool, str]:
            session.bench.look_at_git()
            event = session.bench.rebase(session.present)
            clashing, key = session.bench.conflicts(session.present).values(), self._keymap.key("app.review")
            return event is not None, view_models.rebase_words(event, clashing, key)

        def rebased(outcome: tuple[bool, str]) -> None:
            moved, words = outcome
            if moved:
                self.refresh()
            if words:
                self._notify.info(words)

        self._background.run("rebase", rebase, rebased)
