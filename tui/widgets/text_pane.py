# SPDX-License-Identifier: Apache-2.0
"""A scrolled text that can be replaced at any time without the screen being laid out again."""

from collections.abc import Callable, Iterable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from textual.app import ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer

from tui.commands import Where, command
from tui.widgets.line_base import CachedBox, LinePane, by_lines, by_pages, line_style
from tui.widgets.pane_rule import PaneRule


class TextPane(LinePane):
    """Shows a Text, wrapped to its width."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown = Text()
        self._strips: list[Strip] = []

    def places(self) -> tuple[Where, ...]:
        """The places of a person whose keys go here."""
        return (Where.TEXT,)

    def show(self, text: Text, *, stay: bool = False) -> None:
        """Show another text, from its top, or with `stay` from where one has scrolled to."""
        self.shown = text
        if not self.size:
            # `on_resize` follows. Wrapped to no width, the text would make the pane as high as it has letters.
            return
        self._wrap()
        if not stay:
            self.scroll_to(y=0, animate=False, force=True)

    @property
    def text(self) -> str:
        """The text as plain text."""
        return self.shown.plain

    def _wrap(self) -> None:
        width = max(1, self.line_width)
        style = line_style(self)
        lines = self.shown.split(allow_blank=True) if self.shown else ()
        pieces = (piece for line in lines for piece in _wrapped(line, width, self.app.console))
        strips = [Strip(piece.render(self.app.console)).apply_style(style) for piece in pieces]
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        self._strips = [strip.adjust_cell_length(width, style) for strip in strips]
        self.set_line_count(len(self._strips))
        self.refresh()

    @by_lines("text", Where.TEXT)
    def action_move(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False, force=True)

    @by_pages("text", Where.TEXT)
    def action_page(self, pages: float) -> None:
        self.action_move(int(self.size.height * pages))

    @command("text.top", Where.TEXT, "g,home", "Top", "First line")
    def action_top(self) -> None:
        self.scroll_to(y=0, animate=False, force=True)

    @command("text.bottom", Where.TEXT, "G,end", "End", "Last line")
    def action_bottom(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def on_resize(self) -> None:
        self._wrap()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached and self.size:
            self._wrap()

    def paint_lines(self, crop: Region) -> list[Strip]:
        first = self.scroll_offset.y + crop.y
        strips = self._strips[first : first + crop.height]
        strips += [Strip.blank(self.size.width, line_style(self))] * (crop.height - len(strips))
        return [strip.crop(crop.x, crop.right) for strip in strips]


def lines_in(text: str, width: int, console: Console) -> int:
    """The number of lines of a text in a pane with so many cells for each; of none there are none."""
    return sum(len([*_wrapped(Text(line), max(1, width), console)]) for line in text.split("\n")) if text else 0


_FURTHER = 2
"""Cells by which what goes on is indented more than the beginning of its line."""


def _wrapped(line: Text, width: int, console: Console) -> Iterable[Text]:
    """A line in pieces of at most `width` cells: what goes on below it is indented further than its beginning."""
    line.expand_tabs(4)
    indent = len(line.plain) - len(line.plain.lstrip()) + _FURTHER
    if line.no_wrap or not _FURTHER < indent < width // 2 or cell_len(line.plain) <= width:
        return line.wrap(console, width)
    first, *others = line.wrap(console, width)
    if not others:
        return [first]
    rest = line[len(first) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    return [first, *(Text(" " * indent) + piece for piece in rest.wrap(console, width - indent))]


_DELAY = 0.06
"""Seconds the cursor must rest."""


class RestingText(CachedBox):
    """Shows what `make` gives; it is asked only while it can be seen."""

    def __init__(self, make: Callable[[], Text], *, id: str, title: str) -> None:
        super().__init__(id=id)
        self._make = make
        self.rule = PaneRule(title)
        self.pane = TextPane()
        # In line with the rows of tables.
        self.pane.styles.margin = (0, 0, 0, 1)

    def compose(self) -> ComposeResult:
        yield self.rule
        yield self.pane

    def on_mount(self) -> None:
        self._timer: Timer = self.set_interval(_DELAY, self._rested, pause=True)

    def follow_soon(self) -> None:
        """Follow once nothing has asked for it for a moment."""
        # One timer that starts again with each key: a new one would be a task that is created and cancelled.
        self._timer.reset()

    def _rested(self) -> None:
        self._timer.pause()
        self.follow()

    def follow(self) -> None:
        """Show the text as it is now."""
        if self.display:
            self.pane.show(self._make())
