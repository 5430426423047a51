# SPDX-License-Identifier: Apache-2.0
"""The tests as a grid, and what is in the cell under the cursor."""

from core.matrix.grid import Grid
from core.matrix.query import Query
from tui.grid_rows import GridRows
from tui.widgets.cell_table import CellTable


class MatrixGrid(CellTable):
    """A CellTable over a Grid."""

    def show_grid(self, grid: Grid) -> None:
        """Show another grid; the cursor stays on its row."""
        self.show(GridRows(grid), keep=self.cursor_key)

    @property
    def cell_query(self) -> Query | None:
        """What the cell under the cursor selects; None where there is no cell or no test in it."""
        source = self.source
        if not isinstance(source, GridRows) or not source.grid.at(self.cursor, self.column):
            return None
        return source.grid.query_of(self.cursor, self.column)

    @property
    def cell_words(self) -> str:
        """What the cell under the cursor says, in words."""
        return self.source.cell_text(self.cursor, self.column) if isinstance(self.source, GridRows) else ""

    @property
    def cell_title(self) -> str:
        """What the cell under the cursor is called."""
        return self.source.title(self.cursor, self.column) if isinstance(self.source, GridRows) else ""
