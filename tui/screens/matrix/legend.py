# SPDX-License-Identifier: Apache-2.0
"""What is said of the rows: the cell of the grid under the cursor, and what its shades or the letters mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static

from tui import view_models
from tui.screens.matrix.listing import Listing
from tui.view_models import Cell

if TYPE_CHECKING:
    from core.matrix import Matrix


class Legend:
    """A line below the grid, and what rests on the line of messages: `rest` shows that."""

    def __init__(self, listing: Listing, rest: Callable[[Sequence[Cell]], None]) -> None:
        self._listing = listing
        self._rest = rest
        self.cell = Static("", id="cell-line", markup=False)

    def show(self, matrix: Matrix, *, grid: bool) -> None:
        """Say what the shades of the grid mean, or the letters of archs without room for names."""
        table = self._listing.table
        width = table.size.width
        # Not a class of the screen: that has all of its widgets matched with all rules, for 10 ms.
        for widget in (*self._listing.tables, self.cell):
            widget.set_class(grid, "gridded")
        letters = view_models.arch_legend(matrix, table.app.size.width - 2) if table.short_heads(width) else ()
        self._rest(self._listing.grid.legend if grid else letters)

    def show_cell(self) -> None:
        """Say what the cell of the grid under the cursor counts."""
        words = Text(self._listing.grid.cell_words, no_wrap=True, overflow="ellipsis")
        self.cell.update(words, layout=False)
