# SPDX-License-Identifier: Apache-2.0
"""The filter line and the facets of the matrix screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer
from textual.widget import Widget

from core.base.errors import QueryError, UsageError
from core.matrix import query
from core.matrix.query import Query
from core.providers import waiting_words
from tui.protocol import Context
from tui.screens.matrix.listing import Listing
from tui.view_models import count_text
from tui.widgets import CachedBox, FacetPanel, FilterBar

if TYPE_CHECKING:
    from core.matrix import Matrix

FACETS_FROM = 120
"""Terminal width from which the facets are shown without being asked for."""
_REST_SECONDS = 0.06
"""Seconds without a typed letter before facets are counted."""
_PAUSE_SECONDS = 0.2
"""The same before the app looks for the reason why a query selects nothing."""


class QueryFilter:
    """The query that a person types: what it selects, where the cursor goes meanwhile, and what is wrong with it."""

    def __init__(
        self, context: Context, listing: Listing, show_rows: Callable[[str | None], None], left: Callable[[], None]
    ) -> None:
        """`show_rows` shows what the view holds with the cursor on a key; `left` is called when the query is done."""
        self._view = context.session.view
        self._background = context.background
        self._facts = context.facts
        self._listing = listing
        self._show_rows = show_rows
        self._left = left
        self.bar = FilterBar(
            str(self._view.query), self.filter_by, self.leave, self.complete, base=lambda: context.navigation.base
        )
        self._refused = False
        """Whether the filter line holds no query: the line says why until it does."""
        self._begun_on: str | None = None
        """The row under the cursor before a query was begun."""
        self._looking: Timer | None = None
        """Until the nearest id is looked for."""
        self._left_on: str | None = None
        """The row under the cursor after the last letter: if it is on another one, a person has moved it."""

    def begin_on(self, key: str) -> None:
        """A query that waits for facts ends with the cursor there."""
        self._begun_on = key or None

    def filter_by(self, text: str) -> None:
        """Show what the query selects, or say what is wrong with it.

        Until a field has its value, the rows are those of the rest of the query.
        """
        try:
            self._view.filter(query.parsed(text))
        except UsageError as error:
            self._refuse(text, error)
            if isinstance(error, QueryError) and error.empty_field:
                self._filter_by_the_rest(query.so_far(text, error))
        else:
            self._refused = False
            self.answer()

    def _filter_by_the_rest(self, text: str) -> None:
        # `a or status:` has no rest that is a query: the rows stay.
        with suppress(UsageError):
            self._view.filter(query.parsed(text))
            self.answer()

    def _refuse(self, text: str, error: UsageError) -> None:
        self._refused = True
        if values := query.values_wanted(self._view.scope, text):
            self.bar.note(values)
            return
        if isinstance(error, QueryError) and (unread := self._unread_values(error.empty_field)):
            self.bar.note(unread)
            return
        # The remedy first: on a narrow terminal there is room for little else.
        narrow = self.bar.screen.size.width < FACETS_FROM
        words = (error.hint, error.title) if narrow else (error.title, error.hint)
        self.bar.note(" · ".join(filter(None, words)), error=True)

    def _unread_values(self, name: str) -> str:
        """The facts that the values of a field wait for, and which are read from now on; empty: none."""
        need = query.needs(query.Query.parse(f"{name}:{query.NONE}"))[:1] if name and query.is_field(name) else ()
        if not need or need[0] in self._view.learned:
            return ""
        self._facts.request(need)
        return f"{name}: {self._facts.failure(need[0]) or waiting_words(need)}"

    def say_again(self) -> None:
        """Say what is wrong with the line, which may have waited for facts that are there now."""
        if self._refused:
            with suppress(UsageError):
                self.filter_by(self.bar.input.value)

    def answer(self) -> None:
        """Show what the query selects, with the cursor near to where it was before the query was begun.

        What the first letters of a query hide, and what they leave, is not what was looked for.
        """
        view, cursor = self._view, self._listing.front.cursor_key
        if cursor != self._left_on:
            self._begun_on = cursor
        self._show_rows(self._begun_on if view.group or view.grid else view.nearest(self._begun_on))
        self._left_on = self._listing.front.cursor_key

    def complete(self, text: str) -> str:
        """The query with its last word completed; empty where nothing fits."""
        return query.completed(self._view.scope, text)

    def leave(self) -> None:
        """The query stays: go to the rows. Where the cursor is now is where the next query begins."""
        self.bar.screen.set_focus(self._listing.front)
        self._left()
        self._left_on = None

    def show(self) -> None:
        """Show the query of the view, which is none that a person is typing."""
        self.bar.input.show(str(self._view.query))
        self._refused = False

    def note(self) -> None:
        """Say how many tests the query selects, unless the line says what is wrong with it."""
        view = self._view
        if self._looking is not None:
            self._looking.stop()
        if self._refused:
            return
        if missing := view.missing():
            failed = next(filter(None, map(self._facts.failure, missing)), "")
            self.bar.note(failed or waiting_words(missing), error=bool(failed))
            return
        lacking = query.lacking_words(view.query, matrix=view.matrix)
        unread = query.unread_words(view.query, view.matrix)
        self.bar.note(" · ".join((count_text(view), *unread, *lacking)))
        if not (view.rows or unread or lacking):
            # All ids may be compared with it: not for each letter, and not in the app's own thread.
            self._looking = self.bar.set_timer(_PAUSE_SECONDS, self._look_for_the_cause)

    def _look_for_the_cause(self) -> None:
        view, asked = self._view, self._view.query
        if view.missing():
            return

        def say(cause: str) -> None:
            if cause and not self._refused and view.query is asked:
                self.bar.note(f"{count_text(view)} · {cause}")

        look = partial(why_nothing, view.matrix, asked, partial(query.select, arch=view.arch, learned=view.learned))
        self._background.run("why no test matches", look, say, supersede=True)


def why_nothing(matrix: Matrix, asked: Query, select: Callable[[Matrix, Query], Sequence[int]]) -> str:
    """Why a query selects nothing: no id has its words, a value does not exist, or one term excludes all tests.

    Of several such terms the last counts. Empty if nothing of this explains it.
    """
    words = " ".join(asked.values_of(""))
    rest = asked.without("").terms
    try:
        # If facts had to be read for a field, it was not known before which values it has.
        select(matrix, asked)
        misspelt = words and not select(matrix, Query(tuple(node for node in asked.terms if node not in rest)))
        if misspelt and (nearest := matrix.closest(words, 1)):
            return f"nearest: {nearest[0]}"
        for at in reversed(range(len(asked.terms)) if len(asked.terms) > 1 else ()):
            if found := select(matrix, Query(asked.terms[:at] + asked.terms[at + 1 :])):
                return f"{len(found):,} match without {Query((asked.terms[at],))}"
    except UsageError as error:
        return error.title
    return ""


class FacetBox(CachedBox):
    """The facets beside the rows; they are made when they are first shown."""

    def __init__(self, context: Context, *, shown: bool) -> None:
        super().__init__(id="facet-box", classes="shown" if shown else "")
        self.context = context
        self._facets: FacetPanel | None = None
        self._counting: Timer | None = None

    @property
    def facets(self) -> FacetPanel:
        """The panel in the box."""
        if self._facets is None:
            self._facets = FacetPanel(id="facets")
            self.mount(self._facets)
        return self._facets

    def count_soon(self) -> None:
        """Count once nothing has been typed for a moment: a person who types waits for rows, not for counts."""
        if self._counting is not None:
            self._counting.stop()
        self._counting = self.set_timer(_REST_SECONDS, self.count)

    def count(self) -> None:
        """Show how many tests have each value, if the facets are shown."""
        if self.has_class("shown"):
            view = self.context.session.view
            self.context.facts.request(view.facts_of_facets)
            self.facets.show_facets(view.facets(), {name: self._waits_for(name) for name in view.awaited_facets()})

    def _waits_for(self, name: str) -> str:
        """The note beside a facet whose facts are missing."""
        return "cannot be read" if self.context.facts.failure(query.BY_NAME[name].needs) else "reading"

    def toggle(self, rows: Widget) -> None:
        """Go to the facets, which are shown then, or back to the rows."""
        if self.has_class("shown") and self.facets.has_focus:
            rows.focus()
            self.set_class(self.app.size.width >= FACETS_FROM, "shown")
            return
        self.add_class("shown")
        self.count()
        self.facets.focus()
