# SPDX-License-Identifier: Apache-2.0
"""The pane below a list: a headline, and lines that are worked out in the background once the cursor rests."""

from collections.abc import Callable, Sequence

from textual.timer import Timer
from textual.widgets import Static

from tui.view_models import Line, diff_style
from tui.widgets import LinesView, TextLines

_DELAY = 0.06
"""Seconds the cursor must rest before what it is on is worked out."""


class PreviewPane:
    """Two widgets and a timer; `ask` is called once the cursor rests, and shows something sooner or later."""

    def __init__(self, ask: Callable[[], None]) -> None:
        # Attributes, not looked up: what is worked out may come while the screen is taken apart.
        self.headline = Static("", id="diff-title", markup=False)
        self.view = LinesView(diff_style, id="diff")
        self._ask = ask
        self._timer: Timer | None = None

    @property
    def width(self) -> int:
        """Cells of a line."""
        return self.view.line_width

    def ask_soon(self) -> None:
        """Ask once nothing has asked for it for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.view.set_timer(_DELAY, self._ask)

    def ask_after_layout(self) -> None:
        """Ask as soon as the new width is known."""
        self.view.call_after_refresh(self._ask)

    def say(self, headline: str) -> None:
        """Show another headline over the same lines."""
        self.headline.update(headline)

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, from the first one."""
        self.view.show(TextLines(lines))
