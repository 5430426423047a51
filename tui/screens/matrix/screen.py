# SPDX-License-Identifier: Apache-2.0
"""The main screen: filter line, facets, the tests as table, groups or grid, and the detail of one of them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from core.matrix.query import Query
from core.matrix.view import EVIDENCE, ViewSpec
from core.providers import waiting_words
from core.text import one_line
from tui.commands import Where, bindings
from tui.protocol import Host
from tui.screens.matrix.filter import FACETS_FROM, FilterActions
from tui.screens.matrix.tests import TestActions
from tui.screens.matrix.views import ViewActions
from tui.session import Session
from tui.view_models import MatrixRows, TreeRows, count_text, counted
from tui.widgets import CachedBox, CachedText, FilterBar, KeyLine, MatrixTable, RestingText, RowTable

if TYPE_CHECKING:
    from tui.view_models import OutcomeLook
    from tui.widgets import MatrixGrid

_DETAIL_FROM = 32
"""Terminal height from which the detail is."""
_OF_DETAIL = ("jobs",)
"""Facts that the detail shows beside what the index holds; the table never waits for them."""


class MatrixScreen(ViewActions, TestActions, FilterActions):
    """Find tests, look at them, and start what is to be done with them."""

    CSS_PATH = None
    """How it stands is told by the app's own sheet: with the first frame there is one sheet less to read."""
    AUTO_FOCUS = "#table"
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.MATRIX)

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__(session, host)
        # Held, not looked up: what follows the cursor may come due while the screen is taken apart.
        self.detail = RestingText(self._detail, id="detail")
        self._last_runs: Mapping[str, Mapping[str, OutcomeLook]] = {}
        """By column, then by id."""

    def places(self) -> tuple[Where, ...]:
        return (Where.MATRIX, Where.TABLE, Where.CELLS if self.session.view.grid else Where.TREE)

    def compose(self) -> ComposeResult:
        # Each splits off its part of what those before it have left: a key passes few widgets, and so does a frame.
        yield CachedText("", id="title", markup=False)
        yield FilterBar(str(self.session.view.query), self.filter_by, self.leave_filter, self.complete)
        yield KeyLine()
        yield CachedBox(id="facet-box", classes="shown" if self.app.size.width >= FACETS_FROM else "")
        self.table = MatrixTable(self._rows(), id="table")
        yield self.table
        yield Static("", id="cell-line", markup=False)
        self.detail.set_class(self.app.size.height >= _DETAIL_FROM, "shown", update=False)
        yield self.detail

    def on_mount(self) -> None:
        self.start_trail()
        self.follow(self.host.matrix_changed, self.show_rows)
        self.follow(self.host.runs_changed, self._runs_changed)
        self.follow(self.host.pending_changed, self._cells_changed)
        self.follow(self.host.facts_learned, self._facts_learned)
        self._shown_rows = self.session.view.rows
        self.table.focus()
        self._say()
        self.host.learn(self.session.view.missing())
        self.host.after_first_frame(self.count_facets_soon)

    @cached_property
    def grid(self) -> "MatrixGrid":
        """The grid, made when it is first asked for."""
        from tui.widgets import MatrixGrid

        grid = MatrixGrid(id="grid")
        self.mount(grid, after=self.table)
        return grid

    @property
    def shown(self) -> RowTable:
        """The table or the grid, whichever is in front."""
        return self.grid if self.session.view.grid else self.table

    # What is shown

    def _rows(self) -> MatrixRows | TreeRows:
        view = self.session.view
        verdicts = None
        if EVIDENCE in view.columns:
            self.host.want_evidence()
            verdicts = self.session.verdicts
        rows = MatrixRows(view, self._last_runs, self.session.edited, verdicts)
        return TreeRows(view.tree(self._opened()), view, rows) if view.group else rows

    def _opened(self) -> frozenset[str]:
        """The groups that are open now."""
        source = self.table.source
        if isinstance(source, TreeRows) and source.tree.grouping == self.session.view.group:
            return source.tree.opened
        return frozenset()

    def show_view(self) -> None:
        """Show another query in another way."""
        self.query_one(FilterBar).input.show(str(self.session.view.query))
        self.refused = False
        self.show_rows()

    def show_rows(self, keep: str | None = None) -> None:
        """Show what the view now holds, with the cursor on `keep`, or else on what it was on.

        A query that waits for facts leaves the table as it is; the view holds no rows, so nothing can be done to them.
        """
        view = self.session.view
        self._say()
        if missing := view.missing():
            self.host.learn(missing)
            return
        self._shown_rows = view.rows
        gridded = bool(view.grid)
        had_focus = self.focused is not None and self.focused.id in ("table", "grid")
        self.set_class(gridded, "gridded")
        if gridded:
            self.grid.show_grid(view.cells())
        else:
            self.table.show(self._rows(), keep=keep or self.table.cursor_key)
        if had_focus:
            self.shown.focus()
        self.count_facets_soon()

    def _runs_changed(self) -> None:
        # Imported here because the first frame shows no run.
        from tui.view_models import last_runs

        view = self.session.view
        self._last_runs = last_runs(self.session.runs, self.session.ages)
        view.runs = {name: {id: look.word for id, look in found.items()} for name, found in self._last_runs.items()}
        if view.sort_key in view.runs:
            view.sort(view.sort_key, descending=view.descending)
            self.show_rows()
        else:
            self._cells_changed()

    def _facts_learned(self) -> None:
        if self.session.view.rows is not self._shown_rows:
            self.answer()
        else:
            self.count_facets()
            if EVIDENCE in self.session.view.columns:
                self._cells_changed()
        self.detail.follow_soon()

    def _cells_changed(self) -> None:
        if not self.session.view.missing():
            self.table.source = self._rows()
            self.table.repaint_rows()
        self._say()
        self.detail.follow_soon()

    def marks_changed(self) -> None:
        self.host.keep_marks()
        self.table.repaint_rows()
        self._say()

    def _say(self) -> None:
        view = self.session.view
        order = "" if view.grid or (view.sort_key == "id" and not view.descending) else view.sort_key
        self.title_line(
            f"arch: {view.lens}" if view.lens else "",
            f"grouped by {view.group}" if view.group and not view.grid else "",
            f"sorted by {order}{' ↓' if view.descending else ''}" if order else "",
            one_line(self.session.checkout.root.name),
            counted(len(view.matrix.findings), "finding") if view.matrix.findings else "",
        )
        if self.refused:
            return
        if missing := view.missing():
            self.query_one(FilterBar).note(waiting_words(missing))
            return
        note = count_text(view)
        if not view.rows and (words := " ".join(view.query.values_of(""))):
            nearest = view.matrix.closest(words, 1)
            note += f" · nearest: {nearest[0]}" if nearest else ""
        self.query_one(FilterBar).note(note)

    # Going somewhere

    def go_to(self, id: str) -> None:
        """Put the cursor on a test, and clear the filter if it hides it."""
        view = self.session.view
        hidden = view.position_of(id) is None
        if hidden or view.grid or view.group:
            self._change(query=Query() if hidden else view.query, grid="", group="")
        self.table.show(self._rows(), keep=id)
        self.table.focus()

    def go_to_tests(self, query: Query) -> None:
        """Show the tests that a query selects, in the table."""
        self.go(ViewSpec(query))
        self.table.focus()

    def go_back(self) -> None:
        """One level back: the whole screen, an open range, the panel that has the focus, then the filter."""
        if self.has_class("zoomed"):
            self.action_zoom()
        elif self.table.range_start is not None:
            self.table.range_start = None
            self.table.repaint_rows()
        elif not self.shown.has_focus:
            self.shown.focus()
        else:
            self.query_one(FilterBar).input.value = ""

    # What is under the cursor

    @property
    def current(self) -> str | None:
        key = None if self.session.view.grid else self.table.cursor_key
        return key if key in self.session.matrix.rows else None

    def chosen(self) -> Sequence[str]:
        if self.session.view.grid:
            query = self.grid.cell_query
            rows = self.session.view.select(query) if query else []
            return [self.session.matrix.ids[row] for row in rows]
        group = self.table.heading
        return group.ids() if group else [self.current] if self.current else []

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        event.stop()
        if event.table is not self.shown:
            return
        if self.session.view.grid:
            words = Text(self.grid.cell_words, no_wrap=True, overflow="ellipsis")
            self.query_one("#cell-line", Static).update(words, layout=False)
        self.detail.follow_soon()

    def action_enter(self) -> None:
        """What is in what is under the cursor: the tests of a cell or a group, the detail of a test."""
        if self.session.view.grid:
            if query := self.grid.cell_query:
                self._change(query=query, grid="", group="")
            else:
                self.host.say("No test is in this cell.")
        elif group := self.table.heading:
            source = self.table.source
            self.table.action_fold(isinstance(source, TreeRows) and group.text not in source.tree.opened)
        else:
            self.action_detail()

    def action_detail(self) -> None:
        self.detail.toggle_class("shown")
        self.detail.follow_soon()

    def action_zoom(self) -> None:
        """The detail alone, to be read and scrolled, or beside the tests as before."""
        zoomed = not self.has_class("zoomed")
        self.set_class(zoomed, "zoomed")
        self.detail.follow_soon()
        # Only what can be seen can have the focus.
        self.call_after_refresh((self.detail.pane if zoomed else self.shown).focus)

    def _detail(self) -> Text:
        # Imported here because the first frame has no detail: the cursor has not rested.
        from core.ci import job_name
        from tui.view_models import detail_text, group_text

        if self.session.view.grid:
            return group_text(self.grid.cell_title, self.chosen())
        if group := self.table.heading:
            return group_text(group.text, group.ids())
        if self.current is None:
            return Text("No test matches the filter.")
        self.host.learn(_OF_DETAIL)
        selected, row = self.session.selected, self.session.matrix.rows[self.current]
        jobs = None if selected is None else [job_name(job) for job in selected.of(row)]
        runs = [record for record in self.session.runs if record.spec.test_id == self.current]
        self.host.want_evidence()
        verdicts = self.session.verdicts
        judged = verdicts.of(self.current) if verdicts and self.current in verdicts.matrix.rows else ()
        return detail_text(self.session.describe(self.current), runs, jobs, judged, self.session.ages)
