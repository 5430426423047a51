# SPDX-License-Identifier: Apache-2.0
"""What is scrolled and painted line by line, at the price of what has changed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static


class KeptLines(Widget):
    """A widget that gives the lines it gave before, but for those made dirty since.

    It stands after a stock one: whose style a widget has, Textual tells by its first base.
    """

    _kept_at = Region()
    _kept_over: object = None
    _kept: Sequence[Strip | None] = ()

    def _set_dirty(self, *regions: Region) -> None:
        super()._set_dirty(*regions)
        if not regions:
            self._kept = ()
        for region in regions:
            first, last = (max(0, y - self._kept_at.y) for y in (region.y, region.bottom))
            self._kept = [None if first <= at < last else strip for at, strip in enumerate(self._kept)]

    def render_lines(self, crop: Region) -> list[Strip]:
        # What stands behind it, another widget changes.
        over = None if self.styles.background.a == 1 else self.background_colors
        same = self._kept and (crop, over) == (self._kept_at, self._kept_over)
        kept = self._kept if same else [None] * crop.height
        missing = [at for at, strip in enumerate(kept) if strip is None]
        if missing:
            first, last = missing[0], missing[-1] + 1
            painted = self.paint_lines(Region(crop.x, crop.y + first, crop.width, last - first))
            kept = [*kept[:first], *painted, *kept[last:]]
        self._kept_at, self._kept_over, self._kept = crop, over, kept
        return [strip for strip in kept if strip is not None]

    def paint_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region of the widget as they are now."""
        return super().render_lines(crop)


class KeptBox(Vertical, KeptLines):
    """A box that is there with each frame, as the stock one but for its price."""


class KeptText(Static, KeptLines):
    """A text that is there with each frame, as the stock one but for its price."""


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


class Look(NamedTuple):
    """How a piece stands out: a variable of the theme as its colour, and a text style."""

    colour: str
    text: str = ""
    strength: float = 1.0
    """How much of the colour there is over the background."""


LOOKS: Mapping[str, Look] = {
    "mark": Look("accent", "bold"),
    "dim": Look("foreground", strength=0.5),
    "pass": Look("text-success"),
    "xfail": Look("text-warning"),
    "skip": Look("text-primary"),
    "exclude": Look("foreground", "italic", 0.7),
    "mixed": Look("foreground", "italic"),
    "fail": Look("text-error", "bold"),
    "running": Look("text-primary", "bold"),
}
"""What pieces of tables can look like. Component classes would have Textual match each of them with all rules, for each
table and each time the focus moves."""


def line_style(widget: Widget, *names: str) -> Style:
    """The style that `names` (empty ones are passed over) come to on `widget`, the later ones on top.

    Each is one of LOOKS or a component class of the widget. Lines are painted as they are, so half-transparent colours
    are blended here, and the app's line filters (for terminals without colour) are asked once for a style instead of
    once for each line.
    """
    background = widget.background_colors[1]
    foreground = widget.styles.color
    text_style = widget.styles.text_style
    for name in filter(None, names):
        if look := LOOKS.get(name):
            colour = Color.parse(widget.app.theme_variables[look.colour])
            foreground = colour.multiply_alpha(look.strength)
            text_style += Style.parse(look.text)
            continue
        styles = widget.get_component_styles(name)
        if styles.has_rule("background"):
            background = background + styles.background
        if styles.has_rule("color"):
            foreground = styles.color
        if styles.has_rule("text_style"):
            text_style += styles.text_style
    colours = Style(color=(background + foreground).rich_color, bgcolor=background.rich_color)
    piece = [Segment(" ", text_style + colours)]
    for line_filter in widget.get_line_filters():
        piece = line_filter.apply(piece, background)
    return piece[0].style or Style.null()
