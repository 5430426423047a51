# SPDX-License-Identifier: Apache-2.0
"""The overview's numbers: the cursor goes from one to the next and stands on nothing else."""

from collections.abc import Sequence

from core.matrix.overview import Number
from tui.overview_rows import OverviewRows
from tui.presentation import Cell
from tui.widgets.cell_table import CellTable
from tui.widgets.row_table import RowSource


class NumberBoard(CellTable):
    """A CellTable over sections of numbers."""

    def show(self, source: RowSource, *, keep: str | None = None) -> None:
        super().show(source, keep=keep)
        self.cursor = self._nearest(self.cursor, 1)

    def header(self) -> Sequence[Sequence[Cell]]:
        """The heading of the section at the top, so that it is always there."""
        source = self.source
        heading = source.heading(self.scroll_offset.y) if isinstance(source, OverviewRows) else []
        return heading or super().header()

    def header_look(self) -> object:
        return self.scroll_offset.y

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
        """Not past the last number of the row."""
        column = super().validate_column(column)
        return next((one for one in range(column, -1, -1) if self._at(self.cursor, one)), 0)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.column = self.validate_column(self.column)

    def _nearest(self, position: int, direction: int) -> int:
        """The nearest row with a number, first in one direction and then in the other."""
        for step in (direction, -direction):
            end = len(self.source) if step > 0 else -1
            found = next((one for one in range(position, end, step) if self._at(one, 0)), None)
            if found is not None:
                return found
        return position

    def action_section(self, steps: int) -> bool:
        """To the first row of another section; False where there is none that way."""
        starts = self.source.starts() if isinstance(self.source, OverviewRows) else []
        here = sum(start <= self.cursor for start in starts) - 1
        if not 0 <= here + steps < len(starts):
            return False
        self.cursor = starts[here + steps]
        return True
