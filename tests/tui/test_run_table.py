# SPDX-License-Identifier: Apache-2.0
"""The keys of the table of runs: what folds and unfolds batches, marks them, and finds a run that is hidden."""

from dataclasses import replace

from textual.app import ComposeResult

from core.runs.store import RunRecord
from tests.support.app import ThemedApp
from tests.tui.view_models.test_batches import passed
from tui.view_models.batches import FOLDED_FROM
from tui.widgets import LogView, RunTable


class RunsApp(ThemedApp):
    """Nothing but the table."""

    def compose(self) -> ComposeResult:
        yield RunTable(lambda: self.query_one(LogView), id="runs")

    @property
    def table(self) -> RunTable:
        return self.query_one(RunTable)


def _batch(count: int, name: str = "1") -> list[RunRecord]:
    return [passed(name, f"m/{at}") for at in range(count)]


async def test_a_batch_is_unfolded_and_folded_from_its_heading_and_from_its_runs() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        table.show_runs(_batch(FOLDED_FROM), None)
        assert len(table.rows) == 1
        table.action_fold(False)
        assert len(table.rows) == 1
        table.action_open()
        assert len(table.rows) == FOLDED_FROM + 1 and table.cursor == 0
        table.cursor = 3
        table.action_fold(True)
        assert (len(table.rows), table.cursor) == (FOLDED_FROM + 1, 3)
        table.action_fold(False)
        assert (len(table.rows), table.cursor) == (1, 0)


async def test_all_batches_are_unfolded_and_folded() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        table.show_runs([*_batch(2, "2"), *_batch(FOLDED_FROM)], None)
        assert len(table.rows) == 3 + 1
        table.action_fold_all(True)
        assert len(table.rows) == 3 + FOLDED_FROM + 1
        table.action_fold_all(False)
        assert len(table.rows) == 2


async def test_what_a_person_has_folded_stays_so_while_its_batch_grows() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        table.show_runs(_batch(FOLDED_FROM - 1), None)
        table.action_fold_all(False)
        table.show_runs(_batch(FOLDED_FROM), None)
        assert len(table.rows) == 1
        table.action_fold_all(True)
        table.show_runs(_batch(FOLDED_FROM - 1), None)
        assert len(table.rows) == FOLDED_FROM


async def test_all_are_shown_also_those_that_repeat_a_test() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        again = [passed("1", "m/a") for _ in range(FOLDED_FROM)]
        again = [replace(one, spec=replace(one.spec, run_id=f"1-{at:02}")) for at, one in enumerate(again)]
        table.show_runs([*again, passed("1", "m/b")], None)
        table.action_open()
        assert len(table.rows) == 3, "two headings, and the run beside them"
        table.action_fold_all(True)
        assert len(table.rows) == 3 + FOLDED_FROM
        table.action_fold_all(False)
        assert len(table.rows) == 1


async def test_from_the_heading_of_repetitions_the_cursor_goes_to_that_of_their_batch() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        again = [replace(one, spec=replace(one.spec, run_id=f"1-{at}")) for at in range(2) for one in _batch(1)]
        table.show_runs([*again, passed("1", "m/b"), *_batch(2, "2")], None)
        table.cursor = 1
        assert table.group is not None and table.group.depth == 1
        table.action_fold_all(False)
        assert (len(table.rows), table.cursor) == (2, 0)


async def test_all_runs_of_a_batch_are_marked_at_once_and_no_others() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        table.show_runs([*_batch(2, "2"), *_batch(3)], None)
        table.cursor = 1
        table.action_mark()
        assert table.marks == {"2-m/0"} and table.cursor == 2
        table.cursor = 0
        table.action_mark()
        assert table.marks == {"2-m/0", "2-m/1"}
        table.cursor = 0
        table.action_mark()
        assert not table.marks


async def test_a_hidden_run_is_found_in_its_batch() -> None:
    app = RunsApp()
    async with app.run_test():
        table = app.table
        table.show_runs(_batch(FOLDED_FROM), None)
        table.reveal("gone")
        assert len(table.rows) == 1
        table.reveal("1-m/7")
        assert table.record is not None and table.record.spec.run_id == "1-m/7"
