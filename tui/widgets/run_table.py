# SPDX-License-Identifier: Apache-2.0
"""The table of runs: running and queued ones before those that ended, with marks on some of them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from textual.message import Message

from core.runs import Age
from core.runs.store import RunRecord
from tui.commands import Hint, Need, Where, command
from tui.view_models import run_rows
from tui.widgets.log_view import LogView
from tui.widgets.row_table import RowTable


class RunTable(RowTable):
    """Shows runs; `marks` are ids of some of them."""

    class Opened(Message):
        """The run under the cursor is to be shown."""

    class Marked(Message):
        """Other runs are marked."""

    def __init__(self, to_log: Callable[[], LogView], *, id: str) -> None:
        """`to_log` hands the keys to the log of the highlighted run, which it returns."""
        self._to_log = to_log
        self.marks: set[str] = set()
        self._last_lines: dict[str, str] = {}
        """The last lines of running runs, by run id."""
        super().__init__(run_rows(()), id=id)

    def places(self) -> tuple[Where, ...]:
        return (Where.RUN_TABLE, *super().places())

    def show_runs(
        self,
        records: Sequence[RunRecord],
        keep: str | None,
        ages: Mapping[str, Age] = MappingProxyType({}),
        *,
        with_checkout: bool = False,
    ) -> None:
        """Show runs, given newest first, with the cursor on the run of id `keep`; `ages` are by run id."""
        self.marks &= {record.spec.run_id for record in records}
        rows = run_rows(records, self.marks, ages=ages, last_lines=self._last_lines, with_checkout=with_checkout)
        self.show(rows, keep=keep)

    def show_last_lines(self, lines: Mapping[str, str]) -> None:
        """Show what running runs printed last, by run id."""
        if lines != self._last_lines:
            self._last_lines.clear()
            self._last_lines.update(lines)
            self.repaint_rows()

    @command("runs.mark", Where.RUN_TABLE, "space", "Mark", "Mark or unmark the run", footer=True, needs=Need.RUN)
    def action_mark(self) -> None:
        if self.cursor_key is not None:
            self.marks ^= {self.cursor_key}
            self.repaint_rows()
            self.action_move(1)
            self.post_message(self.Marked())

    def unmark(self) -> None:
        self.marks.clear()
        self.repaint_rows()
        self.post_message(self.Marked())

    # Searching in the log from here

    @command(
        "runs.enter",
        Where.RUN_TABLE,
        "enter",
        "Log",
        "Show the log of the run on the whole screen",
        needs=Need.RUN,
        hint=Hint("log", "{runs.enter} shows the log full size", also=("app.zoom",)),
    )
    def action_open(self) -> None:
        self.post_message(self.Opened())

    @command(
        "runs.search",
        Where.RUN_TABLE,
        "slash",
        "Search",
        "Find text in the log",
        action="ask('/')",
        ahead=True,
        needs=Need.RUN,
    )
    @command(
        "runs.filter",
        Where.RUN_TABLE,
        "ampersand",
        "Filter",
        "Filter the log",
        action="ask('&')",
        ahead=True,
        needs=Need.RUN,
    )
    def action_ask(self, what: str) -> None:
        self._to_log().action_ask(what)

    @command(
        "runs.next_hit", Where.RUN_TABLE, "n", "Next", "Next hit of the search in the log", action="next_hit(True)"
    )
    @command(
        "runs.hit_before",
        Where.RUN_TABLE,
        "N",
        "Previous",
        "Previous hit of the search in the log",
        action="next_hit(False)",
    )
    def action_next_hit(self, forward: bool) -> None:
        self._to_log().action_next_hit(forward)

    @command(
        "runs.error", Where.RUN_TABLE, "e", "Error", "Next error in the log", action="next_error(True)", needs=Need.RUN
    )
    @command("runs.error_before", Where.RUN_TABLE, "E", "Error before", "Previous error", action="next_error(False)")
    def action_next_error(self, forward: bool) -> None:
        self._to_log().action_next_error(forward)
