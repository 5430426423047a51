# SPDX-License-Identifier: Apache-2.0
"""The main screen: filter line, facets, the tests as table, groups or grid, and the detail of one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.widget import Widget

from core.matrix.query import NUMBERS, VERDICT, Query
from core.matrix.view import FROM_RESULTS, ViewSpec
from tui import view_models
from tui.commands import Changes, Hint, Need, Where, command
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.matrix.extraction import Extraction
from tui.screens.matrix.filter import FACETS_FROM, FacetBox, QueryFilter
from tui.screens.matrix.lacking import missing_for
from tui.screens.matrix.legend import Legend
from tui.screens.matrix.listing import Listing, MatrixPlace, Spot
from tui.screens.matrix.tests import TestActions
from tui.screens.matrix.views import ViewActions
from tui.screens.panes import Divider, Pane
from tui.view_models import counted
from tui.widgets import FacetPanel, FilterBar, MatrixTable, PaneRule, QueryInput, RestingText, RowTable

if TYPE_CHECKING:
    from core.evidence import Page
    from tui.view_models import Meaning
    from tui.widgets import MatrixGrid

_DETAIL_FROM = 32
"""Terminal height from which the detail is shown without being asked for."""


class MatrixScreen(SessionScreen):
    """Find tests, look at them, and start what is to be done with them.

    `listing` shows the tests, `query` and `facets` filter them, `views` changes how they are shown, and `tests` acts on
    them; `below` says what is meant. The actions of the keys are at the end.
    """

    AUTO_FOCUS = "#table"
    PLACES = (Where.MATRIX, Where.TABLE)
    PANES = (
        Pane("tests", ("#table", "#grid", "#cell-line", "#filter-line")),
        Pane("facets", ("#facet-box",)),
        Pane("detail", ("#detail",)),
    )
    DIVIDERS = (
        Divider("#detail", "#detail", after=True, beside=False),
        Divider("#detail", "#detail", after=True, upright=True, beside=True),
        Divider("#facet-box", "#facet-box", upright=True, pane="facets"),
    )

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.listing = Listing(context, self._mount_grid)
        self.filter = QueryFilter(context, self.listing, self.show_rows, lambda: self.views.remember())
        self.views = ViewActions(self, self._show_view)
        self.tests = TestActions(self, self.listing, self._marks_changed)
        self.extraction = Extraction(self, self.listing)
        self.below = Legend(self.listing, self.messages.rest)
        # Attributes, not looked up: what follows the cursor may come due while the screen is taken apart.
        self.detail = RestingText(self.listing.detail, id="detail", title="The test")
        self.facets = FacetBox(context, shown=False)
        self._spot = Spot()

    def places(self) -> tuple[Where, ...]:
        pane = self.panes.focused
        if pane == "detail":
            return (Where.MATRIX, Where.TEXT)
        if pane == "facets":
            return (Where.MATRIX, Where.FACETS, Where.TABLE)
        return (*self.PLACES, *((Where.GRID, Where.CELLS) if self.session.view.grid else (Where.TREE,)))

    @property
    def table(self) -> MatrixTable:
        return self.listing.table

    @property
    def grid(self) -> MatrixGrid:
        return self.listing.grid

    @property
    def current(self) -> str | None:
        """The id under the cursor; None where that is no single test."""
        return self.listing.current

    def compose(self) -> ComposeResult:
        # Each splits off its part of what those before it have left: a key passes few widgets, and so does a frame.
        yield self.top
        yield self.filter.bar
        yield self.key_line
        yield self.messages
        self.facets.set_class(self.app.size.width >= FACETS_FROM, "shown", update=False)
        self.detail.set_class(self.beside, "beside", update=False)
        self.detail.set_class(self.beside or self.app.size.height >= _DETAIL_FROM, "shown", update=False)
        yield self.facets
        if self.beside:
            yield self.detail
        yield self.table
        yield self.below.cell
        if not self.beside:
            yield self.detail

    def rules(self) -> Mapping[str, PaneRule | FilterBar]:
        return {"tests": self.filter.bar, "detail": self.detail.rule}

    def legend(self) -> Sequence[Meaning]:
        return view_models.legend(Where.MATRIX, self.session.matrix, grid=bool(self.session.view.grid))

    def query_fields(self) -> Callable[[], Sequence[tuple[str, str]]]:
        return partial(view_models.query_help, self.session.view.scope)

    def type_query(self, text: str) -> None:
        """Go on with the query by `text`, as if the person had typed it."""
        line = self.filter.bar.input
        self.set_focus(line)
        line.value = f"{line.value.rstrip()} {text}".lstrip()
        line.cursor_position = len(line.value)

    def begin_at(self, spot: Spot) -> None:
        """Have the first frame show the view around a row; to be called before it."""
        self._spot = spot
        self.filter.begin_on(spot.cursor)
        self.listing.begin_at(spot)

    def _mount_grid(self, grid: MatrixGrid) -> None:
        self.mount(grid, after=self.table)

    def on_mount(self) -> None:
        signals = self.context.signals
        self.follow(signals.matrix_changed, self._matrix_changed)
        self.follow(signals.runs_changed, self._runs_changed)
        self.follow(signals.pending_changed, self._cells_changed)
        self.follow(signals.facts_changed, self._facts_changed)
        self.follow(signals.downloads_read, self.detail.follow_soon)
        if self.session.view.grid:
            self.show_rows()
            self.listing.begin_at(self._spot)
        self.listing.front.focus()
        self._say()
        self.context.facts.request(self.session.view.missing())
        self.context.background.after_first_frame(self.facets.count_soon)

    # What is shown

    def _show_view(self) -> None:
        self.filter.show()
        self.show_rows()

    def show_rows(self, keep: str | None = None) -> None:
        """Show what the view now holds, with the cursor on `keep`, or else on what it was on.

        A query that waits for facts leaves the table as it is; the view holds no rows, so nothing can be done to them.
        """
        view = self.session.view
        self._say()
        if missing := view.missing():
            self.context.facts.request(missing)
            return
        had_focus = self.focused is not None and self.focused.id in ("table", "grid")
        self.listing.show(keep)
        self.offer()
        self._show_legend()
        if had_focus:
            self.listing.front.focus()
        self.facets.count_soon()

    def _matrix_changed(self) -> None:
        self.show_rows()
        self.extraction.matrix_changed()

    def _runs_changed(self) -> None:
        self.extraction.runs_changed()
        if self.listing.take_runs():
            self.show_rows()
        else:
            self._cells_changed()

    def _facts_changed(self) -> None:
        if self.listing.outdated:
            self.filter.answer()
        else:
            self.facets.count()
            self.filter.say_again()
            self.listing.take_results()
            if {*FROM_RESULTS, VERDICT, *NUMBERS} & {
                *self.session.view.table_columns,
                self.session.view.sort_key,
            }:
                self._runs_changed()
        self.detail.follow_soon()

    def _cells_changed(self) -> None:
        self.listing.repaint()
        self._say()
        self.detail.follow_soon()

    def _marks_changed(self) -> None:
        self.context.edits.save_marks()
        self.table.repaint_rows()
        self._say()

    def _say(self) -> None:
        """Say in the title what is shown, and beside the filter how many tests that are."""
        view = self.session.view
        order = "" if view.grid else view_models.order_words(view)
        self.title_line(
            keyed=(
                f"grouped by {view.group}" if view.group and not view.grid else "",
                order,
                counted(len(view.matrix.findings), "finding") if view.matrix.findings else "",
            )
        )
        self.filter.note()

    def _show_legend(self) -> None:
        self.below.show(self.session.matrix, grid=bool(self.session.view.grid))

    # Going somewhere

    def go(self, spec: ViewSpec) -> None:
        """Show another view; the present one is a place to come back to."""
        self.views.go(spec)

    def query_with(self, id: str) -> str:
        """The query that shows a test: the present one, or none where that hides it."""
        return str(self.session.view.query) if self.session.view.shows(id) else ""

    def go_to(self, id: str) -> None:
        """Put the cursor on a test, and clear the filter if it hides it."""
        view = self.session.view
        query = self.query_with(id)
        self.panes.zoom("")
        if query != str(view.query) or view.grid or view.group:
            self.views.show(view.spec._replace(query=Query.parse(query), grid="", group=""))
        self.table.show(self.listing.rows(frozenset()), keep=id)
        self.table.focus()

    def go_to_tests(self, query: Query) -> None:
        """Show the tests that a query selects, in the table."""
        self.panes.zoom("")
        self.views.show(ViewSpec(query))
        self.table.focus()

    def spot(self) -> object:
        return MatrixPlace(self.session.view.spec, self.listing.spot, self.panes.zoomed)

    def restore(self, spot: object) -> None:
        if not isinstance(spot, MatrixPlace):
            return
        if spot.view != self.session.view.spec:
            self.views.show(spot.view)
        self.listing.restore(spot.spot)
        self.panes.zoom(spot.zoomed)
        if not spot.zoomed:
            self.listing.front.focus()

    @property
    def lists_nothing(self) -> bool:
        return self.listing.front.is_empty

    def lacks(self, need: Need) -> bool:
        missing = missing_for(need, self.listing, self.views, len(self._shown_panes))
        missing = self.tests.missing_for(need) if missing is None else missing
        return super().lacks(need) if missing is None else missing

    def close_one(self) -> bool:
        """First an open range, then the pane that has the focus, then what a person has typed into the filter."""
        base = self.context.navigation.base
        if self.table.range_start is not None:
            self.table.range_start = None
            self.table.repaint_rows()
        elif not self.listing.front.has_focus:
            self.listing.front.focus()
        elif self.filter.bar.input.value != base:
            self.filter.bar.input.value = base
        else:
            return False
        return True

    def page(self) -> Callable[[], Page]:
        """The page of the newest job of the test, the group or the cell: on the chosen arch, if there is one."""
        return self.page_of_tests(self.chosen(), self.session.view.arch)

    def chosen(self) -> Sequence[str]:
        """The ids under the cursor: one, or those of a group or a cell."""
        return self.listing.chosen()

    # What widgets tell

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        event.stop()
        if event.table is not self.listing.front:
            return
        if self.session.view.grid:
            self.below.show_cell()
        self.detail.follow_soon()

    def on_row_table_head_clicked(self, event: RowTable.HeadClicked) -> None:
        """Sort by the column; clicked again, the other way round."""
        if event.table is self.table:
            self.views.sort_by(event.column)
        elif event.table is self.listing.front and event.column:
            self.action_next_sort()

    def on_resize(self, event: events.Resize) -> None:
        """The heads of the archs depend on the width."""
        self.call_after_refresh(self._show_legend)

    def on_matrix_grid_compare_asked(self) -> None:
        self.views.compare(self.grid)

    def on_facet_panel_chosen(self, event: FacetPanel.Chosen) -> None:
        query = self.session.view.toggled(event.field, event.value)
        self.filter.bar.input.value = str(query)

    # Actions of this screen

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the query itself a slash is a slash."""
        return not isinstance(self.focused, QueryInput) if action == "filter" else True

    @command(
        "matrix.filter",
        Where.MATRIX,
        "slash",
        "Filter",
        "Type a query; enter applies it",
        footer=True,
        ahead=True,
        aliases="search find query",
    )
    def action_filter(self) -> None:
        if self.panes.zoomed != "tests":
            self.panes.zoom("")
        # At once: what is typed right after the key belongs to the query, and must never run as commands.
        self.set_focus(self.filter.bar.input)
        self.filter.bar.input.begin_word()

    @command(
        "matrix.mark",
        Where.MATRIX,
        "space",
        "Mark",
        "Mark or unmark the row",
        footer=True,
        needs=Need.ROWS,
        aliases="select",
    )
    def action_mark(self) -> None:
        self.tests.mark()

    @command(
        "matrix.mark_all",
        Where.MATRIX,
        "asterisk",
        "Mark all",
        "Mark all visible rows",
        needs=Need.ROWS,
        aliases="select",
    )
    def action_mark_shown(self) -> None:
        self.tests.mark_visible()

    @command("matrix.unmark", Where.MATRIX, "ctrl+n", "Unmark", "Clear all marks", needs=Need.MARKS, aliases="deselect")
    def action_unmark(self) -> None:
        self.tests.unmark()

    @command(
        "matrix.run",
        Where.MATRIX,
        "r",
        "Run",
        "Run this test, or the marked ones, on the CPU",
        footer=True,
        needs=Need.TESTS,
        changes=Changes.RUNS,
        aliases="rerun start test execute repro",
    )
    def action_run(self) -> None:
        self.tests.run()

    @command(
        "matrix.run_with",
        Where.MATRIX,
        "R",
        "Run with",
        "Choose how to run, see the commands",
        needs=Need.TESTS,
        changes=Changes.RUNS,
        aliases="device profile repeat options execute",
    )
    def action_run_with(self) -> None:
        self.tests.run_with()

    @command(
        "matrix.bisect",
        Where.MATRIX,
        "B",
        "Bisect",
        "Find the op that breaks this model on the backend",
        needs=Need.TORCH,
        changes=Changes.RUNS,
    )
    def action_bisect(self) -> None:
        self.tests.bisect()

    @command(
        "matrix.extract",
        Where.MATRIX,
        "X",
        "Extract",
        "Write the ops of this model as op cases",
        needs=Need.TORCH,
        changes=Changes.FILES,
    )
    def action_extract(self) -> None:
        self.extraction.ask()

    @command("matrix.compare", Where.MATRIX, "b", "Backends", "Compare op cases on two backends", needs=Need.OP_CASES)
    def action_compare(self) -> None:
        self.tests.compare_backends()

    @command(
        "matrix.triage",
        Where.MATRIX,
        "T",
        "Workflow",
        "Start a workflow on failing training tests",
        needs=Need.WORKFLOW_FITS,
        changes=Changes.WORKFLOWS,
    )
    def action_triage(self) -> None:
        self.tests.start_workflows()

    @command(
        "matrix.log",
        Where.MATRIX,
        "L",
        "Log",
        "Show the log of this test's last run",
        needs=Need.RUN_HERE,
        aliases="output trace",
    )
    def action_log(self) -> None:
        self.tests.show_log()

    @command(
        "matrix.programs",
        Where.MATRIX,
        "p",
        "IR",
        "Show the IR that its newest job of CI has left",
        needs=Need.TEST,
        aliases="ir mlir stablehlo programs",
    )
    def action_programs(self) -> None:
        """The programs that its newest job of CI has left, fetched if need be."""
        self.tests.show_programs_of_ci()

    @command(
        "matrix.set",
        Where.MATRIX,
        "E",
        "Edit",
        "Set fields of the marked entries",
        footer=True,
        needs=Need.TESTS,
        changes=Changes.EDITS,
        aliases="status xfail skip promote change",
    )
    def action_set_fields(self) -> None:
        self.tests.set_fields()

    @command(
        "matrix.change",
        Where.MATRIX,
        "M",
        "Change",
        "Change markers or archs; rename, move, delete",
        needs=Need.TESTS,
        changes=Changes.EDITS,
    )
    def action_change_entry(self) -> None:
        self.tests.change_entries()

    @command(
        "matrix.open",
        Where.MATRIX,
        "e",
        "Editor",
        "Open $EDITOR at the entry",
        needs=Need.TEST,
        changes=Changes.FILES,
        aliases="vim yaml source",
    )
    def action_open_editor(self) -> None:
        self.tests.open_editor()

    @command(
        "matrix.loader",
        Where.MATRIX,
        "s",
        "Loader",
        "Open $EDITOR at this variant in the loader",
        needs=Need.LOADER,
        changes=Changes.FILES,
    )
    def action_open_loader(self) -> None:
        self.tests.open_loader()

    @command(
        "matrix.history",
        Where.MATRIX,
        "H",
        "History",
        "Show the commits that changed this test's entry",
        needs=Need.HISTORY,
    )
    def action_history(self) -> None:
        self.tests.show_history()

    @command("matrix.range", Where.MATRIX, "v", "Range", "Start a range; press again to mark it", needs=Need.NO_GRID)
    def action_mark_range(self) -> None:
        self.tests.mark_range()

    @command(
        "matrix.enter",
        Where.MATRIX,
        "enter",
        "Open",
        "Open the detail, or the tests of a group or cell",
        needs=Need.ROWS,
        hint=Hint("in-and-out", "{matrix.enter} goes in, {app.back} back", turn=1),
    )
    def action_enter(self) -> None:
        """Show what is in what is under the cursor: the tests of a cell or a group, the detail of a test."""
        if self.session.view.grid:
            if query := self.listing.cell_query:
                self.context.navigation.enter(Where.MATRIX.value, str(query))
                self.panes.zoom("")
                self.views.show(self.session.view.spec._replace(query=query, grid="", group=""))
            else:
                self.context.notify.info("No test is in this cell.")
        elif self.panes.zoomed == "detail" or not self.listing.fold():
            self._open_detail()

    def _open_detail(self) -> None:
        """The detail alone, to be read and scrolled, or beside the tests as before."""
        if not self.panes.leave():
            self.panes.open("detail", self.detail.pane)
        self.detail.follow_soon()

    @command("matrix.detail", Where.MATRIX, "d", "Detail", "Show or hide the detail panel", footer=True)
    def action_detail(self) -> None:
        if self.panes.leave():
            self.detail.add_class("shown")
        else:
            self.detail.toggle_class("shown")
        self.detail.follow_soon()

    @command("matrix.pane", Where.MATRIX, "tab", "Pane", "Go to the next pane", needs=Need.PANE)
    def action_other_pane(self) -> None:
        """From the tests to the facets and to the detail, as far as they are shown, and round again."""
        shown = self._shown_panes
        here = next((at for at, one in enumerate(shown) if one.has_focus), -1)
        self.set_focus(shown[(here + 1) % len(shown)])

    @property
    def _shown_panes(self) -> list[Widget]:
        facets = [self.facets.facets] if self.facets.display else []
        detail = [self.detail.pane] if self.detail.display else []
        return [self.focused or self.table] if self.panes.zoomed else [self.listing.front, *facets, *detail]

    @command(
        "matrix.facets",
        Where.MATRIX,
        "f",
        "Facets",
        "Show or leave the facet panel",
        hint=Hint("facets", "{matrix.facets} lists values to filter by", turn=4),
    )
    def action_facets(self) -> None:
        self.panes.zoom("")
        self.facets.toggle(self.listing.front)
        self.call_after_refresh(self._show_legend)

    @command("matrix.arch", Where.MATRIX, "at", "Arch", "Show values for the next arch", needs=Need.ROWS)
    def action_next_arch(self) -> None:
        self.views.next_arch()

    @command("matrix.group", Where.MATRIX, "m", "Group", "Group the rows, or lay out the grid", footer=True)
    def action_group(self) -> None:
        self.views.group()

    @command(
        "matrix.grid",
        Where.MATRIX,
        "number_sign",
        "Grid",
        "Show a grid, or the table again",
        footer=True,
        hint=Hint("grid", "{matrix.grid} shows pass rates", turn=3),
    )
    def action_grid(self) -> None:
        self.views.toggle_grid()

    @command(
        "matrix.columns",
        Where.MATRIX,
        "C",
        "Columns",
        "Choose, order and sort by columns",
        needs=Need.NO_GRID,
        aliases="fields order",
    )
    def action_columns(self) -> None:
        self.views.choose_columns()

    @command("matrix.sort", Where.MATRIX, "greater_than_sign", "Sort", "Sort by the next column; a grid by this column")
    def action_next_sort(self) -> None:
        if self.session.view.grid:
            self.views.order_grid(self.grid.sorted_here())
        else:
            self.views.next_sort()

    @command("matrix.turn", Where.MATRIX, "O", "Reverse", "Reverse sort")
    def action_reverse_sort(self) -> None:
        if self.session.view.grid:
            self.views.order_grid(self.grid.reversed_sort())
        else:
            self.views.reverse_sort()

    @command(
        "matrix.views",
        Where.MATRIX,
        "V",
        "Views",
        "Open a saved view, or save this one",
        hint=Hint("views", "{matrix.views} saves this view", turn=5),
    )
    def action_views(self) -> None:
        self.views.open_saved()

    @command(
        "matrix.back",
        Where.MATRIX,
        "left_square_bracket",
        "View back",
        "Back to the previous view",
        action="step(-1)",
        needs=Need.PREVIOUS_VIEW,
    )
    @command(
        "matrix.forth",
        Where.MATRIX,
        "right_square_bracket",
        "View next",
        "Forward to the next view",
        action="step(1)",
        needs=Need.NEXT_VIEW,
    )
    def action_step(self, steps: int) -> None:
        self.views.step(steps)

    @command("matrix.copy", Where.MATRIX, "y", "Copy", "Copy the id", needs=Need.TEST, aliases="yank clipboard")
    def action_copy_id(self) -> None:
        self.tests.copy_id()

    @command("matrix.copy_node", Where.MATRIX, "Y", "Copy node", "Copy the pytest node id", needs=Need.TEST)
    def action_copy_node_id(self) -> None:
        self.tests.copy_node_id()
