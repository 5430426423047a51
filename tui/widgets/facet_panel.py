# SPDX-License-Identifier: Apache-2.0
"""The facet panel: values of each field with their counts under the filter; a key adds one to the query."""

from collections.abc import Sequence

from textual import events
from textual.message import Message

from core.matrix.view import Facet
from tui.view_models import Cell, TableColumn, facet_label
from tui.widgets.row_table import RowTable

_COLUMNS = (TableColumn("filter by", 14, share=1, elide=True), TableColumn("tests", 7))


class _FacetRows:
    """Headings and values as one list of rows."""

    columns: Sequence[TableColumn] = _COLUMNS

    def __init__(self, facets: Sequence[Facet], awaited: Sequence[str] = ()) -> None:
        """`awaited` are facets whose facts are still being read: they come last, so that nothing moves when they do."""
        self.rows: list[tuple[str, str, int, bool]] = []
        self._awaited = awaited
        for facet in facets:
            values = [one for one in facet.values if one.count or one.chosen or len(facet.values) <= 12]
            if not values:
                continue
            self.rows.append((facet.field, "", 0, False))
            self.rows += [(facet.field, one.value, one.count, one.chosen) for one in values]
        self.rows += [(name, "", 0, False) for name in awaited]

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, position: int) -> str:
        name, value, _, _ = self.rows[position]
        return f"{name}:{value}"

    def marked(self, position: int) -> bool:
        return self.rows[position][3]

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        name, value, count, chosen = self.rows[position]
        if not value:
            return [Cell(name, "running")], [Cell("reading" if name in self._awaited else "", "dim")]
        style = "mark" if chosen else "" if count else "dim"
        return [Cell(f" {facet_label(name, value)}", style)], [Cell(f"{count:>7,}", style)]


class FacetPanel(RowTable):
    """Lists facets; `choose` toggles the value under the cursor."""

    class Chosen(Message):
        """A value is to be added to the query, or taken from it."""

        def __init__(self, field: str, value: str) -> None:
            super().__init__()
            self.field = field
            self.value = value

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(_FacetRows(()), id=id)

    def show_facets(self, facets: Sequence[Facet], awaited: Sequence[str] = ()) -> None:
        """Show other counts; the cursor stays on its value. `awaited` are facets that are still being read."""
        self.show(_FacetRows(facets, awaited), keep=self.cursor_key)

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
        source = self.source
        if isinstance(source, _FacetRows) and position < len(source):
            name, value, _, _ = source.rows[position]
            if value:
                self.post_message(self.Chosen(name, value.lower()))
