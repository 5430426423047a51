# SPDX-License-Identifier: Apache-2.0
"""The context of every screen: the session, and one small interface for each thing to ask of the app."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from textual.app import App
from textual.signal import Signal

from tui.keymap import Keymap
from tui.session import Session
from tui.tour import Tour

if TYPE_CHECKING:
    from pathlib import Path

    from core.base.errors import TTMatrixError
    from core.edits import Operation
    from core.edits.pending import Change, Conflict, Decision, Take
    from core.evidence import JobState, Page
    from core.evidence.github import OfJob
    from core.evidence.proposals import Progress, Worklist
    from core.matrix import Detail
    from core.matrix.query import Query
    from core.runs.planning import LaunchPlan
    from core.runs.store import Queue, RunRecord
    from core.sources import Lacking
    from core.workspace import once
    from tui.view_models import TriageItems

T = TypeVar("T")


class Signals:
    """The signals that screens follow. All are published in the app's own thread."""

    def __init__(self, app: App[Any]) -> None:
        self.matrix_changed: Signal[None] = Signal(app, "matrix changed")
        """The checkout was read again."""
        self.runs_changed: Signal[None] = Signal(app, "runs changed")
        """A run was queued, started, went on or ended."""
        self.evidence_changed: Signal[None] = Signal(app, "evidence changed")
        """There are more results than before."""
        self.worklist_changed: Signal[None] = Signal(app, "worklist changed")
        """There is another list of what is to be decided, or more of it is worked out: `Worklists`."""
        self.pending_changed: Signal[None] = Signal(app, "pending changed")
        """A pending change was added, decided or removed."""
        self.facts_changed: Signal[None] = Signal(app, "facts changed")
        """A provider has computed more about the tests than the index holds."""
        self.downloads_read: Signal[None] = Signal(app, "downloads read")
        """The downloads of a test's loader are known: `Facts.request_fetched`."""
        self.freshness_changed: Signal[None] = Signal(app, "freshness changed")
        """There is a newer night, or its age reads otherwise."""
        self.identity_changed: Signal[None] = Signal(app, "identity changed")
        """Another branch is checked out, or the time that is left on a machine reads otherwise."""
        self.hosts_changed: Signal[None] = Signal(app, "hosts changed")
        """The hosts file has changed, or a host is otherwise than before."""


class Notify(Protocol):
    """Messages to the person."""

    def info(self, text: str, *, timeout: float | None = None) -> None:
        """Show a message for some seconds. It may carry text from outside: it is never read as markup."""

    def warn(self, error: TTMatrixError) -> None:
        """Show an error for a while, without taking a key: a person who types can go on."""

    def error(self, error: TTMatrixError) -> None:
        """Show an error in a dialog, to be closed by the person."""

    def copy(self, text: str) -> None:
        """Copy a text to the clipboard of the terminal, and into a file."""

    def open_page(self, page: Page) -> None:
        """Show a page in a browser, or without one copy its address; where there is no page, say why."""


class Background(Protocol):
    """Work outside of the app's own thread."""

    def run(
        self,
        name: str,
        work: Callable[[], T],
        deliver: Callable[[T], None],
        *,
        supersede: bool = False,
        asks: bool = False,
        lists: bool = False,
        fail: Callable[[TTMatrixError], None] | None = None,
    ) -> None:
        """Run `work` in a thread and give its result to `deliver` in the app's own thread.

        A TTMatrixError that `work` raises goes to `fail`; without `fail` it is shown. With `supersede`, work of the
        same `name` that is not done yet is dropped with its result: right for reading, wrong for writing. With `asks`,
        which is right where `deliver` may open a question or a dialog, keys wait for it: they never act on what is
        below. With `lists`, which is right for what a screen lists first, they wait for the rows, for some seconds at
        most.
        """

    def call(self, callback: Callable[[], object]) -> None:
        """From any thread: call `callback` in the app's own thread."""

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Do `work` in the app's own thread once the first frame is on the terminal; at once where it is."""


class Facts(Protocol):
    """Values that providers compute in the background. `Signals.facts_changed` says when there are more."""

    def request(self, names: Iterable[str]) -> None:
        """Have providers compute the named facts, unless they were asked before."""

    def failure(self, name: str) -> str:
        """Why a provider's facts could not be read; empty: they can be, as far as is known."""

    def request_details(self, values: Iterable[once[Any]]) -> None:
        """Read these values of the workspace, unless they are known."""

    def lacking(self) -> Lacking | None:
        """The files that git tracks and the work tree lacks; None until they were looked for, which this requests."""

    def request_fetched(self, id: str) -> None:
        """Read what the loader of a test fetches, unless that is done. `Signals.downloads_read` says when it is."""

    def request_verdicts(self) -> None:
        """Read all results now, and again whenever there are more."""


class Worklists(Protocol):
    """The list of Triage. `Signals.worklist_changed` says when there is another one, or more of it."""

    @property
    def known(self) -> TriageItems | None:
        """The last that was worked out; None: none was yet."""

    @property
    def progress(self) -> Progress | None:
        """The progress of a newer one; None: none is being worked out, or that has just begun."""

    @property
    def left_out(self) -> frozenset[str]:
        """Machines whose results are not counted."""

    def want(self) -> None:
        """Work it out at once whenever there is something new, until `release`."""

    def release(self) -> None:
        """Nobody looks at it any more: what is new is worked out once nothing more comes."""

    def leave_out(self, hosts: frozenset[str]) -> None:
        """Judge without these machines."""

    def read(self) -> Worklist:
        """Work out the present worklist, with all machines. Not for the app's own thread."""


