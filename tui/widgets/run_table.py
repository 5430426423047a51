# SPDX-License-Identifier: Apache-2.0
"""The table of runs in their batches: what goes on before what has ended, with marks on some of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from textual.message import Message

from core.runs import Age
from core.runs.store import RunRecord
from tui.commands import Hint, Need, Where, command
from tui.view_models import RunGroup, RunRows, batch_rows
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
        self._opened: dict[str, bool] = {}
        """By key, whether a person has unfolded a group or folded it. The others are folded where they are long."""
        self._shown: Callable[[], RunRows] = lambda: batch_rows(())
        super().__init__(self._shown(), id=id)

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
        if self.marks:
            self.marks &= {record.spec.run_id for record in records}

        def rows() -> RunRows:
            return batch_rows(
                records,
                self.is_folded,
                self.marks,
                ages=ages,
                last_lines=self._last_lines,
                with_checkout=with_checkout,
            )

        was_empty, found = not len(self.source), rows()
        self._shown = rows
        self.show(found, keep=found.first() if keep is None and was_empty else keep)

    @property
    def rows(self) -> RunRows:
        """The rows that are listed."""
        assert isinstance(self.source, RunRows)
        return self.source

    @property
    def record(self) -> RunRecord | None:
        """The run under the cursor; None: it is on a heading, or nothing is listed."""
        return self.rows.record(self.cursor)

    @property
    def group(self) -> RunGroup | None:
        """The group whose heading is under the cursor."""
        return self.rows.group(self.cursor)

    @property
    def records(self) -> Sequence[RunRecord]:
        """The run under the cursor, or all runs of the group whose heading is there."""
        if self.group is not None:
            return self.group.records
        return [self.record] if self.record is not None else []

    @property
    def last_lines(self) -> Mapping[str, str]:
        """The last lines of running runs, by run id."""
        return self._last_lines

    # Folding

    def is_folded(self, group: RunGroup) -> bool:
        """Whether the runs of a group are hidden."""
        return not self._opened.get(group.key, not group.is_long)

    def reveal(self, run_id: str) -> None:
        """Put the cursor on a run, in an unfolded group."""
        while (at := self.rows.position_of(run_id)) is not None:
            self.cursor = at
            group = self.group
            if group is None or not self.is_folded(group):
                return
            self._fold([group], opened=True, keep=run_id)

    @command("runs.unfold", Where.RUN_TABLE, "l,right", "Unfold", "Show the runs of the batch", action="fold(True)")
    @command("runs.fold", Where.RUN_TABLE, "left", "Fold", "Hide the runs of the batch", action="fold(False)")
    def action_fold(self, opened: bool) -> None:
        """Unfold the group under the cursor, or fold the one the cursor is in."""
        if (heading := self.rows.heading_of(self.cursor) if len(self.rows) else None) is not None:
            group = self.rows.group(heading)
            assert group is not None
            self._fold([group], opened=opened, keep=self.rows.key(heading) if not opened else self.cursor_key)

    @command("runs.unfold_all", Where.RUN_TABLE, "plus", "Unfold all", "Show all runs", action="fold_all(True)")
    @command("runs.fold_all", Where.RUN_TABLE, "underscore", "Fold all", "Show only batches", action="fold_all(False)")
    def action_fold_all(self, opened: bool) -> None:
        self._fold(self.rows.every_group, opened=opened, keep=self.cursor_key)

    def _fold(self, groups: Iterable[RunGroup], *, opened: bool, keep: str | None) -> None:
        self._opened |= {group.key: opened for group in groups}
        self.show(self._shown(), keep=keep)

    def show_last_lines(self, lines: Mapping[str, str]) -> None:
        """Show what running runs printed last, by run id."""
        if lines != self._last_lines:
            self._last_lines.clear()
            self._last_lines.update(lines)
            self.repaint_rows()

    @command("runs.mark", Where.RUN_TABLE, "space", "Mark", "Mark or unmark the run", footer=True, needs=Need.RUNS)
    def action_mark(self) -> None:
        """Mark a run, or all runs of a group; where all are marked, none of them is afterwards."""
        chosen = {one.spec.run_id for one in self.records}
        if chosen:
            if chosen <= self.marks:
                self.marks -= chosen
            else:
                self.marks |= chosen
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
        "Show the whole log, or unfold and fold the batch",
        needs=Need.RUNS,
        hint=Hint("log", "{runs.enter} shows the log full size", also=("app.zoom",)),
    )
    def action_open(self) -> None:
        if self.group is not None:
            self.action_fold(self.is_folded(self.group))
        else:
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
        "runs.next_hit",
        Where.RUN_TABLE,
        "n",
        "Next",
        "Next hit of the search in the log",
        action="next_hit(True)",
        needs=Need.RUN,
    )
    @command(
        "runs.hit_before",
        Where.RUN_TABLE,
        "N",
        "Previous",
        "Previous hit of the search in the log",
        action="next_hit(False)",
        needs=Need.RUN,
    )
    def action_next_hit(self, forward: bool) -> None:
        self._to_log().action_next_hit(forward)

    @command(
        "runs.error", Where.RUN_TABLE, "e", "Error", "Next error in the log", action="next_error(True)", needs=Need.RUN
    )
    @command(
        "runs.error_before",
        Where.RUN_TABLE,
        "E",
        "Error before",
        "Previous error",
        action="next_error(False)",
        needs=Need.RUN,
    )
    def action_next_error(self, forward: bool) -> None:
        self._to_log().action_next_error(forward)
