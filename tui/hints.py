# SPDX-License-Identifier: Apache-2.0
"""Hints for a person's first days: each is shown once, on the line of messages, while what it says can be done."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.base import files
from core.base.errors import TTMatrixError
from tui.commands import Where, all_commands
from tui.keymap import Keymap, with_keys


class ListedHint(NamedTuple):
    """One thing worth knowing on a screen."""

    id: str
    where: Where
    commands: tuple[str, ...]
    """The commands that it is about: one of them run, it goes."""
    words: str


@cache
def all_hints() -> tuple[ListedHint, ...]:
    """In the order in which they are shown, one each time that the screen comes to the front."""
    found = ((one, one.hint) for one in all_commands() if one.hint)
    return tuple(
        ListedHint(hint.id, hint.where or one.where, (one.id, *hint.also), hint.words)
        for one, hint in sorted(found, key=lambda pair: pair[1].turn)
    )


class Hints:
    """The hints that a person has seen: a file in the directory of state. Without it, they are shown again."""

    def __init__(self, file: Path, keymap: Keymap) -> None:
        self._file = file
        self._keymap = keymap
        self._shown: ListedHint | None = None
        self._missed = False
        """Whether there is a hint for where the person is that could not be followed there yet."""
        self._seen = self._read()

    def _read(self) -> frozenset[str]:
        with suppress(TTMatrixError, ValueError, OSError):
            seen = json.loads(files.read_text(self._file))
            return frozenset(one for one in seen if isinstance(one, str)) if isinstance(seen, list) else frozenset()
        return frozenset()

    def next(self, places: Collection[Where], able: Callable[[str], bool] = lambda _: True) -> str:
        """The words of the next hint for where a person is, which then counts as seen; empty: there is none.

        `able` tells whether a command, by its id, can do anything now: a hint that cannot be followed waits.
        """
        left = [one for one in all_hints() if one.where in places and one.id not in self._seen]
        self._shown = next((one for one in left if all(map(able, one.commands))), None)
        self._missed = bool(left) and self._shown is None
        if self._shown is None:
            return ""
        self._see(self._shown.id)
        return with_keys(self._shown.words, self._keymap)

    @property
    def shown(self) -> bool:
        """Whether a hint is shown."""
        return self._shown is not None

    @property
    def missed(self) -> bool:
        """Whether one is to be shown as soon as it can be followed."""
        return self._missed

    def fits(self, places: Collection[Where], able: Callable[[str], bool]) -> bool:
        """Whether the hint that is shown is still about what a person sees."""
        return self._shown is not None and self._shown.where in places and all(map(able, self._shown.commands))

    def drop(self) -> None:
        """The hint that was shown is gone."""
        self._shown = None

    def used(self, commands: Iterable[str]) -> bool:
        """Commands are run; whether the hint that is shown is about one of them. What was found alone needs no hint."""
        ids = {*commands}
        for hint in all_hints():
            if ids.intersection(hint.commands):
                self._see(hint.id)
        return self._shown is not None and bool(ids.intersection(self._shown.commands))

    def _see(self, id: str) -> None:
        if id in self._seen:
            return
        self._seen |= {id}
        # Nothing hangs on it: the hint comes once more.
        with suppress(TTMatrixError, OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            files.atomic_write(self._file, json.dumps(sorted(self._seen)) + "\n")
