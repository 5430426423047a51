# SPDX-License-Identifier: Apache-2.0
"""What screens may ask of the app: they know this, not the app."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from textual.signal import Signal

from core.edits.operations import Operation
from core.edits.pending import Pending
from core.errors import TTMatrixError
from core.matrix.detail import Detail
from core.runs.queue import Queue
from tui.commands import Command

T = TypeVar("T")


class Host(Protocol):
    """The app, as its screens see it."""

    matrix_changed: Signal[None]
    """The checkout was read again."""
    runs_changed: Signal[None]
    """A run began, went on or ended."""
    pending_changed: Signal[None]
    """A pending change was added or decided."""

    def say(self, text: str) -> None:
        """A word in passing."""

    def tell(self, error: TTMatrixError) -> None:
        """An error a person must read."""

    def copy(self, text: str) -> None:
        """Put a text where it can be pasted."""

    def in_thread(
        self, name: str, work: Callable[[], T], deliver: Callable[[T], None], *, supersede: bool = False
    ) -> None:
        """Run `work` in a thread and hand its result to `deliver` (see `tui.bridge`)."""

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

    def start_runs(self, ids: Sequence[str]) -> None:
        """Start a CPU repro of each id."""

    def cancel_run(self, run_id: str) -> None:
        """Stop a run."""

    def run_rest(self) -> None:
        """Run again what failed or did not run in the newest batch."""

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Do something to the queue of runs, whose effect is seen at once."""

    def show_run(self, run_id: str) -> None:
        """Go to the log of a run."""

    def propose(self, operations: Sequence[Operation] | None, note: str = "") -> None:
        """Add operations to the pending changes; `note` says why."""

    def decide(self, pending: Pending) -> None:
        """Take over another state of the pending changes."""

    def valid_commands(self) -> Sequence[Command]:
        """What works on the screen in front."""

    def run_command(self, command: Command | None) -> None:
        """Do what the command's key would do."""
