# SPDX-License-Identifier: Apache-2.0
"""The runs of the runs screen, and what a person does to them: repeat, compare, hold, reorder, stop."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.widget import Widget

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.runs import FAILURES, Outcome
from core.runs.log import compare_logs, last_line
from core.runs.planning import EXTRACT_KIND
from core.runs.store import Queue, RunRecord, RunState
from tui.commands import Need
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm, DialogKey
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import RunGroup, again_command, diff_style
from tui.widgets import LinesView, PaneRule, RunTable, TextLines

_NAMED = 8
"""Most runs that a question names."""


class RunList:
    """The table of runs. Actions are on the marked runs, else on the highlighted run or batch."""

    def __init__(self, screen: SessionScreen, table: RunTable) -> None:
        self.table = table
        self.everywhere = False
        """Whether runs of every checkout are listed."""
        self._screen = screen
        self._session = screen.session
        self._context = screen.context

    # What is listed

    @property
    def listed(self) -> Sequence[RunRecord]:
        """Newest first."""
        return self._session.all_runs if self.everywhere else self._session.runs

    @property
    def current(self) -> RunRecord | None:
        """The highlighted run; None: there is none, or a heading is highlighted."""
        return self.table.record

    @property
    def group(self) -> RunGroup | None:
        """The batch, or part of one, whose heading is highlighted."""
        return self.table.group

    def show(self, keep: str | None) -> None:
        """Show the runs as they are now, with the cursor on the run of id `keep`."""
        self.table.show_runs(self.listed, keep, self._session.ages, with_checkout=self.everywhere)

    def read_last_lines(self) -> None:
        """Read in the background what the running ones printed last."""
        running = [record for record in self.listed if record.state is RunState.RUNNING]

        def read() -> dict[str, str]:
            return {record.spec.run_id: _last_line(record) for record in running}

        if running:
            self._context.background.run("last lines", read, self.table.show_last_lines, supersede=True)

    def _chosen(self) -> list[RunRecord]:
        """The marked runs, oldest first; where there are none, the highlighted one, or all of the highlighted batch."""
        marks = self.table.marks
        marked = [record for record in reversed(self.listed) if record.spec.run_id in marks] if marks else []
        return marked or sorted(self.table.records, key=lambda record: record.spec.run_id)

    @property
    def batch(self) -> str:
        """The name of the highlighted batch; empty: no heading is highlighted."""
        return self.group.batch if self.group is not None else ""

    def to_a_log(self) -> None:
        """From a heading to the run of its batch whose log says most: one that runs, or one that failed."""
        if self.group is not None:
            # Those that run are at the top.
            first = self.group.records[0]
            shown = first if first.active or not self._failed else self._failed[0]
            self.table.reveal(shown.spec.run_id)

    # Actions

    def show_tests(self) -> None:
        """Go to the test of the highlighted run in the matrix, or to those of the highlighted batch."""
        records = self.table.records
        if records and not self._screen.go_to_known(one.spec.test_id for one in records):
            tests = "this test" if self.current is not None else "these tests"
            self._context.notify.info(f"The checkout no longer has {tests}.")

    @property
    def command(self) -> str:
        """The command that starts the highlighted batch again; empty: no heading is highlighted."""
        return again_command(self.group) if self.group is not None else ""

    @property
    def reasons(self) -> str:
        """Why runs of the highlighted batch failed, a line for each."""
        return "\n".join(f"{one.spec.test_id}: {one.summary}" for one in self._failed)

    @property
    def _failed(self) -> Sequence[RunRecord]:
        """The runs of the highlighted batch that failed."""
        return [one for one in self.group.records if one.outcome in FAILURES] if self.group is not None else []

    def open_source(self) -> None:
        """Open the editor at the line of the model that the highlighted run, a bisection, names.

        Of an extraction, the manifest with its ops.
        """
        if place := self._source:
            self._context.files.edit_file(*place)

    @property
    def _source(self) -> tuple[str, int] | None:
        """The file and line that the highlighted run names."""
        record = self.current
        if record is None:
            return None
        if record.spec.kind == EXTRACT_KIND and record.said.file:
            return record.said.file, 1
        place = record.said.line
        return (str(record.spec.cwd / place[0]), place[1]) if place else None

    def compare(self) -> None:
        """Compare the logs of two marked runs, or of the marked one and the highlighted one."""
        chosen = self._compared()
        if len(chosen) == 2:
            one, other = chosen
            work = partial(compare_logs, one, other)
            self._context.background.run("compare", work, self._show_comparison, asks=True)

    def _compared(self) -> list[RunRecord]:
        chosen, current = self._chosen(), self.current
        if len(chosen) == 1 and current is not None and chosen[0] is not current:
            chosen = [record for record in reversed(self.listed) if record in (chosen[0], current)]
        return chosen

    def missing_for(self, need: Need) -> bool | None:
        """Whether what a command needs is missing; None where that is not about the list."""
        match need:
            case Need.RUNS:
                return not len(self.table.source)
            case Need.RUN:
                return self.current is None
            case Need.SOURCE:
                return self._source is None
            case Need.FAILURE:
                current = self.current
                return current.outcome is Outcome.PASS if current is not None else not self._failed
            case Need.RUNNING:
                return not any(record.active for record in self._chosen())
            case Need.QUEUED:
                return not self._queued()
            case Need.TWO_RUNS:
                return len(self._compared()) != 2
            case Need.OTHER_CHECKOUTS:
                return len(self._session.all_runs) == len(self._session.runs) and not self.everywhere
            case _:
                return None

    def _show_comparison(self, lines: Sequence[str]) -> None:
        if lines:
            self._screen.app.push_screen(LogDiff(lines))
        else:
            self._context.notify.info("The logs differ only in times, addresses and names of runs.")

    def run_again(self) -> None:
        """Start the same runs once more."""
        if again := self._chosen():
            self._context.runs.start_again(again)
            self.table.unmark()

    def hold(self) -> None:
        """Hold queued runs, or release them where all of them are on hold."""
        queued = self._queued()
        held = not all(record.held for record in queued)
        done = "on hold" if held else "released"
        self._in_queue(queued, lambda queue, run_id: queue.hold(run_id, held), done)

    def put_first(self) -> None:
        """Move queued runs to the front of the queue, in their order."""
        # Each goes before those that were moved already, so the last comes first.
        self._in_queue(self._queued()[::-1], Queue.put_first, "at the front of the queue")

    def put_last(self) -> None:
        """Move queued runs to the end of the queue."""
        self._in_queue(self._queued(), Queue.put_last, "at the end of the queue")

    def _in_queue(self, queued: Sequence[RunRecord], act: Callable[[Queue, str], None], done: str) -> None:
        """Change the place of runs; of several, it is said what was `done`."""

        def change(queue: Queue) -> None:
            for record in queued:
                act(queue, record.spec.run_id)

        if queued:
            self._context.runs.change_queue(change)
            self.table.unmark()
        if len(queued) > 1:
            self._context.notify.info(f"{len(queued):,} runs: {done}.")

    def _queued(self) -> list[RunRecord]:
        """The chosen runs that are queued."""
        return [record for record in self._chosen() if record.state is RunState.QUEUED]

    def cancel(self) -> None:
        """Stop the runs that have not ended, after asking."""
        chosen = self._chosen()
        active = [record for record in chosen if record.active]
        ids = [record.spec.run_id for record in active]
        one = len(ids) == 1
        title = f"Stop run {ids[0]}?" if one else f"Stop {len(ids):,} runs?"
        body = active[0].spec.test_id if one else "\n".join(record.spec.test_id for record in active[:_NAMED])
        more = f"\nand {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        question = Confirm(title, body + more, verb="stop it" if one else "stop them")
        self._screen.app.push_screen(question, lambda yes: self._cancel(ids) if yes else None)

    def _cancel(self, ids: Sequence[str]) -> None:
        self._context.runs.cancel(ids)
        self.table.unmark()


def _last_line(record: RunRecord) -> str:
    try:
        return last_line(record.log)
    except TTMatrixError as error:
        return one_line(error.title)


class LogDiff(WholeDialog[None]):
    """Shows lines of a unified diff as they were written, made safe to show here."""

    KEYS = (
        *(DialogKey(key, "", "scroll", of=LinesView) for key in ("up", "down", "pageup", "pagedown")),
        *(DialogKey(key, "", "sideways", of=LinesView) for key in ("left", "right")),
        DialogKey("q", "leave", "", "Close"),
    )

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = [one_line(line) for line in lines]
        self._view = LinesView(diff_style, id="text")

    def body(self) -> ComposeResult:
        yield self.rule
        yield self._view

    def rules(self) -> Mapping[Widget, PaneRule]:
        return {self._view: self.rule}

    def on_mount(self) -> None:
        self.rule.say("Two logs", "without times, addresses and names of runs")
        self._view.show(TextLines(self._lines))
        self._view.focus()