class CheckoutFiles(Protocol):
    """The files of the checkout, as the person works on them."""

    def reload(self) -> None:
        """Index the checkout again."""

    def edit_test(self, detail: Detail) -> None:
        """Open $EDITOR at the entry of a test, or where it has none at its loader."""

    def edit_loader(self, detail: Detail) -> None:
        """Open $EDITOR at the loader of a test, where it names the variant."""

    def edit_file(self, path: str, line: int) -> None:
        """Open $EDITOR at a line of a file, whose path is relative to the checkout."""


class Navigation(Protocol):
    """The ways between the screens. Escape leads back from what was entered."""

    @property
    def base(self) -> str:
        """The restriction of the present level: escape removes a person's additions to it, but not this."""

    @property
    def has_last(self) -> bool:
        """Whether there is a view before the present one."""

    def enter(self, name: str, base: str = "") -> None:
        """One level in: to the screen of that name. The present one may go on to another view of itself."""

    def jump(self) -> None:
        """The screen in front is about to show another view, on the same level."""

    def back(self) -> None:
        """One level out: the screen, the view and the spot one came from; from the outermost level to the matrix."""

    def switch(self, name: str) -> None:
        """Show the screen of that name (`tui.screens.table`); `log` is the screen of runs with only the log."""

    def show_test(self, id: str) -> None:
        """Show a test in the matrix; a filter that hides it is cleared."""

    def show_tests(self, query: Query) -> None:
        """Show the tests that a query selects in the matrix."""

    def filter_tests(self) -> None:
        """Type a query in the matrix."""

    def show_findings(self, kind: str) -> None:
        """Show the findings of a kind; empty: of every kind."""

    def show_run(self, run_id: str) -> None:
        """Show the log of a run."""

    def show_job_log(self, state: JobState, test: str = "") -> None:
        """Show the log of a job of CI, at the line that says why it failed, or at a test."""

    def show_triage_of(self, ids: Collection[str]) -> bool:
        """Show the group of Triage that one of these tests is in; False: there is none."""

    def compare_run(self, run: str) -> None:
        """Show how the results of a run of the evidence differ from those of the run before it."""

    def compare_cases(self, ids: Sequence[str]) -> None:
        """Show op cases on two backends side by side."""

    def show_diff(self, range: str, *, uplift: bool = False) -> None:
        """Show what differs in a range of commits, or of commits of the models."""

    def plan_session(self, hours: float | None) -> None:
        """Plan a session of so many hours, or until the leases end, and show it."""

    def show_profiles(self, batch: str = "") -> None:
        """Show the runs of a batch by profile; empty: the newest batch with several."""

    def show_programs(self, run_id: str) -> None:
        """Show the programs that a run has left."""

    def show_dumps(self, directories: Sequence[Path], of: OfJob) -> None:
        """Show the programs that a job of CI has left in directories."""

    def start_workflows(self, ids: Sequence[str]) -> None:
        """Start a workflow on each of these failing training tests, and show them."""


class Runs(Protocol):
    """Starting, ordering and stopping runs."""

    def start(self, ids: Sequence[str]) -> None:
        """Start a CPU repro of each test; for those that cannot run, the reasons are shown."""

    def bisect(self, ids: Sequence[str]) -> None:
        """Look for the op that breaks each model; for those that cannot run, the reasons are shown."""

    def start_planned(self, plan: LaunchPlan, *, shown: bool = True, asked: bool = False) -> None:
        """Start runs as they are planned."""

    def start_again(self, records: Sequence[RunRecord]) -> None:
        """Start the same runs once more; several are listed first."""

    def start_rest(self, batch: str = "") -> None:
        """Start again what failed or did not run in a batch, else in the newest one; the runs are listed first."""

    def cancel(self, run_ids: Sequence[str]) -> None:
        """Stop runs and everything they started."""

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Change the queue of runs. `change` is called in a thread."""


class Edits(Protocol):
    """Steps on the pending changes. Each is one step of undo; `Signals.pending_changed` follows."""

    def propose(self, operations: Sequence[Operation] | None, note: str = "") -> None:
        """Add a change; `note` says why."""

    def decide(self, decision: Decision, ids: Collection[int]) -> None:
        """Give changes one decision."""

    def decide_proposals(self, decision: Decision, changes: Sequence[Change]) -> None:
        """Give changes one decision; those that are not pending yet are added by it."""

    def note(self, issue: str, ids: Collection[int]) -> None:
        """Note with changes that they are to be undone once an issue is closed; empty: not any more."""

    def replace(self, id: int, new: Change | None) -> None:
        """Replace a change, whose decision stays, or remove it."""

    def resolve(self, id: int, chosen: Collection[Conflict], take: Take) -> None:
        """Take one side of conflicts of a change."""

    def undo(self) -> None:
        """Undo the last step."""

    def redo(self) -> None:
        """Redo the step that was undone last."""

    def refresh(self) -> None:
        """Show the pending changes as they are now: something else has changed them."""

    def save_marks(self) -> None:
        """Save which tests are marked."""


@dataclass(frozen=True, slots=True)
class Context:
    """The app, as its screens see it."""

    session: Session
    keymap: Keymap
    signals: Signals
    notify: Notify
    background: Background
    facts: Facts
    worklists: Worklists
    files: CheckoutFiles
    navigation: Navigation
    runs: Runs
    edits: Edits
    tour: Tour
    in_letters: Callable[[], bool]
    """Whether curves are drawn with letters: for a terminal with ASCII only, or without colours."""
