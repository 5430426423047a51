# SPDX-License-Identifier: Apache-2.0
"""The line below a log: what to search or filter is typed there, and what that found is said."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from core.text import one_line
from tui.widgets.line_input import LineInput

_MOST_ENTERED = 100


class LogInput(LineInput):
    """One line of text, left with enter or escape; the arrows go through what was entered before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Enter"),
        Binding("escape", "leave", "Leave"),
        Binding("up", "earlier(1)", "Earlier"),
        Binding("down", "earlier(-1)", "Later", show=False),
    ]

    def __init__(self, entered: Callable[[str], None], left: Callable[[], None]) -> None:
        super().__init__()
        self._entered = entered
        self._left = left
        self._history: list[str] = []
        self._texts = [""]
        """What is being typed, then what was entered before, newest first."""
        self._at = 0

    def begin(self, history: list[str]) -> None:
        """Begin a line; what is entered is added to `history`, oldest first."""
        self._history, self._texts, self._at = history, ["", *reversed(history)], 0
        with self.prevent(Input.Changed):
            self.value = ""

    def action_earlier(self, steps: int) -> None:
        """Go back in what was entered before, or forth to what was being typed."""
        at = max(0, min(self._at + steps, len(self._texts) - 1))
        if self._at == 0:
            self._texts[0] = self.value
        if at != self._at:
            self._at = at
            self.value = self._texts[at]
            self.cursor_position = len(self.value)

    def action_enter(self) -> None:
        text = self.value
        if text:
            self._history[:] = [*(one for one in self._history if one != text), text][-_MOST_ENTERED:]
        self._entered(text)

    def action_leave(self) -> None:
        self._left()


class LogBar(Horizontal):
    """Hidden while nobody types and there is nothing to say.

    `typed` is called with every change of what is typed, `entered` at the end of it, `left` where nothing was asked for
    after all; these two move the focus at once.
    """

    DEFAULT_CSS = """
    LogBar { height: 1; display: none; background: $panel; }
    LogBar > Static { width: auto; max-width: 100%; height: 1; padding: 0 1; }
    LogBar > Static.error { color: $text-error; }
    LogBar > #log-prompt { padding: 0 0 0 1; color: $text-primary; text-style: bold; }
    """

    def __init__(self, typed: Callable[[str], None], entered: Callable[[str], None], left: Callable[[], None]) -> None:
        super().__init__()
        self._typed = typed
        self._entered = entered
        self._left = left
        self._prompt = ""

    def compose(self) -> ComposeResult:
        yield Static("", id="log-prompt", markup=False)
        yield LogInput(self._entered, self._left)
        yield Static("", id="log-note", markup=False)

    def on_mount(self) -> None:
        self._shown("")

    @property
    def input(self) -> LogInput:
        return self.query_one(LogInput)

    @property
    def asks(self) -> bool:
        """Whether a line is open to be typed in."""
        return bool(self._prompt)

    def ask(self, prompt: str, history: list[str]) -> None:
        """Have a person type; `history` has what was entered before, oldest first."""
        self.input.begin(history)
        self._shown(prompt)
        # At once: what is typed right after the key belongs here, and must never run as commands.
        self.screen.set_focus(self.input)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        # The last change may come after the line was left.
        if self._prompt and event.value == self.input.value:
            self._typed(event.value)

    def say(self, note: str, *, error: bool = False) -> None:
        """Say something, and ask no more."""
        self._note(note, error)
        self._shown("", note)

    def remark(self, note: str, *, error: bool = False) -> None:
        """Say something of what is being typed, behind it."""
        self._note(note, error)
        self._shown(self._prompt, note)

    def _note(self, note: str, error: bool) -> None:
        shown = self.query_one("#log-note", Static)
        shown.set_class(error, "error")
        shown.update(Text(one_line(note), no_wrap=True, overflow="ellipsis"))

    def _shown(self, prompt: str, note: str = "") -> None:
        self._prompt = prompt
        self.query_one("#log-prompt", Static).update(prompt)
        for widget, there in (
            (self.query_one("#log-prompt"), prompt),
            (self.input, prompt),
            (self.query_one("#log-note"), note),
            (self, prompt or note),
        ):
            widget.display = bool(there)
