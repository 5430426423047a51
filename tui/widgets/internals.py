# SPDX-License-Identifier: Apache-2.0
"""The private API of Textual that widgets use, all of it: what it is for and what it saves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.events import ScreenResume
from textual.geometry import Region, Size
from textual.renderables.background_screen import BackgroundScreen
from textual.screen import ModalScreen, Screen
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label

T = TypeVar("T")


class CachedLines(Widget):
    """A widget that paints a line once, and again only when it was made dirty.

    The compositor asks every widget on the screen for all its lines with each frame. For one line of text that costs
    10 µs of processor time here and 37 µs in the stock widget, and a screen has ten of them beside its tables. What
    makes a line dirty, only the private method tells.

    It comes after a stock class among the bases: Textual takes the styles of the first one.
    """

    _cached_at = Region()
    _cached_over: object = None
    _cached: Sequence[Strip | None] = ()

    def _set_dirty(self, *regions: Region) -> None:
        super()._set_dirty(*regions)
        if not regions:
            self._cached = ()
        for region in regions:
            first, last = (max(0, y - self._cached_at.y) for y in (region.y, region.bottom))
            self._cached = [None if first <= at < last else strip for at, strip in enumerate(self._cached)]

    def render_lines(self, crop: Region) -> list[Strip]:
        # What shines through from behind is changed by another widget.
        over = None if self.styles.background.a == 1 else self.background_colors
        same = self._cached and (crop, over) == (self._cached_at, self._cached_over)
        lines = self._cached if same else [None] * crop.height
        missing = [at for at, strip in enumerate(lines) if strip is None]
        if missing:
            first, last = missing[0], missing[-1] + 1
            painted = self.paint_lines(Region(crop.x, crop.y + first, crop.width, last - first))
            lines = [*lines[:first], *painted, *lines[last:]]
        self._cached_at, self._cached_over, self._cached = crop, over, lines
        return [strip for strip in lines if strip is not None]

    def paint_lines(self, crop: Region) -> list[Strip]:
        """Paint a region of the widget."""
        return super().render_lines(crop)


@lru_cache(1024)
def _tinted(style: Style | None, tint: Color, own: Style) -> Style:
    """`style` in the tint, over the dialog's own."""
    (segment,) = BackgroundScreen.process_segments([Segment(" ", style)], tint)
    return own + segment.style


class SteadyScreen(Screen[T]):
    """A screen that is laid out anew only for another size, and painted once after that.

    Textual lays it out for the same size too: twice when it appears, and once more with each dialog in front of it.
    Where all of it is to be painted, it does so twice. Together that is a third of the first frame of a form.
    """

    def _screen_resized(self, size: Size) -> None:
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _on_timer_update(self) -> None:
        if self._layout_required and self.size.region in self._compositor._dirty_regions:
            # To be laid out again, and then all of it is painted: Textual would paint it a second time.
            self._repaint_required = False
        super()._on_timer_update()


class LatePainted(ModalScreen[T], SteadyScreen[T], CachedLines):
    """A dialog that is painted first when all in it has its size.

    Textual paints a new screen five times, with what is behind it: a third of what `?` costs.
    """

    _has_sizes = False

    def once_painted(self) -> None:
        """The dialog is seen for the first time: what takes longer begins here."""

    def on_screen_resume(self, event: ScreenResume) -> None:
        if not self._has_sizes:
            # The widgets got their styles when they were made. To do that once more is a seventh of the first frame.
            event.refresh_styles = False
        # Behind the message of the first size, which follows this one.
        self.call_later(self.call_later, self._paint)

    def _paint(self) -> None:
        first, self._has_sizes = not self._has_sizes, True
        self.refresh()
        if first:
            self.call_after_refresh(self.once_painted)

    def _compositor_refresh(self) -> None:
        if self._has_sizes:
            super()._compositor_refresh()

    def paint_lines(self, crop: Region) -> list[Strip]:
        """What is behind the box, painted with half of the work of the stock screen: each style is tinted once."""
        behind = self.render()
        if not isinstance(behind, BackgroundScreen):
            return super().paint_lines(crop)
        own, background = self.visual_style.rich_style, self.background_colors[1]
        strips = []
        for line in behind.screen._compositor.render_strips()[crop.y : crop.bottom]:
            tinted = [Segment(text, _tinted(look, behind.color, own)) for text, look, _ in line]
            strip = Strip(tinted, line.cell_length).crop(*crop.column_span)
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, background)
            strips.append(strip)
        return strips


StyleSources = Mapping[CSSLocation, tuple[str, int, str]]
"""Text, order among other defaults, and scope of style sheets, by their places."""


def parse_styles(sheet: Stylesheet) -> StyleSources:
    """Parse the styles of our widgets and of their bases, in any thread; their modules must be loaded.

    Only `add_styles` makes them count.

    Textual parses them when the first widget of a class appears, and those of its bases again: a quarter of what the
    first dialog costs, 26 ms.
    """
    found: dict[CSSLocation, tuple[str, int, str]] = {}
    kinds: list[type[Widget]] = [Label, *_ours_below(Widget)]
    for kind in kinds:
        # A method of instances that needs the class only.
        for place, css, order, scope in object.__new__(kind)._get_default_css():
            if place not in found or order < found[place][1]:
                found[place] = css, order, scope
    for place, (css, order, scope) in found.items():
        sheet._parse_rules(css, place, is_default_rules=True, tie_breaker=order, scope=scope)
    return found


def add_styles(sheet: Stylesheet, sources: StyleSources) -> None:
    """Take in what `parse_styles` has parsed."""
    for place, (css, order, scope) in sources.items():
        sheet.add_source(css, place, is_default_css=True, tie_breaker=order, scope=scope)
    sheet.parse()


def _ours_below(kind: type[Widget]) -> Iterator[type[Widget]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("tui."):
            yield one
        yield from _ours_below(one)


def install_scrollbar(view: ScrollView, make: Callable[..., ScrollBar]) -> ScrollBar:
    """The vertical scroll bar of `view`, made by `make` when it is first asked for.

    The class of the bars has no public door; the stock bar is most of what a scroll costs (see `CellBar`).
    """
    bar = view._vertical_scrollbar
    if bar is None:
        bar = view._vertical_scrollbar = make(name="vertical", thickness=view.scrollbar_size_vertical)
        bar.display = False
        view.app._start_widget(view, bar)
    return bar


def set_virtual_size(view: ScrollView, size: Size) -> None:
    """Say how large the scrolled area is, where the bars are always there.

    To assign `virtual_size` has the whole screen laid out again, in case a bar comes or goes: with each line that a
    log grows by.
    """
    view.set_reactive(ScrollView.virtual_size, size)
    view._scroll_update(size)


def suggestion(line: Input) -> str:
    """The completion that is shown behind what is typed."""
    return line._suggestion


def show_suggestion(line: Input, text: str) -> None:
    """Show a completion in the same frame as the letter. A Suggester works in a task and comes a frame later."""
    line._suggestion = text
