# SPDX-License-Identifier: Apache-2.0
"""What a person does to runs: again, compared, held, put first, stopped."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label

from core.runs.log import compare_logs
from core.runs.store import Queue, RunRecord, RunState
from core.text import one_line
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm, Dialog
from tui.view_models import diff_style
from tui.widgets import LinesView, RunTable, TextLines


class LogDiff(Dialog[None]):
    """Shows lines of a unified diff, of which nothing is safe to show yet."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Close", show=False)]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = [one_line(line) for line in lines]

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label("Two logs, without times, addresses and names of runs", id="dialog-title")
            yield LinesView(diff_style)
            yield Label(Text("↑ ↓ pgup pgdn scroll   ← → sideways   esc close"), id="dialog-hint")

    def on_mount(self) -> None:
        view = self.query_one(LinesView)
        view.show(TextLines(self._lines))
        view.focus()


_NAMED = 8
"""How many runs a question names."""


class RunActs(SessionScreen):
    """Acts on the marked runs of its table, else on the highlighted one."""

    @property
    def table(self) -> RunTable:
        return self.query_one(RunTable)

    everywhere = False
    """Runs of every checkout are shown."""

    @property
    def shown_runs(self) -> Sequence[RunRecord]:
        """Newest first."""
        return self.session.all_runs if self.everywhere else self.session.runs

    @property
    def current(self) -> RunRecord | None:
        """The highlighted run."""
        key = self.table.cursor_key
        return next((record for record in self.shown_runs if record.spec.run_id == key), None)

    def action_entry(self) -> None:
        record = self.current
        if record is None:
            return
        if record.spec.test_id in self.session.matrix.rows:
            self.host.show_test(record.spec.test_id)
        else:
            self.host.say("The checkout has no such test any more.")

    def _marked(self) -> list[RunRecord]:
        """The marked runs, oldest first; where there are none the highlighted one."""
        marked = [record for record in reversed(self.shown_runs) if record.spec.run_id in self.table.marks]
        return marked or ([self.current] if self.current is not None else [])

    def action_compare(self) -> None:
        """The marked run against this one, or two marked ones."""
        chosen = self._marked()
        if len(chosen) == 1 and self.current is not None and chosen[0] is not self.current:
            chosen = [record for record in reversed(self.shown_runs) if record in (chosen[0], self.current)]
        if len(chosen) != 2:
            self.host.say("Mark two runs with space, or one and go to the other: c compares their logs.")
            return
        one, other = chosen
        self.host.in_thread("compare", lambda: compare_logs(one, other), self._show_comparison)

    def _show_comparison(self, lines: Sequence[str]) -> None:
        if lines:
            self.app.push_screen(LogDiff(lines))
        else:
            self.host.say("The logs differ in nothing but times, addresses and names.")

    def action_run_again(self) -> None:
        if again := self._marked():
            self.host.run_again(again)
            self.table.action_unmark()

    def action_run_rest(self) -> None:
        self.host.run_rest()

    def action_hold(self) -> None:
        if waiting := self._waiting():
            held = not all(record.held for record in waiting)
            self._in_queue(waiting, lambda queue, run_id: queue.hold(run_id, held))

    def action_put_first(self) -> None:
        # Each goes right before those that went first, so the last comes first.
        self._in_queue(self._waiting()[::-1], Queue.put_first)

    def action_put_last(self) -> None:
        self._in_queue(self._waiting(), Queue.put_last)

    def _in_queue(self, waiting: Sequence[RunRecord], act: Callable[[Queue, str], None]) -> None:
        def change(queue: Queue) -> None:
            for record in waiting:
                act(queue, record.spec.run_id)

        if waiting:
            self.host.change_queue(change)
            self.table.action_unmark()

    def _waiting(self) -> list[RunRecord]:
        """Those of the chosen runs that wait; where none does, a word about that."""
        waiting = [record for record in self._marked() if record.state is RunState.QUEUED]
        if not waiting:
            self.host.say("This run does not wait any more." if len(self._marked()) < 2 else "None of them waits.")
        return waiting

    def action_cancel_run(self) -> None:
        going = [record for record in self._marked() if record.active]
        if not going:
            self.host.say("This run is over." if len(self._marked()) < 2 else "All of them are over.")
            return
        ids = [record.spec.run_id for record in going]
        one = len(ids) == 1
        title = f"Stop run {ids[0]}?" if one else f"Stop {len(ids):,} runs?"
        body = going[0].spec.test_id if one else "\n".join(record.spec.test_id for record in going[:_NAMED])
        more = f"\nand {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        question = Confirm(title, body + more, verb="stop it" if one else "stop them")
        self.app.push_screen(question, lambda yes: self._cancel(ids) if yes else None)

    def _cancel(self, ids: Sequence[str]) -> None:
        self.host.cancel_runs(ids)
        self.table.action_unmark()
