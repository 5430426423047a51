# SPDX-License-Identifier: Apache-2.0
"""Messages to the person, and the clipboard."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.notifications import Notification

from core.base import files
from core.base.errors import TTMatrixError
from core.base.text import printable
from tui import screens
from tui.terminal import in_browser
from tui.textual_private import write_to_terminal

if TYPE_CHECKING:
    from core.evidence import Page

_CLIPBOARD_CHARACTERS = 100_000
"""Terminals refuse longer sequences, or hang on them."""
_WARNING_SECONDS = 30
"""Seconds that an error is shown, which may name a file."""
_LEAST_SECONDS = 0.5
"""Least seconds that a late message is shown."""


class LastingNotification(Notification):
    """One whose toast always has some time left.

    On a busy machine a toast may be made after its notification has expired, and sets a timer with a negative time. In
    Textual such a timer runs for ever without giving way to anything else: the app is frozen.
    """

    @property
    def time_left(self) -> float:
        """Seconds for a timer."""
        return max(_LEAST_SECONDS, super().time_left)

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return super().time_left <= 0


class Notifications:
    """Shows messages and errors, copies texts, and draws attention to a terminal in the background."""

    def __init__(self, app: App[Any], copies: Path, attention: str) -> None:
        """`copies` is the directory for the last copy; `attention` is the setting `notify`: bell, osc9 or off."""
        self._app = app
        self._copies = copies
        self._attention = attention

    def info(self, text: str, *, timeout: float | None = None) -> None:
        """Show a message for some seconds. It may carry text from outside: it is never read as markup."""
        self._app.notify(printable(text), timeout=timeout, markup=False)

    def error(self, error: TTMatrixError) -> None:
        """Show an error in a dialog, to be closed by the person."""
        self._app.push_screen(screens.Notice(error))

    def warn(self, error: TTMatrixError) -> None:
        """Show an error for a while, without taking a key: a person who types can go on."""
        words = ". ".join(part.removesuffix(".") for part in (error.title, error.detail, error.hint) if part)
        self._app.notify(printable(f"{words}."), severity="error", timeout=_WARNING_SECONDS, markup=False)

    def attract(self, text: str) -> None:
        """Show a message, and alert a person looking elsewhere as the settings say."""
        self.info(text)
        if self._attention == "osc9":
            # Written as Textual writes clipboard sequences: terminals that do not support it ignore it.
            write_to_terminal(self._app, f"\x1b]9;ttmatrix: {text}\a")
        elif self._attention != "off":
            self._app.bell()

    def copy(self, text: str) -> None:
        """Copy through the terminal, and to a file for terminals that do not support it."""
        fits = len(text) <= _CLIPBOARD_CHARACTERS
        if fits:
            self._app.copy_to_clipboard(text)
        try:
            file = save_copy(self._copies, text)
        except TTMatrixError as error:
            self.info(f"{'Copied.' if fits else 'Too long for the clipboard.'} {error.title}: {error.detail}")
        else:
            self.info(f"Copied; also saved to {file}" if fits else f"Too long for the clipboard; saved to {file}")

    def open_page(self, page: Page) -> None:
        """Show a page in the browser of this desktop, or of the page that the app is in; without one copy its address.

        Over ssh a browser would open elsewhere, or take the terminal. Where there is no page, say why.
        """
        address = page.url
        if not address:
            self.info(page.why)
        elif in_browser(os.environ) or (has_desktop(os.environ, sys.platform) and not os.environ.get("SSH_CONNECTION")):
            self._app.open_url(address)
            self.info(f"Opened {address}")
        else:
            self.copy(address)


def has_desktop(environ: Mapping[str, str], platform: str) -> bool:
    """Whether windows can be opened here."""
    return platform == "darwin" or any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def save_copy(directory: Path, text: str) -> Path:
    """Write `text` to the file of the last copy in `directory`; over ssh and tmux the clipboard often does not work.

    Returns that file. Raises TTMatrixError if it cannot be written.
    """
    file = directory / "clip.txt"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TTMatrixError(f"Cannot make {directory}", error.strerror or str(error)) from error
    files.atomic_write(file, text)
    return file
