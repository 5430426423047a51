# SPDX-License-Identifier: Apache-2.0
"""A scrolled text that follows a cursor once it rests, so that moving stays cheap."""

from collections.abc import Callable

from rich.text import Text
from textual.app import ComposeResult
from textual.timer import Timer

from tui.widgets.kept_lines import KeptBox
from tui.widgets.text_pane import TextPane

_DELAY = 0.06
"""Seconds the cursor must rest."""


class RestingText(KeptBox):
    """Shows what `make` gives; it is asked only while it can be seen."""

    def __init__(self, make: Callable[[], Text], *, id: str) -> None:
        super().__init__(id=id)
        self._make = make
        self.pane = TextPane()

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        self._timer: Timer = self.set_interval(_DELAY, self._rested, pause=True)

    def follow_soon(self) -> None:
        """Follow once nothing has asked for it for a moment."""
        # One timer that begins anew with each key: a new one would be a task that is made and cancelled.
        self._timer.reset()

    def _rested(self) -> None:
        self._timer.pause()
        self.follow()

    def follow(self) -> None:
        """Show the text as it is now."""
        if self.display:
            self.pane.show(self._make())
