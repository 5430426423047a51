# SPDX-License-Identifier: Apache-2.0
"""How the logs of two runs differ, full size."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label

from core.text import one_line
from tui.presentation import diff_style
from tui.screens.dialogs import Dialog
from tui.widgets.lines_view import LinesView, TextLines


class LogDiff(Dialog[None]):
    """Shows lines of a unified diff, of which nothing is safe to show yet."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Close", show=False)]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = [one_line(line) for line in lines]

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Label("Two logs, without times, addresses and names of runs", id="dialog-title")
            yield LinesView(diff_style)
            yield Label(Text("↑ ↓ pgup pgdn scroll   ← → sideways   esc close"), id="dialog-hint")

    def on_mount(self) -> None:
        view = self.query_one(LinesView)
        view.show(TextLines(self._lines))
        view.focus()
