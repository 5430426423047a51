# SPDX-License-Identifier: Apache-2.0
"""What screens may ask of the app: they know this, not the app."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.signal import Signal

if TYPE_CHECKING:
    from core.edits import Operation
    from core.edits.pending import Change, Conflict, Decision, Take
    from core.errors import TTMatrixError
    from core.matrix import Detail
    from core.matrix.query import Query
    from core.runs.planning import LaunchPlan
    from core.runs.store import Queue, RunRecord
    from tui.commands import Command

T = TypeVar("T")


class Host(Protocol):
    """The app, as its screens see it."""

    matrix_changed: Signal[None]
    """The checkout was read again."""
    runs_changed: Signal[None]
    """A run began, went on or ended."""
    evidence_changed: Signal[None]
    """Runs or reports say more of the tests than before."""
    pending_changed: Signal[None]
    """A pending change was added or decided."""
    facts_learned: Signal[None]
    """More is known about the tests than the index holds."""

    def say(self, text: str) -> None:
        """A word in passing."""

    def tell(self, error: TTMatrixError) -> None:
        """An error a person must read."""

    def copy(self, text: str) -> None:
        """Put a text where it can be pasted."""

    def in_thread(
        self, name: str, work: Callable[[], T], deliver: Callable[[T], None], *, supersede: bool = False
    ) -> None:
        """Run `work` in a thread and hand its result to `deliver` (see `tui.app.bridge`)."""

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Do `work` once the first frame is on the terminal, at once where it is."""

    def learn(self, names: Iterable[str]) -> None:
        """Ask providers of facts in the background, those that were not asked before."""

    def want_evidence(self) -> None:
        """Read all results in the background, and again whenever there are more; `facts_learned` tells when."""

    def action_switch(self, name: str) -> None:
        """Show another screen."""

    def action_reload(self) -> None:
        """Read the checkout again."""

    def open_editor(self, detail: Detail) -> None:
        """Open the person's editor at a test."""

    def open_file(self, path: str, line: int) -> None:
        """Open the person's editor at a line of a file of the checkout."""

    def show_test(self, id: str) -> None:
        """Go to a test in the matrix."""

    def show_tests(self, query: Query) -> None:
        """Show the tests that a query selects in the matrix."""

    def show_findings(self, kind: str) -> None:
        """Show what doctor finds of a kind; empty: of every kind."""

    def start_runs(self, ids: Sequence[str]) -> None:
        """Start a CPU repro of each id."""

    def choose_runs(self, ids: Sequence[str], name: str) -> None:
        """Show what running tests would do, to choose how, before they are started; `name` says which."""

    def run_again(self, records: Sequence[RunRecord]) -> None:
        """Start the very same runs once more."""

    def triage(self, ids: Sequence[str]) -> None:
        """Take failing training tests through a workflow each."""

    def start_planned(self, plan: LaunchPlan) -> None:
        """Start runs as they are planned."""

    def cancel_runs(self, run_ids: Sequence[str]) -> None:
        """Stop a run."""

    def run_rest(self) -> None:
        """Run again what failed or did not run in the newest batch."""

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Do something to the queue of runs, whose effect is seen at once."""

    def show_run(self, run_id: str) -> None:
        """Go to the log of a run."""

    def propose(self, operations: Sequence[Operation] | None, note: str = "") -> None:
        """Add operations to the pending changes; `note` says why."""

    def decide(self, decision: Decision, ids: Collection[int]) -> None:
        """Give pending changes one decision."""

    def decide_proposals(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision; those that are not pending yet become so by it."""

    def replace(self, id: int, new: Change | None) -> None:
        """Put another change in the place of a pending one, whose decision it gets, or take it away."""

    def undo(self) -> None:
        """Take the last step back."""

    def redo(self) -> None:
        """Take it again."""

    def resolve(self, id: int, chosen: Collection[Conflict], take: Take) -> None:
        """Decide conflicts of a pending change."""

    def pending_moved(self) -> None:
        """The pending changes are not what they were: everybody is told."""

    def keep_marks(self) -> None:
        """The marks of the matrix are not what they were."""

    def valid_commands(self) -> Sequence[Command]:
        """What works on the screen in front."""

    def run_command(self, command: Command | None) -> None:
        """Do what the command's key would do."""
