# SPDX-License-Identifier: Apache-2.0
"""A table whose cursor is on one cell; columns that do not fit scroll sideways, the first one stays."""

from collections.abc import Sequence

from textual import events
from textual.message import Message
from textual.reactive import reactive

from core.matrix.query import Query
from core.matrix.view import Grid, HeatOrder, Number
from tui.commands import Need, Where, command
from tui.view_models import Cell, GridRows, IdLook, OverviewRows, RowSource, TableColumn, fit, grid_legend
from tui.widgets.row_table import RowTable


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

    column: reactive[int] = reactive(0, repaint=False)
    """Number of the highlighted column; the column of names does not count."""

    class Left(Message):
        """The cursor would move past the last column, or before the first; `down`: past the last row, or the first."""

        def __init__(self, table: "CellTable", steps: int, *, down: bool = False) -> None:
            super().__init__()
            self.table = table
            self.steps = steps
            self.down = down

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

    @command("cells.left", Where.CELLS, "h,left", "Left", "Next cell to the left", action="side(-1)")
    @command("cells.right", Where.CELLS, "l,right", "Right", "Next cell to the right", action="side(1)")
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
        most = names.most or names.width
        width = max(names.width, min(total - 2 - sum(wanted) - len(wanted), most))
        left = total - 2 - width
        spare = max(0, left - sum(column.width + 1 for column in cells))
        widths = [width]
        for number, column in enumerate(cells):
            own = min(wanted[number], column.width + spare)
            # After a column that does not fit, none is shown, so that their order stays. The scroll bar is over the
            # blank behind the last one.
            fits = number >= self._first and own < left
            widths.append(own if fits else 0)
            spare -= own - column.width
            if fits:
                left -= own + 1
            elif number >= self._first:
                break
        # What is too narrow for one more column is for the names.
        widths[0] += max(0, min(left, most - width))
        return [*widths, *[0] * (len(cells) + 1 - len(widths))]

    def id_look(self, width: int) -> IdLook:
        return IdLook()

    def see(self, lines: Sequence[int]) -> None:
        """Columns are as wide as the rows' source says: it has seen all of them."""

    def header(self) -> Sequence[Sequence[Cell]]:
        return self._with_arrows(super().header())

    def header_look(self) -> object:
        return self._first

    def _with_arrows(self, heads: Sequence[Sequence[Cell]]) -> Sequence[Sequence[Cell]]:
        """Heads of all columns, with arrows behind those next to columns that are not visible."""
        widths, pointed = self.widths(self.size.width), list(heads)
        last = max(number for number, width in enumerate(widths) if width)
        for at, arrow, hidden in ((0, "‹", self._first > 0), (last, "›", last < len(heads) - 1)):
            if hidden:
                words = "".join(cell.text for cell in heads[at])
                pointed[at] = (Cell(f"{fit(words, min(len(words), widths[at] - 2))} {arrow}"),)
        return pointed

    def _show_column(self) -> None:
        """Scroll sideways until the highlighted column is visible."""
        self._first = min(self._first, self.column)
        while self._first < self.column and not self.widths(self.size.width)[self.column + 1]:
            self._first += 1

    def on_resize(self, event: events.Resize) -> None:
        self._first = 0
        self._show_column()

    def on_click(self, event: events.Click) -> None:
        """The cell under the pointer."""
        if column := self.clicked_column(event):
            self.column = column - 1


