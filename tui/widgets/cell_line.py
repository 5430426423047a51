# SPDX-License-Identifier: Apache-2.0
"""One line of pieces that bring their styles, such as what the shades of a grid mean."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from tui.view_models import Cell
from tui.widgets.internals import CachedLines
from tui.widgets.line_base import line_style


class CellLine(CachedLines):
    """Shows pieces, cut at its end."""

    DEFAULT_CSS = "CellLine { height: 1; background: $surface; color: $foreground; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cells: Sequence[Cell] = ()

    def show(self, cells: Sequence[Cell]) -> None:
        """Show other pieces."""
        if cells != self._cells:
            self._cells = cells
            self.refresh()

    @property
    def text(self) -> str:
        """What is shown, without styles."""
        return "".join(cell.text for cell in self._cells)

    def render_line(self, y: int) -> Strip:
        plain = line_style(self)
        segments = [Segment(cell.text, line_style(self, cell.style)) for cell in self._cells]
        return Strip([Segment(" ", plain), *segments]).adjust_cell_length(self.size.width, plain)
