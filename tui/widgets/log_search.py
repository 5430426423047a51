# SPDX-License-Identifier: Apache-2.0
"""Going through a log from hit to hit and from error to error: which line comes next, and what to say about it."""

from collections.abc import Callable
from typing import NamedTuple

from core.base.text import counted
from core.runs import plain_line
from core.runs.log import LogLook, Seek


class _Wanted(NamedTuple):
    """The target to scroll to as soon as it is found."""

    what: Seek
    forward: bool
    start: int
    """The line to look from."""


class LogSearch:
    """Remembers the line it found last. It scrolls nothing: its methods return the line to go to."""

    def __init__(self) -> None:
        self.current: int | None = None
        """The line found last, by its number."""
        self.last: tuple[Seek, bool] = (Seek.SEARCH, False)
        """The last search, and whether it went around the end."""
        self._wanted: _Wanted | None = None
        self._behind: list[Callable[[], None]] = []
        """A request that came while a line was still looked for."""

    @property
    def waiting(self) -> bool:
        """Whether the line that is looked for is not known yet."""
        return self._wanted is not None

    def put_off(self, act: Callable[[], None], *, alone: bool = True) -> bool:
        """Have `act` done once the line is found, since it means that line; False: none is looked for, do it now.

        Not `alone`, it is only put off behind something else that was.
        """
        if not self.waiting or not (alone or self._behind):
            return False
        self._behind.append(act)
        return True

    def catch_up(self) -> None:
        """Do what was put off, in its order, until one of these has something looked for itself."""
        behind, self._behind = self._behind, []
        while behind and not self.waiting:
            behind.pop(0)()
        self._behind = [*behind, *self._behind]

    def seek(self, look: LogLook, what: Seek, start: int, *, forward: bool) -> int | None:
        """The next line from line `start`; None where there is none, or where it is not known yet."""
        hit = look.seek(what, start, forward=forward)
        self._wanted = _Wanted(what, forward, start) if hit.waiting else None
        self.last = what, hit.wrapped
        if hit.number is not None:
            self.current = hit.number
        return hit.number

    def seek_on(self, look: LogLook) -> int | None:
        """Look again for what was not known yet when `seek` was asked."""
        wanted = self._wanted
        return self.seek(look, wanted.what, wanted.start, forward=wanted.forward) if wanted else None

    def stop(self) -> None:
        """Wait for nothing that was not found yet."""
        self._wanted = None
        self._behind.clear()

    def shift(self, count: int) -> None:
        """`count` lines turned out to come before those that were known."""
        if self._wanted is not None:
            self._wanted = self._wanted._replace(start=self._wanted.start + count)

    def hits(self, look: LogLook) -> str:
        """`3 of 11, wrapped`; empty where nothing is looked for."""
        what, wrapped = self.last
        if what is Seek.SEARCH and look.search is None:
            return ""
        at, count, all_known = look.place(what, -1 if self.current is None else self.current)
        if all_known and not count:
            return "none"
        # A line found from the end has no number yet among all of them.
        known = f"{at:,} of {count:,}" if all_known else f"{count:,} so far, still searching"
        return f"{known}{', wrapped' if wrapped else ''}"

    def note(self, look: LogLook) -> str:
        """`/text: 3 of 11` or `errors: 1 of 2`."""
        name = f"/{plain_line(look.search.text)}" if self.last[0] is Seek.SEARCH and look.search else "errors"
        hits = self.hits(look)
        return f"{name}: {hits}" if hits else ""


def filters_note(look: LogLook) -> str:
    """`&text 98 of 100 lines`: what each filter leaves; empty without filters."""
    if not look.filters:
        return ""
    names = [f"&{'!' if one.out else ''}{plain_line(one.text)}" for one in look.filters]
    if not look.filtering:
        return f"off: {' '.join(names)}"
    counts = [f"{name} {left:,}" for name, left in zip(names, look.left, strict=True)]
    return f"{'  '.join(counts)} of {counted(look.log.line_count, 'line')}"
