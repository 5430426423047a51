# SPDX-License-Identifier: Apache-2.0
"""The line below a log: what to search or filter is typed there, and what that found is said."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from core.text import one_line
from tui.widgets.line_input import LineInput


class LogInput(LineInput):
    """One line of text, left with enter or escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Enter", show=False),
        Binding("escape", "leave", "Leave", show=False),
    ]

    def __init__(self, entered: Callable[[str], None], left: Callable[[], None]) -> None:
        super().__init__()
        self.cursor_blink = False
        self._entered = entered
        self._left = left

    def action_enter(self) -> None:
        self._entered(self.value)

    def action_leave(self) -> None:
        self._left()


class LogBar(Horizontal):
    """Hidden while nobody types and there is nothing to say.

    `entered` is called with what was typed, `left` where nothing was asked for after all; both move the focus at once.
    """

    DEFAULT_CSS = """
    LogBar { height: 1; display: none; background: $panel; }
    LogBar > Static { width: auto; max-width: 100%; height: 1; padding: 0 1; }
    LogBar > Static.error { color: $text-error; }
    LogBar > #log-prompt { color: $text-primary; text-style: bold; }
    LogBar > LogInput { width: 1fr; height: 1; border: none; padding: 0; background: $boost; }
    """

    def __init__(self, entered: Callable[[str], None], left: Callable[[], None]) -> None:
        super().__init__()
        self._entered = entered
        self._left = left

    def compose(self) -> ComposeResult:
        yield Static("", id="log-prompt", markup=False)
        yield LogInput(self._entered, self._left)
        yield Static("", id="log-note", markup=False)

    def on_mount(self) -> None:
        self._shown("")

    @property
    def input(self) -> LogInput:
        return self.query_one(LogInput)

    def ask(self, prompt: str) -> None:
        """Have a person type."""
        self.input.value = ""
        self._shown(prompt)
        # At once: what is typed right after the key belongs here, and must never run as commands.
        self.screen.set_focus(self.input)

    def say(self, note: str, *, error: bool = False) -> None:
        """Say something, and ask no more."""
        shown = self.query_one("#log-note", Static)
        shown.set_class(error, "error")
        shown.update(Text(one_line(note), no_wrap=True, overflow="ellipsis"))
        self._shown("", note)

    def _shown(self, prompt: str, note: str = "") -> None:
        self.query_one("#log-prompt", Static).update(prompt)
        for widget, there in (
            (self.query_one("#log-prompt"), prompt),
            (self.input, prompt),
            (self.query_one("#log-note"), note),
            (self, prompt or note),
        ):
            widget.display = bool(there)
