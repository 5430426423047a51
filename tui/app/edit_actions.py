# SPDX-License-Identifier: Apache-2.0
"""What the app does to the pending changes, each a step that is kept at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.signal import Signal

from tui.app.notifications import Telling

if TYPE_CHECKING:
    from core.edits import Operation
    from core.edits.pending import Change, Conflict, Decision, Take

_NOTICE_SECONDS = 20
"""How long words stand that a person should not miss."""


class Deciding(Telling):
    """Proposes, decides, takes back. Everybody learns of it by `pending_changed`."""

    def __init__(self) -> None:
        super().__init__()
        self.pending_changed: Signal[None] = Signal(self, "pending changed")
        self._told_unkept = False

    def propose(self, operations: Sequence[Operation] | None, note: str = "") -> None:
        """Add a change to the pending ones and say where it is."""
        if not operations:
            return
        self.session.bench.propose(operations, note, self.session.present)
        self.pending_moved()
        self.say("Added to the pending changes. 5 reviews them.")

    def decide(self, decision: Decision, ids: Collection[int]) -> None:
        """Give pending changes one decision."""
        self.session.bench.decide(decision, ids)
        self.pending_moved()

    def decide_proposals(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision; those that are not pending yet become so by it."""
        self.session.bench.propose_decided(decision, changes, self.session.present)
        self.pending_moved()

    def replace(self, id: int, new: Change | None) -> None:
        """Put another change in the place of a pending one, which keeps its decision, or take it away."""
        old = self.session.pending.change(id)
        self.session.bench.replace(id, replace(new, decision=old.decision) if old and new else None)
        self.pending_moved()

    def undo(self) -> None:
        """Take the last step back."""
        self.session.bench.undo()
        self.pending_moved()

    def redo(self) -> None:
        """Take it again."""
        self.session.bench.redo()
        self.pending_moved()

    def resolve(self, id: int, chosen: Collection[Conflict], take: Take) -> None:
        """Decide conflicts of a pending change."""
        self.session.bench.resolve(id, chosen, take)
        self.pending_moved()

    def pending_moved(self) -> None:
        """Tell everybody that the pending changes are not what they were, and the person what became of them."""
        self.session.look_at_bench()
        self.pending_changed.publish(None)
        for notice in self.session.bench.notices():
            self.say(notice, timeout=_NOTICE_SECONDS)
        problem = self.session.bench.problem
        # Told once: it lasts until somebody mends it.
        if problem is not None and not self._told_unkept:
            self.say(f"{problem.title}: {problem.detail}", timeout=_NOTICE_SECONDS)
        self._told_unkept = problem is not None

    def keep_marks(self) -> None:
        """Keep which tests are marked."""
        self.session.bench.mark(self.session.view.marks)

    def rebase_pending(self) -> None:
        """Hold the pending changes against the files as they were read last."""
        from tui.view_models import rebase_words

        session = self.session

        def rebase() -> tuple[bool, str]:
            session.bench.look_at_git()
            event = session.bench.rebase(session.present)
            return event is not None, rebase_words(event, session.bench.conflicts(session.present).values())

        def rebased(outcome: tuple[bool, str]) -> None:
            moved, words = outcome
            if moved:
                self.pending_moved()
            if words:
                self.say(words)

        self.in_thread("rebase", rebase, rebased)
