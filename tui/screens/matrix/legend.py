# SPDX-License-Identifier: Apache-2.0
"""What is said below the rows: the cell of the grid under the cursor, and what its shades or the letters mean."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from tui import view_models, widgets
from tui.screens.matrix.listing import Listing

if TYPE_CHECKING:
    from core.matrix import Matrix
    from tui.widgets import CellLines


class Legend:
    """Two lines below the rows of `listing`, each of them shown only where it says something."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing
        self.cell = Static("", id="cell-line", markup=False)

    @cached_property
    def line(self) -> CellLines:
        """What the shades of the grid or the letters of archs mean."""
        return widgets.CellLines(id="grid-legend")

    def make_room(self, width: int) -> None:
        """Show the line in the first frame if it will be needed in a table of that width."""
        # Another line with the second frame would move all others.
        self.line.set_class(self._listing.table.short_heads(width), "shown", update=False)

    def show(self, matrix: Matrix, *, grid: bool) -> None:
        """Say what the shades of the grid mean, or the letters of archs without room for names."""
        table = self._listing.table
        width = table.size.width
        # Not a class of the screen: that has all of its widgets matched with all rules, for 10 ms.
        for widget in (*self._listing.tables, self.cell):
            widget.set_class(grid, "gridded")
        self.line.set_class(grid or table.short_heads(width), "shown")
        self.line.show([self._listing.grid.legend if grid else view_models.arch_legend(matrix, width - 1)])

    def show_cell(self) -> None:
        """Say what the cell of the grid under the cursor counts."""
        words = Text(self._listing.grid.cell_words, no_wrap=True, overflow="ellipsis")
        self.cell.update(words, layout=False)
