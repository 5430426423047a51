# SPDX-License-Identifier: Apache-2.0
"""A log with the line where one types what to search or filter in it; reads on while it is in front."""

import asyncio

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from core.errors import TTMatrixError, UsageError
from core.runs.arrivals import Arrivals
from core.runs.log_look import LogLook
from core.runs.tail import LogFile
from tui.widgets.log_bar import LogBar
from tui.widgets.log_view import Asks, LogView

_POLL_SECONDS = 0.1
_SLICE_SECONDS, _BREATH_SECONDS = 0.001, 0.001
"""How long a log is worked on at a time, and how long everything else has before that goes on."""


class LogPane(Vertical):
    """Brings the two together."""

    class Failed(Message):
        """The log cannot be read; it is left alone."""

        def __init__(self, error: TTMatrixError) -> None:
            super().__init__()
            self.error = error

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view = LogView(self._ask, id="log")
        self._bar = LogBar(self._typed, self._entered, self._left)
        self._asks = Asks.SEARCH
        self._history: dict[Asks, list[str]] = {what: [] for what in Asks}

    def compose(self) -> ComposeResult:
        yield self.view
        yield self._bar

    def on_mount(self) -> None:
        self.run_worker(self._read_on(), name="log")

    def open(self, log: LogFile, arrivals: Arrivals | None = None) -> None:
        """Show another log from its end, and follow it; `arrivals` tells when its lines came."""
        try:
            self.view.open(LogLook(log, arrivals))
        except TTMatrixError as error:
            self._fail(error)
        self._say()

    async def _read_on(self) -> None:
        """Take in what the log has grown by and what is looked for in it."""
        while True:
            more = self.screen.is_current and self._advance()
            await asyncio.sleep(_BREATH_SECONDS if more else _POLL_SECONDS)

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
        if what is Asks.SEARCH:
            self.view.begin_search()
        self._bar.ask(what, self._history[what])

    def _typed(self, text: str) -> None:
        """Search for what is typed so far, from where that began."""
        if self._asks is not Asks.SEARCH:
            return
        try:
            self.view.search(text)
        except UsageError as error:
            self._bar.remark(error.detail, error=True)
        else:
            self._bar.remark(self.view.hits)

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
            self._bar.remark(self.view.hits)

    def on_log_view_given_up(self, event: LogView.GivenUp) -> None:
        event.stop()
        if self._typing:
            self._bar.remark(event.error.title, error=True)
        else:
            self._say_error(event.error)

    @property
    def _typing(self) -> bool:
        """Whether somebody types here; who looks into another window of theirs for a moment still does."""
        return self._bar.input.has_focus or (self._bar.asks and not self.app.app_focus)

    def _say_error(self, error: UsageError) -> None:
        self._bar.say(f"{error.title}: {error.detail}. {error.hint}", error=True)

    def _say(self) -> None:
        self._bar.say(self.view.note)
