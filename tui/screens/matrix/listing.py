# SPDX-License-Identifier: Apache-2.0
"""The tests of the matrix as table, groups or grid, and what is under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from core import ci, evidence, kinds
from core.matrix.query import NUMBERS, RESULT, VERDICT
from core.matrix.view import FROM_RESULTS, Targets, View, ViewSpec
from core.providers import RUNS, waiting_words
from core.workspace import Workspace
from tui import view_models, widgets
from tui.protocol import Context
from tui.view_models import MatrixRows, TreeRows
from tui.widgets import MatrixTable, RowTable

if TYPE_CHECKING:
    from core.kinds import Kind
    from core.matrix.query import Query
    from tui.view_models import OutcomeLook
    from tui.widgets import MatrixGrid

_OF_DETAIL = ("jobs",)
"""Facts that the detail shows beside what the index holds; the table never waits for them."""
_NO_TESTS = (
    "Tests of models: what is expected of each, where, and how it ran. The checkout has none:"
    " a loader in third_party/tt_forge_models adds some."
)


class Spot(NamedTuple):
    """The scroll position and cursor of a table, by the keys of rows: others may come before them meanwhile."""

    cursor: str = ""
    """The key of the row under the cursor; empty: the first row."""
    above: int = 0
    """Number of visible rows above it."""
    column: int = 0
    """The column under the cursor, in a grid."""
    opened: tuple[str, ...] = ()
    """The groups that are unfolded."""


class MatrixPlace(NamedTuple):
    """The view of the matrix that going back returns to."""

    view: ViewSpec
    spot: Spot
    zoomed: str
    """The pane that has the whole screen."""


class Listing:
    """Shows what the view of the session holds."""

    def __init__(self, context: Context, show_grid: Callable[[MatrixGrid], None]) -> None:
        """`show_grid` puts the grid on the screen; it is made when it is first asked for."""
        self._context = context
        self._session = context.session
        self._view = context.session.view
        self._show_grid = show_grid
        self._grid: MatrixGrid | None = None
        self._last_runs: Mapping[str, Mapping[str, OutcomeLook]] = {}
        """By column, then by id."""
        self._shown_rows: object = self._view.rows
        self._shown_cells: object = None
        self.table = MatrixTable(self.rows(frozenset()), id="table")
        self._say_when_empty(self.table)

    @property
    def view(self) -> View:
        """The view that is shown."""
        return self._view

    @property
    def grid(self) -> MatrixGrid:
        """The tests as a grid."""
        if self._grid is None:
            self._grid = widgets.MatrixGrid(id="grid")
            self._show_grid(self._grid)
        return self._grid

    @property
    def front(self) -> RowTable:
        """The table or the grid, whichever is shown."""
        return self.grid if self._view.grid else self.table

    @property
    def tables(self) -> Sequence[RowTable]:
        """The table, and the grid once it is there."""
        return [self.table] if self._grid is None else [self.table, self._grid]

    # What is shown

    def rows(self, opened: frozenset[str]) -> MatrixRows | TreeRows:
        """The rows of the view; in groups, those in `opened` are unfolded."""
        view = self._view
        verdicts = None
        if FROM_RESULTS & {*view.table_columns, view.sort_key}:
            self._context.facts.request_verdicts()
            verdicts = self._session.verdicts
        if {VERDICT, *NUMBERS} & {*view.table_columns, view.sort_key}:
            self._context.facts.request((RUNS,))
        rows = MatrixRows(view, self._last_runs, self._session.edited, verdicts)
        return TreeRows(view.tree(opened), view, rows) if view.group and not view.missing() else rows

    @property
    def _opened(self) -> frozenset[str]:
        """The groups that are unfolded now."""
        source = self.table.source
        if isinstance(source, TreeRows) and source.tree.grouping == self._view.group:
            return source.tree.opened
        return frozenset()

    def show(self, keep: str | None = None) -> None:
        """Show what the view now holds, with the cursor on `keep`, or else on what it was on."""
        self._shown_rows = self._view.rows
        self._say_when_empty(self.front)
        if self._view.grid:
            self._context.facts.request((RUNS,))
            self._shown_cells = self._view.cells()
            self.grid.show_grid(self._shown_cells, self._view.heat)
        else:
            self.table.show(self.rows(self._opened), keep=keep or self.table.cursor_key)

    def take_results(self) -> None:
        """Show the results of the tests in a grid, if they have been read since it was made."""
        if self._view.grid and not self._view.missing() and self._view.cells() is not self._shown_cells:
            self.show()

    def _say_when_empty(self, table: RowTable) -> None:
        """Why there is no row, and what to do; nothing while facts are read that the query asks for."""
        keymap = self._context.keymap
        if not self._view.matrix.ids:
            table.say_when_empty(_NO_TESTS)
            return
        words = f"{keymap.key('matrix.filter')} changes it, {keymap.key('app.back')} clears it."
        table.say_when_empty("" if self._view.missing() else f"No test matches the filter: {words}")

    @property
    def spot(self) -> Spot:
        """The scroll position and cursor of the table."""
        front = self.front
        column = self.grid.column if self._view.grid else 0
        above = front.cursor - front.scroll_offset.y
        return Spot(front.cursor_key or "", max(0, above), column, tuple(sorted(self._opened)))

    def begin_at(self, spot: Spot) -> None:
        """Show that of the view; to be called before the first frame, and for a grid once it is on the screen."""
        if not self._view.grid:
            self.table.source = self.rows(frozenset(spot.opened))
        elif self._grid is not None:
            self._grid.column = spot.column
        else:
            return
        self.front.begin_at(spot.cursor, spot.above)

    def restore(self, spot: Spot) -> None:
        """Show that of the view again, which is on the screen already."""
        if self._view.grid:
            self.grid.column = spot.column
        elif not self._view.missing():
            self.table.show(self.rows(frozenset(spot.opened)))
        self.front.go_to(spot.cursor, spot.above)

    @property
    def outdated(self) -> bool:
        """Whether the view holds other rows than are shown."""
        return self._view.rows is not self._shown_rows

    def repaint(self) -> None:
        """Show the same rows with what their cells say now."""
        if not self._view.missing():
            self.table.source = self.rows(self._opened)
            self.table.repaint_rows()

    def take_runs(self) -> bool:
        """Take in how runs are now; returns whether the order of the rows may be another by that."""
        view = self._view
        self._last_runs = view_models.last_runs(self._session.runs, self._session.ages)
        view.runs = {name: {id: look.word for id, look in found.items()} for name, found in self._last_runs.items()}
        if self._session.verdicts:
            verdicts = self._session.verdicts
            view.runs[RESULT] = {id: verdicts.result_words(id) for id in verdicts.results}
        if view.judged and view.sort_key == VERDICT:
            matrix = view.matrix
            view.runs[VERDICT] = {id: view.judged.words(matrix, row, view.lens) for row, id in enumerate(matrix.ids)}
        if view.judged and view.sort_key in NUMBERS:
            view.runs[view.sort_key] = view.judged.number_words(view.sort_key, view.lens)
        if view.sort_key not in view.runs:
            return False
        view.sort(view.sort_key, descending=view.descending)
        return True

    # What is under the cursor

    @property
    def current(self) -> str | None:
        """The id under the cursor; None where that is no single test."""
        key = None if self._view.grid else self.table.cursor_key
        return key if key in self._view.matrix.rows else None

    @property
    def unmarked(self) -> bool:
        """Whether it is known that nothing is marked."""
        return self._session.marks_known and not self._view.marks

    def chosen(self) -> Sequence[str]:
        """The ids under the cursor: one, or those of a group or a cell."""
        if self._view.grid:
            query = self.grid.cell_query
            rows = self._view.select(query) if query else []
            return [self._view.matrix.ids[row] for row in rows]
        group = self.table.heading
        return group.ids() if group else [self.current] if self.current else []

    def targets(self) -> Targets:
        """The tests of an action: the marked ones, else those under the cursor."""
        return self._view.targets(self.chosen())

    @property
    def cell_query(self) -> Query | None:
        """The query of the cell under the cursor; None where the grid is not shown or no test is in the cell."""
        return self.grid.cell_query if self._view.grid else None

    def fold(self) -> bool:
        """Unfold or fold the group whose heading is under the cursor; returns whether there is one."""
        group, source = self.table.heading, self.table.source
        if self._view.grid or group is None:
            return False
        self.table.action_fold(isinstance(source, TreeRows) and group.text not in source.tree.opened)
        return True

    def detail(self) -> Text:
        """All about what is under the cursor."""
        session = self._session
        if self._view.grid:
            return view_models.group_text(self.grid.cell_title, self.chosen())
        if group := self.table.heading:
            return view_models.group_text(group.text, group.ids())
        if self.current is None:
            missing = self._view.missing()
            return Text(waiting_words(missing) if missing else "No test matches the filter.")
        kind = session.kind_of(self.current)
        if kind is None or kind.written is kinds.Written.ENTRY:
            return self._entry_detail(self.current)
        return self._detail(kind, self.current)

    def _detail(self, kind: Kind, id: str) -> Text:
        """The detail of a row by its kind, with jobs, runs, and results on backends."""
        self._context.facts.request_details(kind.details())
        session, matrix = self._session, self._view.matrix
        workspace = session.workspace
        runs = [record for record in session.runs if record.spec.test_id == id]
        sections, jobs = kind.sections(matrix, id, workspace), kind.job_lines(matrix, id, workspace)
        text = view_models.row_text(
            id,
            sections,
            jobs,
            runs,
            session.ages,
            in_ci="job" in kind.fields,
            performance=session.performance_of(id),
        )
        return text + self._backends_text(id) if kind.on_backends else text

    def _backends_text(self, id: str) -> Text:
        """The results of a row on backends; nothing until they are read."""
        self._context.facts.request_verdicts()
        verdicts = self._session.verdicts
        if verdicts is None:
            return Text("\nresults: …\n", "dim")
        judged = verdicts.on_cases.judged.get(id, ()) if verdicts.on_cases else ()
        return view_models.op_results_text(verdicts.of_cases.get(id, {}).values(), judged)

    def _entry_detail(self, id: str) -> Text:
        session = self._session
        self._context.facts.request(_OF_DETAIL)
        self._context.facts.request_fetched(id)
        selected, row = session.selected, session.matrix.rows[id]
        jobs = None if selected is None else [ci.job_name(job) for job in selected.of(row)]
        runs = [record for record in session.runs if record.spec.test_id == id]
        self._context.facts.request_verdicts()
        verdicts = session.verdicts
        judged = (verdicts.of(id) if id in verdicts.matrix.rows else ()) if verdicts else None
        counting = verdicts.series(id) if verdicts else {}
        drifts = evidence.drifts_of({arch: one.rows for arch, one in counting.items()})
        return view_models.detail_text(
            session.workspace.described(id),
            runs,
            jobs,
            judged,
            session.ages,
            session.performance_of(id),
            drifts,
            session.workspace.known_fetched(id),
            self._context.facts.lacking(),
            examined=session.workspace.known(Workspace.model_infos) is not None,
        )
