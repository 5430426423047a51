# SPDX-License-Identifier: Apache-2.0
"""The facet panel: values of each field with their counts under the filter; a key adds one to the query."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from textual import events
from textual.message import Message

from core.matrix.view import Facet
from tui.commands import Where, command
from tui.view_models import Cell, Row, Rows, TableColumn, facet_label
from tui.widgets.row_table import RowTable

_COLUMNS = (TableColumn("filter by", 14, elide=True, fills=True), TableColumn("tests", 7, least=7, right=True))


class _FacetRow(NamedTuple):
    """A heading, or a value below it."""

    field: str
    value: str = ""
    """Empty: the heading."""
    tests: int | None = 0
    """None: not read yet."""
    chosen: bool = False


def facet_rows(facets: Sequence[Facet], awaited: Mapping[str, str] = MappingProxyType({})) -> Rows[_FacetRow]:
    """Headings and values as one list of rows.

    `awaited` are facets whose facts are missing, each with what is said of that: they come last, so that nothing moves
    when they arrive.
    """
    rows: list[_FacetRow] = []
    for facet in facets:
        values = [one for one in facet.values if one.count or one.chosen or len(facet.values) <= 12]
        if values:
            rows.append(_FacetRow(facet.field))
            rows += [_FacetRow(facet.field, one.value, one.count, one.chosen) for one in values]
    rows += map(_FacetRow, awaited)

    def cells(row: _FacetRow) -> Row:
        if not row.value:
            return [Cell(row.field, "running")], [Cell(awaited.get(row.field, ""), "dim")]
        style = "mark" if row.chosen else "" if row.tests else "dim"
        count = "…" if row.tests is None else f"{row.tests:,}"
        return [Cell(f" {facet_label(row.field, row.value)}", style)], [Cell(count, style)]

    return Rows(rows, _COLUMNS, cells, key=lambda row: f"{row.field}:{row.value}", marked=lambda row: row.chosen)


class FacetPanel(RowTable):
    """Lists facets; `choose` toggles the value under the cursor."""

    class Chosen(Message):
        """A value is to be added to the query, or taken from it."""

        def __init__(self, field: str, value: str) -> None:
            super().__init__()
            self.field = field
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:
        self._rows = facet_rows(())
        super().__init__(self._rows, id=id)

    def show_facets(self, facets: Sequence[Facet], awaited: Mapping[str, str] = MappingProxyType({})) -> None:
        """Show other counts; the cursor stays on its value. `awaited` are facets whose facts are missing."""
        self._rows = facet_rows(facets, awaited)
        self.show(self._rows, keep=self.cursor_key)

    @command("facets.choose", Where.FACETS, "space,enter", "Choose", "Add the value to the query, or remove it")
    def action_choose(self) -> None:
        self._choose(self.cursor)

    def on_click(self, event: events.Click) -> None:
        """A value that is clicked is added to the query, or taken from it."""
        event.prevent_default()
        position = self.clicked_row(event)
        if position is not None:
            self.cursor = position
            self._choose(position)

    def _choose(self, position: int) -> None:
        row = self._rows.items[position] if position < len(self._rows) else None
        if row is not None and row.value:
            self.post_message(self.Chosen(row.field, row.value.lower()))
