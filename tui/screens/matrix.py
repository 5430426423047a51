# SPDX-License-Identifier: Apache-2.0
"""The main screen: filter line, facets, the table of tests, and the detail of the one under the cursor."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import Footer, Static

from core.errors import TTMatrixError, UsageError
from core.matrix.ci import job_name
from core.matrix.complete import completed
from core.matrix.index import NO_ARCH
from core.matrix.query import Query
from core.matrix.view import SORT_KEYS
from core.model import node_id
from core.text import one_line
from tui.commands import Where, bindings
from tui.detail_text import detail_text
from tui.matrix_rows import MatrixRows
from tui.presentation import count_text, counted
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Confirm
from tui.screens.set_fields import SetFields
from tui.widgets.facet_panel import FacetPanel
from tui.widgets.filter_bar import FilterBar, QueryInput
from tui.widgets.row_table import RowTable

_FACETS_FROM = 120
"""Terminal width from which the facets are there without being asked for."""
_DETAIL_FROM = 32
"""Terminal height from which the detail is."""
_DETAIL_DELAY = 0.06
"""Seconds the cursor must rest before the detail follows: moving must stay cheap."""
_MANY_RUNS = 8


class MatrixTable(RowTable):
    """The table of tests, with the keys of a table."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.TABLE)


