# SPDX-License-Identifier: Apache-2.0
"""Actions on runs: start, reorder and stop them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from textual.app import App

from core import runs
from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.runs import execution, planning
from tui import screens
from tui.app.polling import Polling
from tui.keymap import Keymap
from tui.protocol import Background, Notify
from tui.session import Session
from tui.view_models import counted

if TYPE_CHECKING:
    from core.runs import RunSpec
    from core.runs.planning import Download, LaunchPlan, Options, Scale
    from core.runs.store import Queue, RunRecord

    Planned = tuple[Sequence[RunSpec], Sequence[TTMatrixError]]
    """Runs, and the reasons why others are not possible."""
    Started = tuple[list[RunRecord], str, Sequence[TTMatrixError]]
    """Runs, what was executed to find out which packages are installed, and why others cannot be started."""

_NAMED = 8
"""Most tests that a question lists."""
_FEW = 8
"""Keys wait until so many runs are queued; more take too long, and no more questions follow."""
_PATIENCE_SECONDS = 1.0
"""After this, a message explains the delay: asking pip for the sizes of packages takes up to 30 s."""


class RunActions:
    """Runs are processes of their own: their state arrives with the next look at the store."""

    def __init__(
        self,
        app: App[Any],
        session: Session,
        notify: Notify,
        background: Background,
        polling: Polling,
        keymap: Keymap,
    ) -> None:
        self._app = app
        self._session = session
        self._notify = notify
        self._background = background
        self._polling = polling
        self._keymap = keymap

    def start(self, ids: Sequence[str]) -> None:
        """Start a CPU repro of each test; show the reasons for those that cannot run."""
        self._start(partial(_planned, self._session, ids, planning.Options(arch=self._session.view.arch)))

    def bisect(self, ids: Sequence[str]) -> None:
        """Look for the op that breaks each model; show the reasons for those that cannot run."""
        self._start(partial(_planned, self._session, ids, planning.Options(kind=planning.BISECT_KIND)))

    def start_planned(self, plan: LaunchPlan, *, shown: bool = True, asked: bool = False) -> None:
        """Start planned runs.

        `shown`: a person has seen the plan, and agreed to its downloads. `asked`: they have also answered a question
        with its numbers.
        """
        self._start(lambda: (plan.specs, plan.refused), plan.downloads if shown else (), asked=asked)

    def start_again(self, records: Sequence[RunRecord]) -> None:
        """Start the same runs again; if there are several, list them first."""
        self._background.run("plan runs", partial(_again, self._session, records), self._list_and_start, asks=True)

    def start_rest(self, batch: str = "") -> None:
        """Start again what failed or did not run in a batch, else the newest, and in what it reruns; list it first."""
        take = partial(self._list_and_start, always=True)
        self._background.run("plan runs", partial(_rest, self._session, batch), take, asks=True)

    def _list_and_start(self, specs: Sequence[RunSpec], *, always: bool = False) -> None:
        """Start the planned runs; if there are several, or with `always`, list them for confirmation first."""
        if specs and (always or len(specs) > 1):
            names = [one_line(spec.test_id) for spec in specs]
            body = "\n".join((*names[:_NAMED], *([f"and {len(names) - _NAMED:,} more"] if names[_NAMED:] else ())))
            question = screens.Confirm(f"Run {counted(len(names), 'test')} again?", body, verb="run")
            self._app.push_screen(question, lambda yes: self._start(lambda: (specs, ())) if yes else None)
        else:
            self._start(lambda: (specs, ()))

    def _start(self, planned: Callable[[], Planned], agreed: Collection[Download] = (), *, asked: bool = False) -> None:
        """Start the planned runs; if they are many or download more than `agreed`, ask a person, unless `asked`."""
        done = Event()

        def plan() -> tuple[LaunchPlan, Scale]:
            try:
                self._session.check_writable()
                (specs, refused), session = planned(), self._session
                ahead = planning.look_ahead(specs, session.settings, refused, runs=session.store.root, starting=True)
                planning.refuse(ahead.obstacles)
                return ahead, planning.scale_of(ahead.specs, ahead.downloads, session.store.root)
            finally:
                done.set()

        def explain() -> None:
            if not done.is_set():
                self._notify.info("Looking up what the run needs and would download.")

        self._background.run("plan runs", plan, partial(self._ask_or_queue, agreed, asked), asks=True)
        self._app.set_timer(_PATIENCE_SECONDS, explain)

    def _ask_or_queue(self, agreed: Collection[Download], asked: bool, planned: tuple[LaunchPlan, Scale]) -> None:
        ahead, scale = planned

        def queue() -> None:
            # A key right behind asks for the log of this run, not for that of an older one.
            few = len(ahead.specs) <= _FEW
            self._background.run("start runs", partial(_queued, self._session, ahead), self._started, lists=few)

        if ahead.specs and scale.large and not asked:
            screens.ask_once_more(self._app, scale, ahead.downloads, queue, ahead.obstacles)
        elif _new(ahead, agreed):
            screens.ask_to_download(self._app, ahead.downloads, queue, ahead.obstacles)
        else:
            queue()

    def _started(self, outcome: Started) -> None:
        started, asked, refused = outcome
        self._polling.take_started(started)
        if asked:
            self._notify.info(f"{asked[0].upper()}{asked[1:]}.")
        if not started and not refused:
            self._notify.info("Nothing is left to run.")
        if started:
            first = one_line(started[0].spec.test_id)
            what = first if len(started) == 1 else f"{len(started):,} runs"
            self._notify.info(f"Started {what}. {self._keymap.key('app.runs')} shows the runs.")
        if refused:
            title = refused[0].title if len(refused) == 1 else f"{len(refused):,} tests were not started"
            reasons = refused[0].detail if len(refused) == 1 else "\n".join(error.title for error in refused[:_NAMED])
            self._notify.error(TTMatrixError(title, reasons, refused[0].hint))

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Change the queue of runs. `change` is called in a thread."""

        def work() -> None:
            self._session.check_writable()
            change(self._session.store.queue)
            self._session.tend()

        self._background.run("queue", work, lambda _: self._polling.now())

    def cancel(self, run_ids: Sequence[str]) -> None:
        """Stop runs and everything they started."""

        def work() -> None:
            self._session.check_writable()
            execution.cancel_all(self._session.store, run_ids)

        self._background.run(f"cancel {' '.join(run_ids)}", work, lambda _: self._polling.now())


