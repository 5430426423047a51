# SPDX-License-Identifier: Apache-2.0
"""A table whose cursor stands on one cell; columns that do not fit scroll sideways, the first one stays."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from tui.commands import Where, bindings
from tui.presentation import Cell
from tui.widgets.row_table import RowSource, RowTable, TableColumn


class _Nothing:
    """A RowSource without rows."""

    columns: Sequence[TableColumn] = (TableColumn("", 1),)

    def __len__(self) -> int:
        return 0

    def key(self, position: int) -> str:
        raise IndexError(position)

    def cells(self, position: int) -> Sequence[Sequence[Cell]]:
        raise IndexError(position)

    def marked(self, position: int) -> bool:
        return False


class CellTable(RowTable):
    """Shows a RowSource whose first column names the rows and whose others hold the cells."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.CELLS)

    column: reactive[int] = reactive(0, repaint=False)
    """Number of the highlighted column, that of the names not counted."""

    class Left(Message):
        """The person goes on sideways from the last column, or back from the first."""

        def __init__(self, table: "CellTable", steps: int) -> None:
            super().__init__()
            self.table = table
            self.steps = steps

        @property
        def control(self) -> "CellTable":
            return self.table

    def __init__(self, source: RowSource | None = None, *, id: str | None = None) -> None:
        super().__init__(source or _Nothing(), id=id)
        self._first = 0
        """Number of the first column that is shown beside the names."""

    def show(self, source: RowSource, *, keep: str | None = None) -> None:
        super().show(source, keep=keep)
        self.set_reactive(CellTable.column, self.validate_column(self.column))
        self._show_column()

    def validate_column(self, column: int) -> int:
        return max(0, min(column, len(self.source.columns) - 2))

    def watch_column(self) -> None:
        self._show_column()
        self.repaint_rows()
        self.post_message(self.Highlighted(self))

    def action_side(self, steps: int) -> None:
        before = self.column
        self.column += steps
        if self.column == before:
            self.post_message(self.Left(self, steps))

    def cursor_look(self, position: int) -> object:
        return self.column if position == self.cursor else None

    def lits(self, position: int, count: int) -> list[bool]:
        """The cell, and more faintly nothing: the name of the row and the head of the column are lit with it."""
        lit = (self.column + 1,) if position == -1 else (0, self.column + 1) if position == self.cursor else ()
        return [number in lit for number in range(count)]

    def widths(self, total: int) -> list[int]:
        names, *cells = self.source.columns
        wanted = [max(column.width, len(column.title)) for column in cells]
        width = max(names.width, min(total - 2 - sum(wanted) - len(wanted), names.width * (names.share + 1)))
        left = total - 2 - width
        spare = max(0, left - sum(column.width + 1 for column in cells))
        widths = [width]
        for number, column in enumerate(cells):
            own = min(wanted[number], column.width + spare)
            # Columns keep their order: after one that does not fit none is shown.
            fits = number >= self._first and own <= left
            widths.append(own if fits else 0)
            spare -= own - column.width
            left = left - own - 1 if fits else left if number < self._first else 0
        return widths

    def _show_column(self) -> None:
        """Scroll sideways until the highlighted column is on show."""
        self._first = min(self._first, self.column)
        while self._first < self.column and not self.widths(self.size.width)[self.column + 1]:
            self._first += 1

    def on_resize(self, event: events.Resize) -> None:
        self._first = 0
        self._show_column()

    def on_click(self, event: events.Click) -> None:
        """The cell under the pointer."""
        end = 1
        for number, width in enumerate(self.widths(self.size.width)):
            end += width + bool(width)
            if width and number and event.x < end:
                self.column = number - 1
                break
