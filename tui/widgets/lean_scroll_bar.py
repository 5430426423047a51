# SPDX-License-Identifier: Apache-2.0
"""A vertical scroll bar that costs next to nothing to paint: a view that changes all the time paints it as often."""

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class LeanScrollBar(ScrollBar):
    """Looks and works as the stock one, in which every cell goes through the layout of renderables."""

    def render_lines(self, crop: Region) -> list[Strip]:
        bar = self.render()
        style = bar.style if isinstance(bar, ScrollBarRender) and isinstance(bar.style, Style) else Style.null()
        if not isinstance(bar, ScrollBarRender) or style.bgcolor is None or style.color is None:
            return super().render_lines(crop)
        drawn = bar.render_bar(
            self.size.height,
            bar.virtual_size,
            bar.window_size,
            bar.position,
            back_color=style.bgcolor,
            bar_color=style.color,
        )
        strips: dict[int, Strip] = {}
        base = Style(bgcolor=self.background_colors[1].rich_color)
        return [self._strip(segment, base, strips) for segment in [*drawn.segments][crop.y : crop.bottom]]

    def _strip(self, segment: Segment, base: Style, strips: dict[int, Strip]) -> Strip:
        """The strip of a cell; nearly all cells share their segment."""
        strip = strips.get(id(segment))
        if strip is None:
            strip = Strip([Segment(segment.text, base + segment.style)] * self.size.width, self.size.width)
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, self.background_colors[1])
            strips[id(segment)] = strip
        return strip


class LeanScrollView(ScrollView):
    """A scroll view with such a bar."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        if self._vertical_scrollbar is None:
            # As the stock property does it, which names no class that could be another one.
            self._vertical_scrollbar = LeanScrollBar(
                vertical=True, name="vertical", thickness=self.scrollbar_size_vertical
            )
            self._vertical_scrollbar.display = False
            self.app._start_widget(self, self._vertical_scrollbar)
        return self._vertical_scrollbar