# In a thread


def _planned(session: Session, ids: Sequence[str], options: Options) -> Planned:
    """Runs of tests as one batch."""
    root = session.store.root
    return planning.plan_tests(session.matrix, ids, session.settings, options, runs=root, records=session.runs)


def _again(session: Session, records: Iterable[RunRecord]) -> Sequence[RunSpec]:
    """The identical runs once more, as one batch."""
    again = [planning.plan_again(record.spec, session.store.root, session.matrix) for record in records]
    return planning.as_batch(planning.with_estimates(again, session.runs, {}))


def _rest(session: Session, batch: str) -> Sequence[RunSpec]:
    """Reruns of what failed or did not run in a batch, else in the newest. Raises UsageError if there is none."""
    # A batch that is listed may be one of another checkout.
    known = session.store.records()
    records = known if batch else runs.own_runs(known, session.workspace.tree)
    left = planning.left_over(records, batch or planning.newest_batch(records), failures=True, undone=True)
    return _again(session, left)


def _new(ahead: LaunchPlan, agreed: Collection[Download]) -> bool:
    """Whether something besides `agreed` is downloaded, ignoring differences in known sizes."""
    known = {(one.kind, one.name) for one in agreed}
    return any((one.kind, one.name) not in known for one in ahead.downloads)


def _queued(session: Session, ahead: LaunchPlan) -> Started:
    """Queue runs, independent of this process."""
    refused = [*ahead.refused]
    records = execution.launch_all(session.store, ahead.specs, provenance=ahead.provenance, refused=refused)
    return records, ahead.asked, refused
