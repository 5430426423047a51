# SPDX-License-Identifier: Apache-2.0
"""Mistakes of ttmatrix itself: each becomes a message with its place, and its traceback goes to a file."""

from __future__ import annotations

import asyncio
import os
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import core
from core.base.errors import TTMatrixError
from core.base.text import printable

_ROOT = Path(core.__file__).parents[1]
_DOOR = "tui/textual_private.py"
"""All messages come through here, also those that only Textual handles."""
_FILES = 20
"""Number of files of former apps that stay."""
_TIMES = 3
"""Times that the traceback of one place is written: a timer may come to it again and again."""


class Mistake(TTMatrixError):
    """An exception that nobody expected, as an error that a person can report."""

    def __init__(self, error: BaseException, place: str, file: Path | None) -> None:
        """`file` has the traceback; None: it could not be written."""
        words = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:200]
        where = f"its traceback is in {file}" if file else "its traceback could not be written"
        hint = "What you typed and what is pending is still there."
        super().__init__(f"A mistake in ttmatrix: {words}", f"At {place}; {where}.", hint)
        self.origin = f"{words} {[*_places(error)][-1:]}"
        """Its identity: the place where it was raised, whatever called that."""


class Failures:
    """Writes down exceptions, and says each once. For any thread, except for `show`."""

    def __init__(self, directory: Path, say: Callable[[Mistake], None], state: Callable[[], str]) -> None:
        """`directory` is for the files; `say` shows a mistake; `state` tells in some words what the app shows."""
        self._directory = directory
        self._say = say
        self._state = state
        self._hook = threading.excepthook
        self._file: Path | None = None
        self._times: Counter[str] = Counter()
        self._shown: set[str] = set()

    def follow(self, post: Callable[[BaseException], object]) -> None:
        """Have `post` called with the exceptions of threads and tasks that nobody waits for."""

        def take(error: BaseException | None) -> None:
            if error is not None:
                post(error)

        threading.excepthook = lambda found: take(found.exc_value)
        asyncio.get_running_loop().set_exception_handler(lambda _, found: take(found.get("exception")))

    def leave(self) -> None:
        """The app ends: follow nothing any more."""
        threading.excepthook = self._hook

    def written(self, error: BaseException) -> Mistake:
        """Write the traceback of an exception to the file of this app."""
        if isinstance(error, Mistake):
            return error
        place = place_of(error)
        self._times[place] += 1
        if self._times[place] <= _TIMES:
            with suppress(OSError):
                self._write("".join(traceback.format_exception(error)))
        return Mistake(error, place, self._file)

    def show(self, mistake: Mistake) -> None:
        """Show a mistake once, however often it comes."""
        if mistake.origin not in self._shown:
            self._shown.add(mistake.origin)
            self._say(mistake)

    def _write(self, text: str) -> None:
        if self._file is None:
            self._directory.mkdir(parents=True, exist_ok=True)
            for old in sorted(self._directory.glob("*.txt"))[: -_FILES + 1]:
                old.unlink(missing_ok=True)
            self._file = self._directory / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        with self._file.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} ttmatrix {core.__version__}, {self._state()}\n{text}\n")


def place_of(error: BaseException) -> str:
    """`tui/app/app.py:12` of the last line of ours that an exception came through, else of the last line at all."""
    places = [*_places(error)]
    ours = [place for place in places if place.startswith(("core/", "tui/")) and _DOOR not in place]
    return (ours or places or ["an unknown place"])[-1]


def _places(error: BaseException) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        yield f"{file.relative_to(_ROOT) if file.is_relative_to(_ROOT) else file}:{frame.lineno}"