class MatrixScreen(SessionScreen):
    """Find tests, look at them, and start what is to be done with them."""

    PLACES = (Where.MATRIX, Where.TABLE)
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.MATRIX)

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        yield FilterBar(str(self.session.view.query), self._filter, self._complete)
        with Horizontal():
            with Vertical(id="facet-box"):
                yield Facets(id="facets")
            with Vertical():
                yield MatrixTable(self._rows(), id="table")
                with VerticalScroll(id="detail"):
                    yield Static("", id="detail-text", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._detail_timer: Timer = self.set_timer(_DETAIL_DELAY, self._show_detail)
        self.query_one("#facet-box").set_class(self.app.size.width >= _FACETS_FROM, "shown")
        self.query_one("#detail").set_class(self.app.size.height >= _DETAIL_FROM, "shown")
        self.follow(self.host.matrix_changed, self._matrix_changed)
        self.follow(self.host.runs_changed, self._cells_changed)
        self.follow(self.host.pending_changed, self._cells_changed)
        self.table.focus()
        self._say()
        self.call_after_refresh(self._count_facets)

    @property
    def table(self) -> RowTable:
        return self.query_one(MatrixTable)

    def _rows(self) -> MatrixRows:
        # Newest first in the list, so that the newest one is what stays.
        runs = {record.spec.test_id: record for record in reversed(self.session.runs)}
        return MatrixRows(self.session.view, runs, self.session.edited_ids())

    # What has changed elsewhere

    def _matrix_changed(self) -> None:
        self._show_rows()

    def _cells_changed(self) -> None:
        self.table.source = self._rows()
        self.table.repaint_rows()
        self._say()
        self._detail_soon()

    def _show_rows(self) -> None:
        """Show what the view now holds, with the cursor on the test it was on."""
        self.table.show(self._rows(), keep=self.table.cursor_key)
        self._say()
        self.call_after_refresh(self._count_facets)

    def _say(self) -> None:
        view = self.session.view
        self.title_line(
            one_line(self.session.checkout.root.name),
            f"arch: {view.arch or 'any'}",
            f"sorted by {view.sort_key}" if view.sort_key != "id" else "",
            counted(len(view.matrix.findings), "finding") if view.matrix.findings else "",
        )
        note = count_text(view)
        if not view.rows and (words := " ".join(view.query.values_of(""))):
            nearest = view.matrix.closest(words, 1)
            note += f" · nearest: {nearest[0]}" if nearest else ""
        self.query_one(FilterBar).note(note)

    # Filter and facets

    def _filter(self, text: str) -> None:
        try:
            self.session.view.filter(Query.parse(text))
        except UsageError as error:
            # The remedy first: on a narrow terminal there is room for little else.
            words = (error.hint, error.title) if self.size.width < _FACETS_FROM else (error.title, error.hint)
            self.query_one(FilterBar).note(" · ".join(filter(None, words)), error=True)
            return
        self._show_rows()

    def _complete(self, text: str) -> str:
        return completed(self.session.matrix, text)

    def _count_facets(self) -> None:
        if self.query_one("#facet-box").has_class("shown"):
            self.query_one(Facets).show_facets(self.session.view.facets())

    def on_facet_panel_chosen(self, event: FacetPanel.Chosen) -> None:
        query = self.session.view.query.toggled(event.field, event.value)
        self.query_one(FilterBar).input.value = str(query)

    def on_query_input_left(self, event: QueryInput.Left) -> None:
        self.table.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the query itself a slash is a slash."""
        return not isinstance(self.focused, QueryInput) if action == "filter" else True

    def action_filter(self) -> None:
        # At once: what is typed right after the key belongs to the query, and must never run as commands.
        self.set_focus(self.query_one(FilterBar).input)

    def action_facets(self) -> None:
        box, facets = self.query_one("#facet-box"), self.query_one(Facets)
        if box.has_class("shown") and facets.has_focus:
            self.table.focus()
            box.set_class(self.app.size.width >= _FACETS_FROM, "shown")
            return
        box.add_class("shown")
        self._count_facets()
        facets.focus()

    def go_to(self, id: str) -> None:
        """Put the cursor on a test, and clear the filter if it hides it."""
        if self.session.view.position_of(id) is None:
            self.query_one(FilterBar).input.value = ""
        self.table.show(self._rows(), keep=id)
        self.table.focus()

    def go_back(self) -> None:
        """One level back: the panel that has the focus, then the filter."""
        if not self.table.has_focus:
            self.table.focus()
        else:
            self.query_one(FilterBar).input.value = ""

    # The row under the cursor

    @property
    def current(self) -> str | None:
        """The id under the cursor."""
        return self.table.cursor_key

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        if event.table is self.table:
            self._detail_soon()

    def _detail_soon(self) -> None:
        self._detail_timer.stop()
        self._detail_timer = self.set_timer(_DETAIL_DELAY, self._show_detail)

    def _show_detail(self) -> None:
        if not self.query_one("#detail").has_class("shown"):
            return
        shown = self.query_one("#detail-text", Static)
        if self.current is None:
            shown.update("No test matches the filter.")
            return
        ci = self.session.known_ci
        if ci is None:
            self.host.in_thread("ci", self.session.ci, lambda _: self._detail_soon(), supersede=True)
        jobs = None if ci is None else [job_name(job) for job in ci.of(self.current)]
        runs = [record for record in self.session.runs if record.spec.test_id == self.current]
        shown.update(detail_text(self.session.describe(self.current), runs, jobs))
        self.query_one("#detail").scroll_to(y=0, animate=False)

    def action_detail(self) -> None:
        panel = self.query_one("#detail")
        panel.toggle_class("shown")
        self._show_detail()

    def action_mark(self) -> None:
        if self.current is not None:
            self.session.view.toggle_mark(self.current)
            self.host.keep_marks()
            self.table.repaint_rows()
            self.table.action_move(1)
            self._say()

    def action_mark_shown(self) -> None:
        self.session.view.mark_shown()
        self.host.keep_marks()
        self.table.repaint_rows()
        self._say()

    def action_unmark(self) -> None:
        self.session.view.marks.clear()
        self.host.keep_marks()
        self.table.repaint_rows()
        self._say()

    def action_next_arch(self) -> None:
        view = self.session.view
        archs = [NO_ARCH, *view.matrix.schema.archs]
        view.look_at(archs[(archs.index(view.arch) + 1) % len(archs)])
        self._show_rows()

    def action_next_sort(self) -> None:
        view = self.session.view
        view.sort(SORT_KEYS[(SORT_KEYS.index(view.sort_key) + 1) % len(SORT_KEYS)])
        self._show_rows()

    def action_copy_id(self) -> None:
        if self.current is not None:
            self.host.copy(self.current)

    def action_copy_node_id(self) -> None:
        if self.current is not None:
            function = self.session.matrix.function(self.session.matrix.rows[self.current])
            self.host.copy(node_id(function, self.current))

    def action_open_editor(self) -> None:
        if self.current is not None:
            self.host.open_editor(self.session.describe(self.current))

    # What is to be done with tests

    def _targets(self) -> list[str]:
        return self.session.view.targets(self.table.cursor)

    def action_run(self) -> None:
        ids = self._targets()
        if len(ids) <= _MANY_RUNS and not self.session.view.hidden_marks():
            self.host.start_runs(ids)
            return
        hidden = self.session.view.hidden_marks()
        body = f"{len(ids):,} CPU repros, {self.session.settings.cpu_slots} at a time."
        if hidden:
            body += f"\n{hidden:,} of the marked tests are hidden by the filter."
        question = Confirm("Start these runs?", body, verb="start them")
        self.app.push_screen(question, lambda yes: self.host.start_runs(ids) if yes else None)

    def action_log(self) -> None:
        record = self.session.last_run(self.current) if self.current else None
        if record is None:
            self.host.say("This test has not been run here yet: r runs it.")
        else:
            self.host.show_run(record.spec.run_id)

    def action_set_fields(self) -> None:
        ids = self._targets()
        if not ids:
            return
        try:
            form = SetFields(self.session, ids)
        except TTMatrixError as error:
            self.host.tell(error)
            return
        self.app.push_screen(form, lambda operations: self.host.propose(operations))


class Facets(FacetPanel):
    """The facet panel with its keys: those of a table, and space or enter to choose."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TABLE), *bindings(Where.FACETS)]
