# SPDX-License-Identifier: Apache-2.0
"""A log with the line where one types what to search or filter in it."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from core.errors import UsageError
from tui.widgets.log_bar import LogBar, LogInput
from tui.widgets.log_view import Asks, LogView


class LogPane(Vertical):
    """Brings the two together."""

    def compose(self) -> ComposeResult:
        yield LogView(self._ask, id="log")
        yield LogBar()

    def on_mount(self) -> None:
        self._asks = Asks.SEARCH

    @property
    def view(self) -> LogView:
        return self.query_one(LogView)

    def _ask(self, what: Asks) -> None:
        self._asks = what
        self.query_one(LogBar).ask(what)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        act = self.view.search if self._asks is Asks.SEARCH else self.view.filter
        try:
            act(event.value)
        except UsageError as error:
            self.query_one(LogBar).say(f"{error.title}: {error.detail}. {error.hint}", error=True)
        else:
            self._say()
        self.view.focus()

    def on_log_input_left(self, event: LogInput.Left) -> None:
        event.stop()
        self._say()
        self.view.focus()

    def on_log_view_moved(self, event: LogView.Moved) -> None:
        event.stop()
        if not self.query_one(LogBar).input.has_focus:
            self._say()

    def _say(self) -> None:
        self.query_one(LogBar).say(self.view.note)
