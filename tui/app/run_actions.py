# SPDX-License-Identifier: Apache-2.0
"""What the app does to runs: it starts, orders and stops them, and tells what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.signal import Signal

from core.errors import TTMatrixError
from core.sources import Stamps, all_unchanged
from core.text import one_line
from tui.app.notifications import Telling
from tui.protocol import Host
from tui.view_models import counted

if TYPE_CHECKING:
    from core.runs.planning import LaunchPlan
    from core.runs.store import Queue, RunRecord
    from tui.session import Aged

_NAMED = 8
"""How many tests a question names."""


class Running(Telling):
    """Runs belong to processes of their own: what is known of them is what the last look at the store has shown."""

    def __init__(self) -> None:
        super().__init__()
        self.runs_changed: Signal[None] = Signal(self, "runs changed")
        self.runs_unreadable = ""
        """What is wrong with the store, as far as that was told."""
        self._heads: Stamps = {}
        """Of the files that change with another commit; none while somebody looks."""
        self._unsettled: set[str] = set()
        """Batches that went on, or were started here, and whose end nobody was told yet."""

    def look_at_runs(self) -> None:
        """Take in what has become of runs since the last look."""
        try:
            records = self.session.store.records()
        except TTMatrixError as error:
            # Told once: it comes again with every look until somebody mends it.
            if error.title != self.runs_unreadable:
                self.runs_unreadable = error.title
                self.tell(error)
            return
        self.runs_unreadable = ""
        if records != self.session.all_runs:
            self.session.take_runs(records)
            self._unsettled |= {record.spec.batch for record in self.session.runs if record.active}
            self.runs_moved()
            self.read_ages()
        elif not all_unchanged(self._heads):
            # Another commit is checked out, by whoever it was.
            self.read_ages()
        records = self.session.runs
        if self._unsettled and not any(record.active for record in records):
            ended = [record for record in records if record.spec.batch in self._unsettled]
            if ended:
                self._unsettled.clear()
                self._tell_end(ended)

    def read_ages(self) -> None:
        """Find out in the background how far the trees of runs are from the present one."""

        def take(aged: Aged) -> None:
            self._heads = aged.heads
            before = self.session.ages, self.session.runs
            self.session.take_ages(aged)
            if before != (self.session.ages, self.session.runs):
                self.runs_moved()

        if self.session.all_runs:
            self._heads = {}
            self.in_thread("ages", self.session.read_ages, take, supersede=True)

    def runs_moved(self) -> None:
        """Tell everybody that runs began, went on or ended."""
        self.runs_changed.publish(None)

    def _tell_end(self, ended: Sequence[RunRecord]) -> None:
        """The last of the runs that went on has ended; all of their batches are given."""
        from tui.view_models import ended_words

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

    def choose_runs(self, ids: Sequence[str], name: str) -> None:
        """Show what running tests would do, to choose how, before they are started; `name` says which."""
        from tui.screens import Launch

        dialog = Launch(self.session, cast(Host, self), ids, name)
        self.push_screen(dialog, lambda plan: self.start_planned(plan) if plan else None)

    def run_again(self, records: Sequence[RunRecord]) -> None:
        """Start the very same runs once more; several are named first."""
        self.in_thread("plan runs", lambda: self.session.plan_again(records), self._name_and_start)

    def run_rest(self) -> None:
        """Run again what failed or did not run in the newest batch, its reruns counted in, and name it first."""
        self.in_thread("plan runs", self.session.plan_rest, partial(self._name_and_start, always=True))

    def _name_and_start(self, plan: LaunchPlan, *, always: bool = False) -> None:
        """Start what is planned; several runs, or `always`, once they are named and confirmed."""
        if plan.specs and (always or len(plan.specs) > 1):
            from tui.screens import Confirm

            names = [one_line(spec.test_id) for spec in plan.specs]
            body = "\n".join((*names[:_NAMED], *([f"and {len(names) - _NAMED:,} more"] if names[_NAMED:] else ())))
            question = Confirm(f"Run {counted(len(names), 'test')} again?", body, verb="run")
            self.push_screen(question, lambda yes: self.start_planned(plan) if yes else None)
        else:
            self.start_planned(plan)

    def _start(self, planned: Callable[[], LaunchPlan]) -> None:
        def start() -> tuple[list[RunRecord], str, Sequence[TTMatrixError]]:
            plan = planned()
            return *self.session.start(plan), plan.refused

        self.in_thread("start runs", start, self._runs_started)

    def start_planned(self, plan: LaunchPlan) -> None:
        """Start runs as they are planned."""
        self._start(lambda: plan)

    def _runs_started(self, outcome: tuple[list[RunRecord], str, Sequence[TTMatrixError]]) -> None:
        started, asked, refused = outcome
        self._unsettled |= {record.spec.batch for record in started}
        self.look_at_runs()
        if asked:
            self.say(f"{asked[0].upper()}{asked[1:]}.")
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

    def change_queue(self, change: Callable[[Queue], None]) -> None:
        """Do something to the queue of runs."""

        def work() -> None:
            change(self.session.store.queue)
            self.session.tend()

        self.in_thread("queue", work, lambda _: self.look_at_runs())

    def cancel_runs(self, run_ids: Sequence[str]) -> None:
        """Stop runs and everything they started."""
        from core.runs.execution import cancel_all

        name = f"cancel {' '.join(run_ids)}"
        self.in_thread(name, lambda: cancel_all(self.session.store, run_ids), lambda _: self.look_at_runs())
