# SPDX-License-Identifier: Apache-2.0
"""The box of a dialog, as large as what it holds."""

from rich.cells import cell_len

from tui.view_models import paragraph
from tui.widgets.line_base import CachedBox
from tui.widgets.text_pane import lines_in

_LEAST, _MOST = 40, 100
"""The cells of the narrowest box, and those at which prose goes on in another line."""
_BORDER = 2
_EDGES = 4
"""Cells of a line beside what is in it: the border, and one at each side."""
_BAR = 1
"""Cells of the bar beside a text that scrolls."""
_REST_SECONDS = 0.06


class DialogBox(CachedBox):
    """As wide as what it holds needs, up to the window, and as high; it keeps that size while one types."""

    def __init__(self, *texts: str, width: int = 0, lines: int = 0) -> None:
        """`texts` are the prose in it, `width` are the cells that all else needs.

        `lines` are those of a list or form that scrolls where there are too few, with what is around it.
        """
        super().__init__(id="box")
        self._texts = texts
        self._width = width
        self._lines = lines
        self._comes: dict[str, str] = {}
        """The longest of the texts that have been in each pane."""
        self._place = ""

    def on_mount(self) -> None:
        self._resting = self.set_interval(_REST_SECONDS, self._rested, pause=True)
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Set the size. It is that of no layout: what fills the rest of the box would have the whole window."""
        lines = [line for text in self._texts for line in text.split("\n")]
        width = max(_LEAST, self._width, *map(_need, lines))
        self.styles.width = width + _EDGES
        if self._lines:
            room = self._room(width)
            below = sum(self._height(text, room) for text in self._comes.values())
            self.styles.height = self._lines + sum(len(paragraph(line, "", room)) for line in lines) + below + _BORDER

    def _room(self, width: int) -> int:
        """The cells of a line in a box for lines of that width."""
        return min(width, self.app.size.width - _EDGES)

    def _height(self, text: str, room: int) -> int:
        return lines_in(text, room - _BAR, self.app.console)

    def say_place(self, place: str) -> None:
        """Say in the lower edge where the cursor is, once it rests: while a key repeats, nothing is painted."""
        if place != self._place:
            self._place = place
            self._resting.reset()

    def _rested(self) -> None:
        self._resting.pause()
        self.border_subtitle = self._place

    def hold(self, *texts: str, width: int = 0, lines: int = 0) -> None:
        """Hold more texts, what needs so many cells, and so many lines."""
        self._texts = (*self._texts, *texts)
        self._lines = lines or self._lines
        self._width = max(self._width, width)
        self._fit()

    def show_all_of(self, text: str, pane: str) -> None:
        """Have room for a text that comes to a pane with a bar; where a longer one has been, the box stays as it is."""
        self._width = max(self._width, *(_need(line) + _BAR for line in text.split("\n")))
        room = self._room(self._width)
        if self._height(text, room) >= self._height(self._comes.get(pane, ""), room):
            self._comes[pane] = text
        self._fit()


def _need(line: str) -> int:
    """The cells of a line of prose: a word is never broken while there is room for it."""
    return max(min(cell_len(line), _MOST), *map(cell_len, line.split(" ")))
