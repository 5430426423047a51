# SPDX-License-Identifier: Apache-2.0
"""The app: its screens, what they share, and the few things that concern all of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import BindingType
from textual.signal import Signal

from core.errors import TTMatrixError
from core.matrix import Matrix
from core.matrix.query import Learned
from core.providers import RUNS
from core.text import one_line
from tui.app.edit_actions import Deciding
from tui.app.palette import CommandProvider
from tui.app.run_actions import Running
from tui.commands import Command, Where, bindings, commands
from tui.screens import SessionScreen
from tui.session import Session
from tui.view_models import counted

if TYPE_CHECKING:
    from core.evidence.verdicts import Verdicts
    from core.matrix import Detail

# The first frame shows the matrix, and only that: all else is imported where it is asked for.

_SOON = (
    "core.edits.pending.workbench",
    "core.evidence.location",
    "core.runs.store.store",
    "tui.view_models.detail",
    "tui.view_models.runs",
)
"""What is needed right after the first frame."""
_LOOK_SECONDS = 0.5
"""How often we look at what other processes do: runs, and decisions of another instance."""


class TTMatrixApp(Running, Deciding, inherit_bindings=False):
    """Screens over one session. Threads come back through messages; only handlers change what is shown."""

    TITLE = "ttmatrix"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {CommandProvider}
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.APP)
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, session: Session, reindex: Callable[[Matrix], Matrix]) -> None:
        """`reindex` reads the checkout of a matrix again; it is called in a thread."""
        super().__init__()
        self.session = session
        self._reindex = reindex
        self._interrupted = False
        self._evidence_stamp: object = None
        self._evidence_wanted = False
        self._editor_at_loader: str | None = None
        self.matrix_changed: Signal[None] = Signal(self, "matrix changed")
        self.evidence_changed: Signal[None] = Signal(self, "evidence changed")
        self.facts_learned: Signal[None] = Signal(self, "facts learned")
        self._asked: set[str] = set()

    # The start

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())
        self.in_thread("take up", self._bring_in, lambda _: self.take_up())

    def _bring_in(self) -> None:
        """Load what is needed as soon as somebody looks round; the keys go on meanwhile."""
        for module in _SOON:
            importlib.import_module(module)
        self.session.matrix.complete()

    def take_up(self) -> None:
        """Look at what there is beside the matrix: runs, pending changes, marks."""
        self.look_at_runs()
        self._look_at_evidence()
        self.session.take_up_marks()
        self.set_interval(_LOOK_SECONDS, self._look_around)
        self.pending_moved()
        if self.session.pending.changes or self.session.uncommitted:
            self.rebase_pending()
        if not self.runs_unreadable:
            # Runs that were left waiting by a scheduler that is gone go on.
            self.in_thread("tend", self.session.tend, lambda _: None)

    # Between the screens

    def action_go_back(self) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.go_back()

    def action_leave(self) -> None:
        """Close the screen; at the matrix the app."""
        if not isinstance(self.screen, SessionScreen):
            return
        if self.screen is not self.matrix_screen:
            self.action_switch("matrix")
            return
        self._quit()

    def _quit(self) -> None:
        from tui.screens import Confirm
        from tui.view_models import exit_words

        count = self.session.open_changes
        if not count or self.session.bench.problem is None:
            self.exit(message=exit_words(count, self.session.runs))
        else:
            body = f"{counted(count, 'pending change')} cannot be kept: {self.session.bench.problem.detail}"
            question = Confirm("Quit and lose pending changes?", body, verb="quit")
            self.push_screen(question, lambda yes: self.exit(message=exit_words(0, self.session.runs)) if yes else None)

    def action_interrupt(self) -> None:
        """Once: stop following. Twice: quit. Runs are never stopped by it."""
        self.runs_screen.stop_following()
        if self._interrupted:
            self._quit()
            return
        self._interrupted = True
        self.say("Once more to quit. Runs go on.", timeout=2)
        self.set_timer(2, self._forget_interrupt)

    def _forget_interrupt(self) -> None:
        self._interrupted = False

    def valid_commands(self) -> Sequence[Command]:
        """What works on the screen in front."""
        screen = next((one for one in reversed(self.screen_stack) if isinstance(one, SessionScreen)), None)
        return commands(Where.APP, *screen.places()) if screen else []

    def action_help(self) -> None:
        from tui.screens import HelpScreen

        if isinstance(self.screen, SessionScreen):
            self.push_screen(HelpScreen(self.valid_commands()), self.run_command)

    def run_command(self, command: Command | None) -> None:
        """Do what the command's key would do here."""
        if command is None:
            return
        for node in (self.focused, self.screen, self):
            name = command.action.partition("(")[0]
            if node is not None and hasattr(node, f"action_{name}"):
                self.call_later(self.run_action, command.action, node)
                return

    def action_redraw(self) -> None:
        """Paint all of the screen, whatever somebody else has written over it."""
        self.screen.refresh(layout=True)

    # The checkout

    def action_reload(self) -> None:
        """Read the checkout again in the background; the screen stays usable."""
        session, before, wanted = self.session, self.session.matrix, self.session.view.needs

        def read() -> tuple[Matrix, Learned]:
            matrix = self._reindex(before)
            matrix.complete()
            return matrix, session.compute_columns(matrix, wanted)

        self.in_thread("reload", read, lambda read: self._replace_matrix(*read), supersede=True)

    def _replace_matrix(self, matrix: Matrix, learned: Learned) -> None:
        self.session.view.replace_matrix(matrix, learned)
        self._asked = set(learned)
        self.matrix_changed.publish(None)
        self._read_evidence()
        self.read_ages()
        self.rebase_pending()

    def learn(self, names: Iterable[str]) -> None:
        """Ask providers of facts in the background, those that were not asked before."""
        session, matrix = self.session, self.session.matrix

        def take(learned: Learned) -> None:
            if session.matrix is matrix:
                session.view.learn(learned)
                self.facts_learned.publish(None)

        for name in [name for name in names if name not in self._asked]:
            self._asked.add(name)
            self.in_thread(f"learn {name}", partial(session.compute_columns, matrix, (name,)), take)

    def open_editor(self, detail: Detail) -> None:
        """Open $EDITOR at the entry of a test; asked twice for the same one, at its loader."""
        at_loader = self._editor_at_loader == detail.id or not detail.declared
        self._editor_at_loader = None if at_loader else detail.id
        if at_loader and not detail.loader:
            self.tell(TTMatrixError("Nothing to edit", f"{one_line(detail.id)} has neither an entry nor a loader."))
            return
        declared = detail.declared[-1] if detail.declared else None
        if at_loader or declared is None:
            self.open_file(detail.loader, 1)
        else:
            self.open_file(declared.path, declared.entry.line)

    def open_file(self, path: str, line: int) -> None:
        """Open $EDITOR at a line of a file, whose path is relative to the checkout; then read the checkout again."""
        from tui.terminal import edit, editor_command

        root = self.session.checkout.root
        try:
            argv = editor_command(root / path, line)
            with self.suspend():
                edit(argv, root, self.lend_terminal)
        except TTMatrixError as error:
            self.tell(error)
        self.action_reload()

    def lend_terminal(self, borrower: int) -> None:
        """A process, by its id, has the terminal until it ends."""

    # Runs

    def _look_around(self) -> None:
        self.look_at_runs()
        self._look_at_evidence()
        if self.session.bench.catch_up():
            self.pending_moved()

    def runs_moved(self) -> None:
        super().runs_moved()
        if RUNS in self._asked:
            self._asked.remove(RUNS)
            self.learn([RUNS])

    def _look_at_evidence(self) -> None:
        """Tell everybody once a device run has ended, or reports were read by another process."""
        from core.evidence import evidence_stamp, store_file

        file = store_file(self.session.paths.evidence, self.session.checkout.root)
        stamp = evidence_stamp(file, self.session.runs)
        if stamp != self._evidence_stamp:
            self._evidence_stamp = stamp
            self.evidence_changed.publish(None)
            self._read_evidence()

    def want_evidence(self) -> None:
        """Read all results in the background, and again whenever there are more; `facts_learned` tells when."""
        if not self._evidence_wanted:
            self._evidence_wanted = True
            self._read_evidence()

    def _read_evidence(self) -> None:
        def read() -> Verdicts:
            from tui.evidence_service import Knowledge

            return Knowledge(self.session).verdicts()

        def take(verdicts: Verdicts) -> None:
            self.session.verdicts = verdicts
            self.facts_learned.publish(None)

        if self._evidence_wanted:
            self.in_thread("results", read, take, supersede=True)

    def triage(self, ids: Sequence[str]) -> None:
        """Begin a workflow on each of the training tests among `ids`, and show them."""
        self.show(self.workflows_screen)
        self.call_later(self.workflows_screen.begin, ids)
