# SPDX-License-Identifier: Apache-2.0
"""A scrolled text that can be replaced at any time without the screen being laid out again."""

from collections.abc import Iterable

from rich.text import Text
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.widgets.line_style import line_style


class TextPane(ScrollView, can_focus=True):
    """Shows a Text, wrapped to its width. Padding belongs into the text: lines bypass the styles cache."""

    DEFAULT_CSS = """
    TextPane {
        background: $surface; color: $foreground; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = Text()
        self._strips: list[Strip] = []

    def show(self, text: Text) -> None:
        """Show another text, from its top."""
        self._text = text
        self._wrap()
        self.scroll_to(y=0, animate=False, force=True)

    @property
    def text(self) -> str:
        """What is shown, as plain text."""
        return self._text.plain

    def _wrap(self) -> None:
        width = max(1, self.size.width)
        style = line_style(self)
        lines: Iterable[Text] = self._text.wrap(self.app.console, width, tab_size=4) if self._text else ()
        self._strips = [
            Strip(line.render(self.app.console)).apply_style(style).adjust_cell_length(width, style) for line in lines
        ]
        size = Size(width, len(self._strips))
        # Assigning virtual_size would lay the whole screen out again.
        self.set_reactive(TextPane.virtual_size, size)
        self._scroll_update(size)
        self.refresh()

    def on_resize(self) -> None:
        self._wrap()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_attached and self.size:
            self._wrap()

    def render_lines(self, crop: Region) -> list[Strip]:
        first = self.scroll_offset.y + crop.y
        strips = self._strips[first : first + crop.height]
        strips += [Strip.blank(self.size.width, line_style(self))] * (crop.height - len(strips))
        for line_filter in self.get_line_filters():
            background = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(crop.x, crop.right) for strip in strips]
