# SPDX-License-Identifier: Apache-2.0
"""The driver for an app shown in a browser: a server in between forwards packets."""

import os
import threading
from collections.abc import Mapping

from textual import messages
from textual.drivers import web_driver
from textual.drivers.web_driver import WebDriver

from tui.textual_private import parse_keys_in

_PLAIN = (80, 24)
_MOST = (800, 400)
"""Columns and rows, more than any screen has: an app of a million columns takes gigabytes."""
_END_SECONDS = 5.0
"""Seconds that an app whose page is gone may take to end by itself."""

parse_keys_in(web_driver)


def page_size(width: object, height: object) -> tuple[int, int]:
    """The columns and rows that a page gets who asks for these: a page may ask for anything."""
    asked = zip((width, height), _PLAIN, _MOST, strict=True)
    return tuple(_clamped(*one) for one in asked)  # type: ignore[return-value]


def _clamped(value: object, plain: int, most: int) -> int:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    # No number is at least and at most itself.
    return int(min(max(number, 1), most)) if number == number else plain


class BrowserDriver(WebDriver):
    """Textual's driver, which also ends the app if the server disappears silently."""

    def run_input_thread(self) -> None:
        """Read the browser's input until it ends."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self.send_message(messages.ExitApp())
            # The app may be busy, or wait for somebody to read what it paints.
            end = threading.Timer(_END_SECONDS, lambda: os._exit(1))
            end.daemon = True
            end.start()

    def on_meta(self, packet_type: str, payload: Mapping[str, object]) -> None:
        """Handle a message of the server other than keys."""
        if packet_type == "resize":
            width, height = page_size(payload.get("width"), payload.get("height"))
            payload = {**payload, "width": width, "height": height}
        WebDriver.on_meta(self, packet_type, dict(payload))
