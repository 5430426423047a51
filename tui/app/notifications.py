# SPDX-License-Identifier: Apache-2.0
"""What the app says to a person, and threads, whose results it takes in between two keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from core.errors import TTMatrixError
from core.files import atomic_write
from core.text import printable
from tui.app.bridge import WorkDone, WorkFailed, in_thread
from tui.app.navigation import Navigation

T = TypeVar("T")

_CLIPBOARD_CHARACTERS = 100_000
"""Terminals refuse a longer sequence, or choke on it."""
_OUT_SECONDS = 0.05
"""Rest after the first frame is made: the thread that writes it and the terminal that paints it have their turn."""


class Telling(Navigation):
    """Words, errors, copies; and work in the background, none of which delays the first frame."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Callable[[], object]] | None = []
        """What waits for the first frame; None: it is on the terminal."""

    def on_ready(self) -> None:
        self.call_after_refresh(self.set_timer, _OUT_SECONDS, self._first_frame_out)

    def after_first_frame(self, work: Callable[[], object]) -> None:
        """Do `work` once the first frame is on the terminal, at once where it is."""
        if self._waiting is None:
            work()
        else:
            self._waiting.append(work)

    def _first_frame_out(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for work in waiting:
            work()

    def say(self, text: str, *, timeout: float | None = None) -> None:
        """A word in passing. It may carry text from outside, so it is never markup."""
        self.notify(printable(text), timeout=timeout, markup=False)

    def tell(self, error: TTMatrixError) -> None:
        """Show an error a person must read."""
        from tui.screens import Notice

        self.push_screen(Notice(error))

    def on_work_failed(self, message: WorkFailed) -> None:
        self.tell(message.error)

    def on_work_done(self, message: WorkDone[object]) -> None:
        message.deliver()

    def in_thread(
        self, name: str, work: Callable[[], T], deliver: Callable[[T], None], *, supersede: bool = False
    ) -> None:
        """Run `work` in a thread and hand its result to `deliver` in the app; none delays the first frame."""
        self.after_first_frame(partial(in_thread, self, name, work, deliver, supersede=supersede))

    def copy(self, text: str) -> None:
        """Copy through the terminal, and into a file for terminals that do not pass it on."""

        fits = len(text) <= _CLIPBOARD_CHARACTERS
        if fits:
            self.copy_to_clipboard(text)
        try:
            kept = keep_copy(self.session.paths.cache, text)
        except TTMatrixError as error:
            self.say(f"{'Copied.' if fits else 'Too much to copy.'} {error.title}: {error.detail}")
        else:
            self.say(f"Copied; also in {kept}" if fits else f"Too much for the terminal; in {kept}")


def keep_copy(cache: Path, text: str) -> Path:
    """Write `text` to the file of the last copy below `cache`; returns that file.

    Raises TTMatrixError where it cannot be written.
    """
    kept = cache / "clip.txt"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TTMatrixError(f"Cannot make {cache}", error.strerror or str(error)) from error
    atomic_write(kept, text)
    return kept
