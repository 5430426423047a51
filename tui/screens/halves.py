# SPDX-License-Identifier: Apache-2.0
"""What screens share that have a table above, and below it all about the row under the cursor."""

from collections.abc import Iterable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from tui.commands import Where
from tui.protocol import Context
from tui.screens.base import SessionScreen
from tui.screens.panes import Divider, Pane
from tui.view_models import Line, diff_style, paragraph
from tui.widgets import LinesView, RowSource, RowTable, TextLines


class Halves(SessionScreen):
    """The two panes with the divider between them, which has a heading."""

    PANES = (Pane("list", ("#changes-box",)), Pane("text", ("#diff", "#diff-title")))
    DIVIDERS = (Divider("#diff-title", "#changes-box"),)

    table: RowTable

    def __init__(self, context: Context, rows: RowSource, table: RowTable | None = None) -> None:
        """`rows` are those of the table until there are others; `table` is one that shows them in its own way."""
        super().__init__(context)
        self.table = table or RowTable(rows, id="changes")
        self.view = LinesView(diff_style, id="diff")

    def places(self) -> tuple[Where, ...]:
        return (*self.PLACES, Where.LINES if self.view.has_focus else Where.TABLE)

    def body(self) -> ComposeResult:
        with Vertical(id="changes-box"):
            yield self.table
        yield Static("", id="diff-title", markup=False)
        yield self.view

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            self.panes.fit(len(self.table.source))
            self.call_after_refresh(self.fit_room)

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self.show_words()

    def show_rows(self, rows: RowSource) -> None:
        """Show other rows; the cursor stays on its own."""
        self.table.show(rows, keep=self.table.cursor_key)
        self.panes.fit(len(rows))

    def fit_room(self) -> None:
        """Show what depends on the size of the panes, which is another one."""
        self.show_words()

    def show_words(self) -> None:
        """Show below what there is to say of the row under the cursor."""

    def say(self, heading: str, words: Iterable[tuple[str, str]]) -> None:
        """Show texts with their styles below the table."""
        self.query_one("#diff-title", Static).update(heading)
        lines: list[Line] = []
        for text, style in words:
            lines += paragraph(text, style, self.view.line_width, 4)
        self.view.show(TextLines(lines))

    def action_other_pane(self) -> None:
        (self.table if self.view.has_focus else self.view).focus()
