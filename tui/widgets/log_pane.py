# SPDX-License-Identifier: Apache-2.0
"""A log with the line where one types what to search or filter in it; reads on while it is in front."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from core.base.errors import TTMatrixError, UsageError
from core.base.text import one_line
from core.runs.log import Arrivals, LogFile, LogLook
from tui.widgets.filter_bar import LineInput
from tui.widgets.log_painting import PaintLine
from tui.widgets.log_view import Asks, LogView

_MOST_ENTERED = 100


class LogInput(LineInput):
    """One line of text, left with enter or escape; the arrows go through what was entered before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "enter", "Apply"),
        Binding("escape", "leave", "Cancel"),
        Binding("up", "earlier(1)", "Earlier"),
        Binding("down", "earlier(-1)", "Later", show=False),
    ]

    def __init__(self, entered: Callable[[str], None], left: Callable[[], None]) -> None:
        super().__init__()
        self._entered = entered
        self._left = left
        self._history: list[str] = []
        self._texts = [""]
        """The text being typed, then earlier entries, newest first."""
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
    """Hidden while nothing is typed and there is nothing to say.

    `typed` is called with every change of what is typed, `entered` at the end of it, `left` where nothing was asked for
    after all; these two move the focus at once.
    """

    DEFAULT_CSS = """
    LogBar { height: 1; display: none; background: $panel; }
    LogBar > Static {
        width: auto; max-width: 100%; height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
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


_POLL_SECONDS, _UNSEEN_SECONDS = 0.1, 0.4
_SLICE_SECONDS, _BREATH_SECONDS = 0.001, 0.001
"""Seconds of work on a log at a time, and of everything else in between."""


class LogPane(Vertical):
    """The log view above the line where searches and filters are typed."""

    class Failed(Message):
        """The log cannot be read; it is left alone."""

        def __init__(self, error: TTMatrixError) -> None:
            super().__init__()
            self.error = error

    def __init__(self, paint: PaintLine | None = None, *, copy_key: str = "C", id: str | None = None) -> None:
        """`copy_key` is the key that copies, as a person reads it."""
        super().__init__(id=id)
        self.view = LogView(self._ask, paint, copy_key, id="log")
        self._bar = LogBar(self._typed, self._entered, self._left)
        self._asks = Asks.SEARCH
        self._mistake = ""
        """The problem of the text being typed."""
        self._history: dict[Asks, list[str]] = {what: [] for what in Asks}

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._bar

    def on_mount(self) -> None:
        self.run_worker(self._read_on(), name="log")

    def open(self, log: LogFile, arrivals: Arrivals | None = None, *, follow: bool = True) -> None:
        """Show another log from its end, and follow it; else from its beginning. `arrivals` tells when lines came."""
        try:
            self.view.open(LogLook(log, arrivals, from_end=follow), follow=follow)
        except TTMatrixError as error:
            self._fail(error)
        self._say()

    async def _read_on(self) -> None:
        """Take in what the log has grown by and what is looked for in it."""
        while True:
            seen = self.screen.is_current
            more = seen and self._advance()
            await asyncio.sleep(_BREATH_SECONDS if more else _POLL_SECONDS if seen else _UNSEEN_SECONDS)

    def _advance(self) -> bool:
        try:
            return self.view.advance(_SLICE_SECONDS)
        except TTMatrixError as error:
            self._fail(error)
            return False

    def _fail(self, error: TTMatrixError) -> None:
        self.view.look = None
        self.post_message(self.Failed(error))

    def _ask(self, what: Asks) -> None:
        self._asks = what
        self._mistake = ""
        if what is Asks.SEARCH:
            self.view.begin_search()
        self._bar.ask(what, self._history[what])

    def _typed(self, text: str) -> None:
        """Search for what is typed so far, from where typing began."""
        if self._asks is not Asks.SEARCH:
            return
        self._mistake = ""
        try:
            self.view.search(text)
        except UsageError as error:
            self._mistake = error.detail
        self._remark()

    def _remark(self) -> None:
        """Say what is wrong with the search that is being typed, else what it has found."""
        self._bar.remark(self._mistake or self.view.hits, error=bool(self._mistake))

    def _entered(self, text: str) -> None:
        self.screen.set_focus(self.view)
        act = self.view.keep_search if self._asks is Asks.SEARCH else self.view.filter
        try:
            act(text)
        except UsageError as error:
            self.view.leave_search()
            self.view.search("")
            self._say_error(error)
        else:
            self._say()

    def _left(self) -> None:
        self.screen.set_focus(self.view)
        if self._asks is Asks.SEARCH:
            self.view.leave_search()
        self._say()

    def on_log_view_note_changed(self, event: LogView.NoteChanged) -> None:
        event.stop()
        if not self._typing:
            self._say()
        elif self._asks is Asks.SEARCH:
            self._remark()

    def on_log_view_given_up(self, event: LogView.GivenUp) -> None:
        event.stop()
        if self._typing:
            self._bar.remark(event.error.title, error=True)
        else:
            self._say_error(event.error)

    @property
    def _typing(self) -> bool:
        """Whether a search or filter is being typed, also while another window of the terminal has the focus."""
        return self._bar.input.has_focus or (self._bar.asks and not self.app.app_focus)

    def _say_error(self, error: UsageError) -> None:
        self._bar.say(f"{error.title}: {error.detail}. {error.hint}", error=True)

    def _say(self) -> None:
        self._bar.say(self.view.note)
