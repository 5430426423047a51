# SPDX-License-Identifier: Apache-2.0
"""The filter line and the facets of the matrix screen."""

from functools import cached_property
from typing import ClassVar

from textual.binding import BindingType
from textual.timer import Timer

from core.errors import UsageError
from core.matrix.query import Query
from tui.commands import Where, bindings
from tui.screens.base import SessionScreen
from tui.widgets import FacetPanel, FilterBar, QueryInput, RowTable

FACETS_FROM = 120
"""Terminal width from which the facets are there without being asked for."""
_OF_FACETS = ("models", "jobs")
"""Facts that the facets count beside what the index holds."""


_REST_SECONDS = 0.06
"""How long nothing must have been typed before facets are counted."""


class Facets(FacetPanel):
    """The facet panel with its keys: those of a table, and space or enter to choose."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.FACETS)


class FilterActions(SessionScreen):
    """The actions on the query."""

    _counting: Timer | None = None
    refused = False
    """Whether what stands in the filter line is no query: the line says why until it is another."""
    _begun_on: str | None = None
    """What the cursor was on before a query was begun."""
    _left_on: str | None = None
    """What the last letter has left the cursor on: once it is on something else, a person has moved it."""

    @cached_property
    def facets(self) -> Facets:
        """The facets, put into their box when they are first asked for."""
        facets = Facets(id="facets")
        self.query_one("#facet-box").mount(facets)
        return facets

    @property
    def shown(self) -> RowTable:
        """Where the focus goes from the filter."""
        raise NotImplementedError

    def show_rows(self, keep: str | None = None) -> None:
        """Show what the query selects now, with the cursor on `keep`; None: on what it was on."""
        raise NotImplementedError

    def remember(self) -> None:
        """Leave a place to come back to."""
        raise NotImplementedError

    def filter_by(self, text: str) -> None:
        try:
            self.session.view.filter(Query.parse(text))
        except UsageError as error:
            self.refused = True
            # Imported here because it is no part of the first frame.
            from core.matrix.query import values_wanted

            if values := values_wanted(self.session.view.scope, text):
                self.query_one(FilterBar).note(values)
                return
            # The remedy first: on a narrow terminal there is room for little else.
            words = (error.hint, error.title) if self.size.width < FACETS_FROM else (error.title, error.hint)
            self.query_one(FilterBar).note(" · ".join(filter(None, words)), error=True)
            return
        self.refused = False
        self.answer()

    def answer(self) -> None:
        """Show what the query selects, with the cursor near to where it was before the query was begun.

        What the first letters of a query hide, and what they leave, is not what was looked for.
        """
        view, cursor = self.session.view, self.shown.cursor_key
        if cursor != self._left_on:
            self._begun_on = cursor
        self.show_rows(self._begun_on if view.group or view.grid else view.nearest(self._begun_on))
        self._left_on = self.shown.cursor_key

    def complete(self, text: str) -> str:
        # Imported here because it is no part of the first frame.
        from core.matrix.query import completed

        return completed(self.session.view.scope, text)

    def count_facets_soon(self) -> None:
        """Count once nothing has been typed for a moment: who types waits for rows, not for counts."""
        if self._counting is not None:
            self._counting.stop()
        self._counting = self.set_timer(_REST_SECONDS, self.count_facets)

    def count_facets(self) -> None:
        if self.query_one("#facet-box").has_class("shown"):
            self.host.learn(_OF_FACETS)
            self.facets.show_facets(self.session.view.facets())

    def on_facet_panel_chosen(self, event: FacetPanel.Chosen) -> None:
        query = self.session.view.query.toggled(event.field, event.value)
        self.query_one(FilterBar).input.value = str(query)

    def leave_filter(self) -> None:
        """The query is kept: go to the rows. Where the cursor stands now is where the next query begins."""
        self.set_focus(self.shown)
        self.remember()
        self._left_on = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In the query itself a slash is a slash."""
        return not isinstance(self.focused, QueryInput) if action == "filter" else True

    def action_filter(self) -> None:
        # At once: what is typed right after the key belongs to the query, and must never run as commands.
        self.set_focus(self.query_one(FilterBar).input)

    def action_facets(self) -> None:
        box, facets = self.query_one("#facet-box"), self.facets
        if box.has_class("shown") and facets.has_focus:
            self.shown.focus()
            box.set_class(self.app.size.width >= FACETS_FROM, "shown")
            return
        box.add_class("shown")
        self.count_facets()
        facets.focus()
