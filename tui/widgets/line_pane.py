# SPDX-License-Identifier: Apache-2.0
"""What is scrolled and painted line by line, at the price of what has changed."""

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

from tui.widgets.cell_bar import CellBar
from tui.widgets.kept_lines import KeptLines


class LinePane(ScrollView, KeptLines, can_focus=True):
    """Lines under a bar that is always there. Borders, padding and opacity belong on a parent: lines bypass the cache
    of styles, which would wrap each of them anew."""

    DEFAULT_CSS = """
    LinePane {
        background: $surface; color: $foreground; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar, made when it is first asked for."""
        if self._vertical_scrollbar is None:
            self._vertical_scrollbar = bar = CellBar(name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    @property
    def line_width(self) -> int:
        """The cells of a line that are seen: beside the bar."""
        return self.scrollable_content_region.width

    def set_line_count(self, count: int) -> None:
        """Say how many lines there are. To be called again with each new size."""
        # Assigning virtual_size lays the whole screen out again; the bar is always there, so only its numbers change.
        size = Size(self.size.width, count)
        self.set_reactive(LinePane.virtual_size, size)
        self._scroll_update(size)
