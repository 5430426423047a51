# SPDX-License-Identifier: Apache-2.0
"""The terminal of an app that a browser shows: a server between the two passes packets on."""

from textual import messages
from textual.drivers import web_driver
from textual.drivers.web_driver import WebDriver

from tui.terminal.textual_private import KeyParser

# The driver makes its parser itself.
setattr(web_driver, "XTermParser", KeyParser)  # noqa: B010 - not exported, so mypy knows no such name


class BrowserDriver(WebDriver):
    """Textual's driver, which ends the app also where the server is gone without a word."""

    def run_input_thread(self) -> None:
        """Read what the browser sends, to its end."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
