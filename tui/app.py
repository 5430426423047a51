# SPDX-License-Identifier: Apache-2.0
"""The app: its screens, what they share, and the few things that concern all of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.binding import BindingType
from textual.signal import Signal

from core.errors import TTMatrixError
from core.matrix.fields import needs
from core.matrix.index import Matrix
from core.matrix.learn import RUNS
from core.matrix.scope import Learned
from core.text import one_line, printable
from tui.bridge import WorkDone, WorkFailed, in_thread
from tui.commands import Command, Where, bindings, commands
from tui.navigation import Navigation
from tui.palette import CommandProvider
from tui.presentation import counted
from tui.screens.base import SessionScreen
from tui.session import Session

if TYPE_CHECKING:
    from core.edits.conflicts import Conflict, Take
    from core.edits.operations import Operation
    from core.edits.pending import Change, Decision
    from core.evidence.verdicts import Verdicts
    from core.matrix.detail import Detail
    from core.runs.launch_plan import LaunchPlan
    from core.runs.queue import Queue
    from core.runs.record import RunRecord

# The first frame shows the matrix, and only that: all else is imported where it is asked for.

T = TypeVar("T")

_LOOK_SECONDS = 0.5
"""How often we look at what other processes do: runs, and decisions of another instance."""


_NOTICE_SECONDS = 20
"""How long words stand that a person should not miss."""
_CLIPBOARD_CHARACTERS = 100_000
"""Terminals refuse a longer sequence, or choke on it."""

_OUT_SECONDS = 0.05
"""Rest after the first frame is made: the thread that writes it and the terminal that paints it have their turn."""


class TTMatrixApp(Navigation, inherit_bindings=False):
    """Screens over one session. Threads come back through messages; only handlers change what is shown."""

    TITLE = "ttmatrix"
    CSS_PATH = "ttmatrix.tcss"
    COMMANDS: ClassVar[set[Any]] = {CommandProvider}
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.APP)
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, session: Session, reindex: Callable[[Matrix], Matrix]) -> None:
        """`reindex` reads the checkout of a matrix again; it is called in a thread."""
        super().__init__()
        self.session = session
        self._reindex = reindex
        self._interrupted = False
        self._runs_unreadable = ""
        self._evidence_stamp: object = None
        self._evidence_wanted = False
        self._told_unkept = False
        self._editor_at_loader: str | None = None
        self.matrix_changed: Signal[None] = Signal(self, "matrix changed")
        self.runs_changed: Signal[None] = Signal(self, "runs changed")
        self.evidence_changed: Signal[None] = Signal(self, "evidence changed")
        self.pending_changed: Signal[None] = Signal(self, "pending changed")
        self.facts_learned: Signal[None] = Signal(self, "facts learned")
        self._asked: set[str] = set()
        self._unsettled: set[str] = set()
        """Batches that went on, or were started here, and whose end nobody was told yet."""
        self._waiting: list[Callable[[], object]] | None = []
        """What waits for the first frame; None: it is on the terminal."""

    # The start

    def on_mount(self) -> None:
        self.after_first_frame(self.take_up)

    def on_ready(self) -> None:
        self.call_after_refresh(self.set_timer, _OUT_SECONDS, self._first_frame_out)

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Do `work` once the first frame is on the terminal, at once where it is."""
        if self._waiting is None:
            work()
        else:
            self._waiting.append(work)

    def _first_frame_out(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for work in waiting:
            work()

    def take_up(self) -> None:
        """Look at what there is beside the matrix: runs, pending changes, marks."""
        self._look_at_runs()
        self.session.take_up_marks()
        self.set_interval(_LOOK_SECONDS, self._look_around)
        self.pending_moved()
        if self.session.pending.changes or self.session.uncommitted:
            self._rebase()
        if not self._runs_unreadable:
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
        from tui.exit_words import exit_words
        from tui.screens.dialogs import Confirm

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
        from tui.screens.help import HelpScreen

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

    # Errors and copies

    def say(self, text: str, *, timeout: float | None = None) -> None:
        """A word in passing. It may carry text from outside, so it is never markup."""
        self.notify(printable(text), timeout=timeout, markup=False)

    def tell(self, error: TTMatrixError) -> None:
        """Show an error a person must read."""
        from tui.screens.dialogs import Notice

        self.push_screen(Notice(error))

    def on_work_failed(self, message: WorkFailed) -> None:
        self.tell(message.error)

    def on_work_done(self, message: WorkDone[object]) -> None:
        message.deliver()

    def in_thread(
        self, name: str, work: Callable[[], T], deliver: Callable[[T], None], *, supersede: bool = False
    ) -> None:
        """Run `work` in a thread and hand its result to `deliver` (see `tui.bridge`); none delays the first frame."""
        self.after_first_frame(partial(in_thread, self, name, work, deliver, supersede=supersede))

    def copy(self, text: str) -> None:
        """Copy through the terminal, and into a file for terminals that do not pass it on."""
        from tui.clipboard import keep_copy

        fits = len(text) <= _CLIPBOARD_CHARACTERS
        if fits:
            self.copy_to_clipboard(text)
        try:
            kept = keep_copy(self.session.paths.cache, text)
        except TTMatrixError as error:
            self.say(f"{'Copied.' if fits else 'Too much to copy.'} {error.title}: {error.detail}")
        else:
            self.say(f"Copied; also in {kept}" if fits else f"Too much for the terminal; in {kept}")

    # The checkout

    def action_reload(self) -> None:
        """Read the checkout again in the background; the screen stays usable."""
        session, before, wanted = self.session, self.session.matrix, needs(self.session.view.query)

        def read() -> tuple[Matrix, Learned]:
            matrix = self._reindex(before)
            return matrix, session.learn(matrix, wanted)

        self.in_thread("reload", read, lambda read: self._replace_matrix(*read), supersede=True)

    def _replace_matrix(self, matrix: Matrix, learned: Learned) -> None:
        self.session.view.replace_matrix(matrix, learned)
        self._asked = set(learned)
        self.matrix_changed.publish(None)
        self._read_evidence()
        self._rebase()

    def _rebase(self) -> None:
        """Hold the pending changes against the files as they were read last."""
        from tui.change_words import rebase_words

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

    def learn(self, names: Iterable[str]) -> None:
        """Ask providers of facts in the background, those that were not asked before."""
        session, matrix = self.session, self.session.matrix

        def take(learned: Learned) -> None:
            if session.matrix is matrix:
                session.view.learn(learned)
                self.facts_learned.publish(None)

        for name in [name for name in names if name not in self._asked]:
            self._asked.add(name)
            self.in_thread(f"learn {name}", partial(session.learn, matrix, (name,)), take)

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
        from tui.editor import edit, editor_command

        root = self.session.checkout.root
        try:
            argv = editor_command(root / path, line)
            with self.suspend():
                edit(argv, root)
        except TTMatrixError as error:
            self.tell(error)
        self.action_reload()

    # Runs

    def _look_around(self) -> None:
        self._look_at_runs()
        if self.session.bench.catch_up():
            self.pending_moved()

    def _look_at_runs(self) -> None:
        try:
            records = self.session.store.records()
        except TTMatrixError as error:
            # Told once: it comes again with every look until somebody mends it.
            if error.title != self._runs_unreadable:
                self._runs_unreadable = error.title
                self.tell(error)
            return
        self._runs_unreadable = ""
        self._look_at_evidence(records)
        if records != self.session.runs:
            self._unsettled |= {record.spec.batch for record in records if record.active}
            self.session.runs = records
            self.runs_changed.publish(None)
            if RUNS in self._asked:
                self._asked.remove(RUNS)
                self.learn([RUNS])
        if self._unsettled and not any(record.active for record in records):
            ended = [record for record in records if record.spec.batch in self._unsettled]
            if ended:
                self._unsettled.clear()
                self._tell_end(ended)

    def _look_at_evidence(self, records: Sequence[RunRecord]) -> None:
        """Tell everybody once a device run has ended, or reports were read by another process."""
        from core.evidence.stamp import evidence_stamp, store_file

        file = store_file(self.session.paths.evidence, self.session.checkout.root)
        stamp = evidence_stamp(file, records)
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
        def take(verdicts: Verdicts) -> None:
            self.session.verdicts = verdicts
            self.facts_learned.publish(None)

        if self._evidence_wanted:
            from tui.knowledge import Knowledge

            self.in_thread("results", Knowledge(self.session).verdicts, take, supersede=True)

    def _tell_end(self, ended: Sequence[RunRecord]) -> None:
        """The last of the runs that went on has ended; all of their batches are given."""
        from tui.exit_words import ended_words

        text = ended_words(ended)
        self.say(text)
        how = self.session.settings.notify
        if how == "osc9" and self._driver is not None:
            # As Textual does it for what is copied: terminals that do not know it show nothing.
            self._driver.write(f"\x1b]9;ttmatrix: {text}\a")
        elif how != "off":
            self.bell()

    def start_runs(self, ids: Sequence[str]) -> None:
        """Start a CPU repro of each id; those that cannot run are told with their reasons."""
        self._start(lambda: self.session.plan_launch(ids))

    def choose_runs(self, ids: Sequence[str], note: str = "") -> None:
        """Show what running tests would do, to choose how, before they are started."""
        from tui.screens.launch import Launch

        dialog = Launch(self.session, self, ids, note)
        self.push_screen(dialog, lambda plan: self.start_planned(plan) if plan else None)

    def run_again(self, records: Sequence[RunRecord]) -> None:
        """Start the very same runs once more."""
        self._start(lambda: self.session.plan_again(records))

    def run_rest(self) -> None:
        """Run again what failed or did not run in the newest batch, its reruns counted in."""
        self._start(self.session.plan_rest)

    def _start(self, planned: Callable[[], LaunchPlan]) -> None:
        def start() -> tuple[list[RunRecord], Sequence[TTMatrixError]]:
            plan = planned()
            return self.session.start(plan), plan.refused

        self.in_thread("start runs", start, self._runs_started)

    def start_planned(self, plan: LaunchPlan) -> None:
        """Start runs as they are planned."""
        self._start(lambda: plan)

    def _runs_started(self, outcome: tuple[list[RunRecord], Sequence[TTMatrixError]]) -> None:
        started, refused = outcome
        self._unsettled |= {record.spec.batch for record in started}
        self._look_at_runs()
        if not started and not refused:
            self.say("Nothing is left to run.")
        if started:
            first = one_line(started[0].spec.test_id)
            what = first if len(started) == 1 else f"{len(started):,} runs"
            self.say(f"Started {what}. 2 shows the runs.")
        if refused:
            title = refused[0].title if len(refused) == 1 else f"{len(refused):,} tests were not started"
            reasons = refused[0].detail if len(refused) == 1 else "\n".join(error.title for error in refused[:8])
            self.tell(TTMatrixError(title, reasons, refused[0].hint))

    def triage(self, ids: Sequence[str]) -> None:
        """Begin a workflow on each of the training tests among `ids`, and show them."""
        self.show(self.workflows_screen)
        self.call_later(self.workflows_screen.begin, ids)

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Do something to the queue of runs."""

        def work() -> None:
            change(self.session.store.queue)
            self.session.tend()

        self.in_thread("queue", work, lambda _: self._look_at_runs())

    def cancel_runs(self, run_ids: Sequence[str]) -> None:
        """Stop runs and everything they started."""
        from core.runs.launch import cancel_all

        name = f"cancel {' '.join(run_ids)}"
        self.in_thread(name, lambda: cancel_all(self.session.store, run_ids), lambda _: self._look_at_runs())

    # Edits

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
