# SPDX-License-Identifier: Apache-2.0
"""The pane below a list: a headline, and lines that are worked out in the background once the cursor rests."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual.timer import Timer

from tui.screens.list_and_text import title_of_text
from tui.view_models import Line, diff_style
from tui.widgets import LinesView, TextLines

T = TypeVar("T")

_DELAY = 0.06
"""Seconds the cursor must rest before what it is on is worked out."""


class PreviewPane:
    """Two widgets and a timer; `ask` is called once the cursor rests, and shows something sooner or later."""

    def __init__(self, ask: Callable[[], None]) -> None:
        # Attributes, not looked up: what is worked out may come while the screen is taken apart.
        self.headline = title_of_text()
        self.view = LinesView(diff_style, id="text")
        self._ask = ask
        self._asked = 0
        """A count of requests."""
        self._timer: Timer | None = None

    @property
    def width(self) -> int:
        """Cells of a line."""
        return self.view.line_width

    def ask(self) -> None:
        """Ask now; an answer to an earlier question that comes from now on is not shown."""
        self._asked += 1
        self._ask()

    def drop(self) -> None:
        """Something else is going to be shown: what was asked for is not, whether it was asked or about to be."""
        self._asked += 1
        if self._timer is not None:
            self._timer.stop()

    def if_last(self, show: Callable[[T], None]) -> Callable[[T], None]:
        """`show` for an answer that comes later: it does nothing once something else was asked."""
        asked = self._asked
        return lambda answer: show(answer) if asked == self._asked else None

    def ask_soon(self) -> None:
        """Ask once nothing has asked for it for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.view.set_timer(_DELAY, self.ask)

    def say(self, headline: str) -> None:
        """Show another headline over the same lines."""
        self.headline.say(headline)

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, from the first one."""
        self.view.show(TextLines(lines))
