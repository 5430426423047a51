# SPDX-License-Identifier: Apache-2.0
"""The base of line widgets: panes and bars that paint only changed lines, and the styles of their pieces."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

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

from tui.commands import HasCommands, Where, command
from tui.textual_private import CachedLines, install_scrollbar, set_virtual_size

F = TypeVar("F", bound=Callable[..., Any])

_PAGES = (
    ("half_down", "ctrl+d", "Half down", "Half a page down", "page(0.5)"),
    ("half_up", "ctrl+u", "Half up", "Half a page up", "page(-0.5)"),
    ("page_down", "pagedown", "Page down", "A page down", "page(1)"),
    ("page_up", "pageup", "Page up", "A page up", "page(-1)"),
)


def by_lines(pane: str, where: Where, down: str = "A line down", up: str = "A line up") -> Callable[[F], F]:
    """The keys of `action_move`, which are the same in every pane; `down` and `up` say what they do."""
    one_down = command(f"{pane}.down", where, "j,down", "Down", down, action="move(1)")
    one_up = command(f"{pane}.up", where, "k,up", "Up", up, action="move(-1)")
    return lambda method: one_down(one_up(method))


def by_pages(pane: str, where: Where, **others: str) -> Callable[[F], F]:
    """The keys of `action_page`, which are the same in every pane; `others` come before them, by the name of a move."""

    def declare(method: F) -> F:
        for name, key, label, help, action in reversed(_PAGES):
            keys = ",".join(filter(None, (others.get(name), key)))
            method = command(f"{pane}.{name}", where, keys, label, help, action=action)(method)
        return method

    return declare


class CachedBox(Vertical, CachedLines):
    """The stock box, with its lines cached; those between its first and its last are one, painted once."""

    def paint_lines(self, crop: Region) -> list[Strip]:
        edges, painted = (0, self.outer_size.height - 1), dict[int | None, Strip]()
        alike = [y if y in edges else None for y in crop.line_range]
        for y, key in zip(crop.line_range, alike, strict=True):
            if key not in painted:
                (painted[key],) = super().paint_lines(Region(crop.x, y, crop.width, 1))
        return [painted[key] for key in alike]


class CachedText(Static, CachedLines):
    """The stock text, with its lines cached."""


class CellBar(ScrollBar, CachedLines):
    """Looks and works as the stock vertical bar, but makes each different cell once and not each cell of the bar.

    For a bar of 60 lines a scroll costs 0.3 ms of processor time and not 2.6 ms.
    """

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


class LinePane(HasCommands, ScrollView, CachedLines, can_focus=True):
    """Lines under a bar that is always there. Borders, padding and opacity belong on a parent: lines bypass the cache
    of styles, which would wrap each of them again."""

    DEFAULT_CSS = """
    LinePane {
        background: $surface; color: $foreground; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The bar, made when it is first asked for."""
        return install_scrollbar(self, CellBar)

    @property
    def line_width(self) -> int:
        """The visible cells of a line, without the bar."""
        return self.scrollable_content_region.width

    def set_line_count(self, count: int) -> None:
        """Say how many lines there are. To be called again with each new size."""
        set_virtual_size(self, Size(self.size.width, count))


class Look(NamedTuple):
    """The look of a piece: a variable of the theme as its colour, and a text style."""

    colour: str
    text: str = ""
    """A text style, or a variable of the theme that holds one."""
    ground: str = ""
    """A variable of the theme as its background."""


LOOKS: Mapping[str, Look] = {
    "title": Look("foreground", "bold"),
    "rule": Look("rule"),
    "rule-lit": Look("text-primary", "bold"),
    "rule-title": Look("foreground"),
    "rule-title-lit": Look("text-primary", "bold"),
    "tab": Look("tab-text", "tab-style", ground="tab-ground"),
    "tab-key": Look("text-primary"),
    "hint": Look("foreground", "italic"),
    "warn": Look("text-warning", "bold"),
    "mark": Look("accent", "bold"),
    "dim": Look("muted", "muted-style"),
    "pass": Look("text-success"),
    "xfail": Look("text-warning"),
    "skip": Look("foreground"),
    "exclude": Look("muted", "italic"),
    "mixed": Look("foreground", "italic"),
    "fail": Look("text-error", "bold"),
    "running": Look("text-primary", "bold"),
    **{f"heat{nth}": Look(f"heat-text-{nth}", ground=f"heat-{nth}") for nth in range(5)},
}
"""The looks of pieces of tables. Component classes would have Textual match each of them with all rules, for each
table and each time the focus moves."""


def line_style(widget: Widget, *names: str) -> Style:
    """The style of `names` on `widget`, the later ones on top; empty names are skipped.

    Each is one of LOOKS or a component class of the widget. Lines are painted as they are, so half-transparent colours
    are blended here, and the app's line filters (for terminals without colour) are asked once for a style instead of
    once for each line.
    """
    background = widget.background_colors[1]
    foreground = widget.styles.color
    text_style = widget.styles.text_style
    for name in filter(None, names):
        if look := LOOKS.get(name):
            variables = widget.app.theme_variables
            foreground = Color.parse(variables[look.colour])
            background = Color.parse(variables[look.ground]) if look.ground else background
            text_style += Style.parse(variables.get(look.text, look.text))
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
