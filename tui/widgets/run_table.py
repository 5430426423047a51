# SPDX-License-Identifier: Apache-2.0
"""The table of runs: running and queued ones before those that ended, with marks on some of them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from core.runs import Age
from core.runs.store import RunRecord
from tui.commands import Where, bindings
from tui.view_models import run_rows
from tui.widgets.log_view import LogView
from tui.widgets.row_table import RowTable


class RunTable(RowTable):
    """Shows runs; `marks` are ids of some of them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.RUN_TABLE)

    class Opened(Message):
        """The run under the cursor is to be shown."""

    class Marked(Message):
        """Other runs are marked."""

    def __init__(self, to_log: Callable[[], LogView], *, id: str) -> None:
        """`to_log` hands the keys to the log of the highlighted run, which it returns."""
        self._to_log = to_log
        self.marks: set[str] = set()
        self._last_lines: dict[str, str] = {}
        """What running runs printed last, by run id."""
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

    def action_mark(self) -> None:
        if self.cursor_key is not None:
            self.marks ^= {self.cursor_key}
            self.repaint_rows()
            self.action_move(1)
            self.post_message(self.Marked())

    def action_unmark(self) -> None:
        self.marks.clear()
        self.repaint_rows()
        self.post_message(self.Marked())

    # Searching in the log from here

    def action_ask(self, what: str) -> None:
        self._to_log().action_ask(what)

    def action_next_hit(self, forward: bool) -> None:
        self._to_log().action_next_hit(forward)

    def action_next_error(self, forward: bool) -> None:
        self._to_log().action_next_error(forward)

    def action_open(self) -> None:
        self.post_message(self.Opened())
