# SPDX-License-Identifier: Apache-2.0
"""A scroll bar that is cheap to paint: of its cells only a few are different, and each of these is made once."""

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from tui.widgets.kept_lines import KeptLines


class CellBar(ScrollBar, KeptLines):
    """Looks and works as the stock vertical bar, whose every cell goes through the styles cache with each scroll."""

    def paint_lines(self, crop: Region) -> list[Strip]:
        bar = self.render()
        assert isinstance(bar, ScrollBarRender) and isinstance(bar.style, Style) and bar.style.color is not None
        cells = bar.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=bar.thickness,
            back_color=bar.style.bgcolor or bar.style.color,
            bar_color=bar.style.color,
        ).segments
        strips = {id(cell): self._strip(cell) for cell in {id(cell): cell for cell in cells}.values()}
        return [strips[id(cell)] for cell in cells[crop.y : crop.bottom]]

    def _strip(self, cell: Segment) -> Strip:
        background = self.background_colors[1]
        strip = Strip(Segment.apply_style([cell], Style(bgcolor=background.rich_color)), self.thickness)
        for line_filter in self.get_line_filters():
            strip = strip.apply_filter(line_filter, background)
        return strip
