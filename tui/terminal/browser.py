# SPDX-License-Identifier: Apache-2.0
"""The driver for an app shown in a browser: a server in between forwards packets."""

from textual import messages
from textual.drivers import web_driver
from textual.drivers.web_driver import WebDriver

from tui.terminal.textual_private import KeyParser

# The driver creates its parser itself.
setattr(web_driver, "XTermParser", KeyParser)  # noqa: B010 - not exported, so mypy knows no such name


class BrowserDriver(WebDriver):
    """Textual's driver, which also ends the app if the server disappears silently."""

    def run_input_thread(self) -> None:
        """Read the browser's input until it ends."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