class MatrixGrid(CellTable):
    """A CellTable over a Grid: sorted by a column, or two columns with their difference."""

    def show_grid(self, grid: Grid, order: HeatOrder) -> None:
        """Show another grid, or the same in another order; the cursor stays on its row."""
        self.show(GridRows(grid, order), keep=self.cursor_key)

    @property
    def is_empty(self) -> bool:
        # The first row is that of all tests together.
        return len(self.source) <= 1

    @property
    def order(self) -> HeatOrder:
        """The order of rows and columns."""
        return self.source.order if isinstance(self.source, GridRows) else HeatOrder()

    class CompareAsked(Message):
        """The column under the cursor is to be compared with another one, which a person has to choose."""

    @command(
        "grid.compare",
        Where.GRID,
        "c",
        "Compare",
        "Compare this column with another one, or show all",
        needs=Need.COLUMNS,
    )
    def action_compare(self) -> None:
        self.post_message(self.CompareAsked())

    def sorted_here(self) -> HeatOrder:
        """The rows by the rate of the column under the cursor, worst first; where they are so already, by name."""
        heads = self.heads
        return self.order._replace(by=() if self.order.by == heads else heads, best_first=False)

    def reversed_sort(self) -> HeatOrder:
        """The other way round."""
        return self.order._replace(by=self.order.by or self.heads, best_first=not self.order.best_first)

    def compared(self, other: str) -> HeatOrder:
        """The column under the cursor beside another one, with the difference; empty: all columns again."""
        pair = (*self.heads[:1], other) if other else ()
        return self.order._replace(pair=pair, by=pair)

    @property
    def heads(self) -> tuple[str, ...]:
        """The head of the column under the cursor; of the difference both."""
        return self.source.heads(self.column) if isinstance(self.source, GridRows) else ()

    @property
    def legend(self) -> Sequence[Cell]:
        """The meaning of the shades."""
        return grid_legend(self.source.grid) if isinstance(self.source, GridRows) else ()

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that the one under the cursor can be compared with; none where two are compared already."""
        source = self.source
        if not isinstance(source, GridRows) or source.difference:
            return ()
        return tuple(head for head in source.grid.heads if head not in self.heads)

    @property
    def cell_query(self) -> Query | None:
        """The query of the cell under the cursor; None where there is no cell or no test in it."""
        source = self.source
        if not isinstance(source, GridRows) or not source.counts(self.cursor, self.column):
            return None
        return source.query_of(self.cursor, self.column)

    @property
    def cell_words(self) -> str:
        """The content of the cell under the cursor, in words."""
        return self.source.cell_text(self.cursor, self.column) if isinstance(self.source, GridRows) else ""

    @property
    def cell_title(self) -> str:
        """The title of the cell under the cursor."""
        return self.source.title(self.cursor, self.column) if isinstance(self.source, GridRows) else ""


class NumberBoard(CellTable):
    """A CellTable over sections of numbers."""

    def show(self, source: RowSource, *, keep: str | None = None) -> None:
        # What comes first may be counted last: a cursor that is at the first row stays there.
        first = self.cursor == self._nearest(0, 1)
        super().show(source, keep=keep)
        self.cursor = self._nearest(0 if first else self.cursor, 1)

    def header(self) -> Sequence[Sequence[Cell]]:
        """The heading of the section at the top, so that it is always there."""
        source = self.source
        heading = source.heading(self.scroll_offset.y) if isinstance(source, OverviewRows) else []
        return self._with_arrows(heading) if heading else super().header()

    def header_look(self) -> object:
        return self.scroll_offset.y, super().header_look()

    def lits(self, position: int, count: int) -> list[bool]:
        return super().lits(position, count) if position >= 0 else [False] * count

    @property
    def number(self) -> Number | None:
        """The number under the cursor."""
        return self._at(self.cursor, self.column)

    def _at(self, position: int, column: int) -> Number | None:
        return self.source.number(position, column) if isinstance(self.source, OverviewRows) else None

    def validate_cursor(self, position: int) -> int:
        position = super().validate_cursor(position)
        return self._nearest(position, 1 if position >= self.cursor else -1)

    def validate_column(self, column: int) -> int:
        """Not past the last number of the row, where it is known already."""
        column = super().validate_column(column)
        return next((one for one in range(column, -1, -1) if self._at(self.cursor, one)), column)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.column = self.validate_column(self.column)

    def _nearest(self, position: int, direction: int) -> int:
        """The nearest row that is no heading, first in one direction and then in the other.

        Its numbers may be unknown: while they are counted anew, the cursor stays where it is.
        """
        source = self.source
        for step in (direction, -direction):
            end = len(self.source) if step > 0 else -1
            found = next(
                (
                    one
                    for one in range(position, end, step)
                    if isinstance(source, OverviewRows) and source.has_numbers(one)
                ),
                None,
            )
            if found is not None:
                return found
        return position

    def action_move(self, rows: int) -> None:
        before = self.cursor
        super().action_move(rows)
        if self.cursor == before:
            self.post_message(self.Left(self, rows, down=True))

    def go_to_section(self, steps: int) -> bool:
        """Go to the first row of another section; False if there is none in that direction."""
        starts = self.source.starts() if isinstance(self.source, OverviewRows) else []
        here = sum(start <= self.cursor for start in starts) - 1
        if not 0 <= here + steps < len(starts):
            return False
        self.cursor = starts[here + steps]
        return True
