# SPDX-License-Identifier: Apache-2.0
"""What a person does to runs: again, compared, held, put first, stopped."""

from collections.abc import Sequence

from core.runs.log_compare import compare_logs
from core.runs.record import RunRecord, RunState
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.log_diff import LogDiff
from tui.widgets.run_table import RunTable


class RunActs(SessionScreen):
    """Acts on the marked runs of its table, else on the highlighted one."""

    @property
    def table(self) -> RunTable:
        return self.query_one(RunTable)

    @property
    def current(self) -> RunRecord | None:
        """The highlighted run."""
        key = self.table.cursor_key
        return next((record for record in self.session.runs if record.spec.run_id == key), None)

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
        marked = [record for record in reversed(self.session.runs) if record.spec.run_id in self.table.marks]
        return marked or ([self.current] if self.current is not None else [])

    def action_compare(self) -> None:
        """The marked run against this one, or two marked ones."""
        chosen = self._marked()
        if len(chosen) == 1 and self.current is not None and chosen[0] is not self.current:
            chosen = [record for record in reversed(self.session.runs) if record in (chosen[0], self.current)]
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
        record = self._queued()
        if record is not None:
            self.host.change_queue(lambda queue: queue.hold(record.spec.run_id, not record.held))

    def action_put_first(self) -> None:
        record = self._queued()
        if record is not None:
            self.host.change_queue(lambda queue: queue.put_first(record.spec.run_id))

    def _queued(self) -> RunRecord | None:
        """The highlighted run, if it waits; else a word about that."""
        if self.current is None or self.current.state is not RunState.QUEUED:
            self.host.say("This run does not wait any more.")
            return None
        return self.current

    def action_cancel_run(self) -> None:
        record = self.current
        if record is None or not record.active:
            self.host.say("This run is over.")
            return
        question = Confirm(f"Stop run {record.spec.run_id}?", record.spec.test_id, verb="stop it")
        self.app.push_screen(question, lambda yes: self.host.cancel_run(record.spec.run_id) if yes else None)
