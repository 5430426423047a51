# SPDX-License-Identifier: Apache-2.0
"""A region of a log: the lines that a person selects to copy them."""

from core.base.text import counted
from core.runs.log import LogLook


class LogRegion:
    """Lines by their numbers in the log, from where the region was begun to where it was drawn to; or none."""

    def __init__(self) -> None:
        self._ends: tuple[int, int] | None = None

    def __bool__(self) -> bool:
        return self._ends is not None

    @property
    def lines(self) -> range:
        """The selected lines; empty where there is no region."""
        if self._ends is None:
            return range(0)
        first, last = sorted(self._ends)
        return range(first, last + 1)

    @property
    def end(self) -> int:
        """The line that moving keys move; there must be a region."""
        assert self._ends is not None
        return self._ends[1]

    def begin(self, number: int) -> None:
        """Start a new region at a line."""
        self._ends = number, number

    def draw_to(self, number: int) -> None:
        """Let the region, if there is one, end at a line."""
        if self._ends is not None:
            self._ends = self._ends[0], number

    def shift(self, count: int) -> None:
        """Follow the lines: `count` lines turned out to come before those that were known."""
        if self._ends is not None:
            self._ends = self._ends[0] + count, self._ends[1] + count

    def drop(self) -> bool:
        """Remove the region; returns whether there was one."""
        dropped, self._ends = self._ends is not None, None
        return dropped

    def rows(self, look: LogLook) -> tuple[int, int]:
        """Its first row and how many rows it has; lines that filters hide have no row."""
        first = look.row_at(self.lines[0])
        return first, look.row_at(self.lines[-1] + 1) - first

    def note(self, look: LogLook, copy_key: str) -> str:
        """`region: 3 lines, C copies`; empty where there is no region."""
        return f"region: {counted(self.rows(look)[1], 'line')}, {copy_key} copies" if self else ""
