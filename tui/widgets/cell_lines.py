# SPDX-License-Identifier: Apache-2.0
"""A few lines of pieces that bring their styles, such as what the shades of a grid mean, or a plot."""

from collections.abc import Sequence

from rich.segment import Segment
from textual.strip import Strip

from tui.textual_private import CachedLines
from tui.view_models import Cell
from tui.widgets.line_base import line_style


class CellLines(CachedLines):
    """Shows lines of pieces, cut at its end."""

    DEFAULT_CSS = "CellLines { height: 1; background: $surface; color: $foreground; }"

    def __init__(self, *, id: str | None = None, margin: int = 1) -> None:
        """`margin` is how many cells in front of a line stay empty."""
        super().__init__(id=id)
        self._margin = " " * margin
        self.lines: Sequence[Sequence[Cell]] = ()

    def show(self, lines: Sequence[Sequence[Cell]]) -> None:
        """Show other lines."""
        if lines != self.lines:
            self.lines = lines
            self.refresh()

    def render_line(self, y: int) -> Strip:
        plain = line_style(self)
        cells = self.lines[y] if y < len(self.lines) else ()
        segments = [Segment(cell.text, line_style(self, cell.style)) for cell in cells]
        return Strip([Segment(self._margin, plain), *segments]).adjust_cell_length(self.size.width, plain)
