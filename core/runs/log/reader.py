# SPDX-License-Identifier: Apache-2.0
"""One person's look at one log: what filters leave of it, what a search finds, where the errors are."""

from bisect import bisect_left
from enum import StrEnum

from core.runs.log.growth import Arrivals
from core.runs.log.search import Hit, LineScan, LookBack, Matcher, Pattern
from core.runs.log.signs import is_error
from core.runs.log.tail import LogFile
from core.runs.sanitize import plain_line


class Seek(StrEnum):
    """What one goes to from line to line."""

    SEARCH = "search"
    ERRORS = "errors"


class LogLook:
    """Rows are visible lines, numbers are lines of the log, both from 0.

    Filters narrow: a line is visible where every one of them matches. Everything is found out by `step`, a slice at a
    time. A large log shows its end at once, the rest of its rows come when all of it is indexed. Not `from_end` it
    shows its beginning, and more rows come below.
    """

    def __init__(self, log: LogFile, arrivals: Arrivals | None = None, *, from_end: bool = True) -> None:
        self.log = log
        self._arrivals = arrivals
        self.filters: tuple[Pattern, ...] = ()
        self.filtering = True
        """Whether the filters are on."""
        self.search: Pattern | None = None
        self._shown: LineScan | None = None
        self._scans: dict[Seek, LineScan] = {}
        self._back: tuple[Seek, LookBack] | None = None
        """Looks for a line before those that a scan has come to."""
        self._tail: list[str] | None = None
        self._tail_start = 0
        if log.poll() and from_end:
            self._tail_start, self._tail = log.tail()
        self.moved_by = 0
        """How many rows the last step added before the visible ones."""

    # What is visible

    @property
    def opening(self) -> bool:
        """Whether only the end of the log is known, and no line by its number."""
        return self._tail is not None

    @property
    def line_count(self) -> int:
        """How many rows there are."""
        if self._tail is not None:
            return len(self._tail)
        return self.log.line_count if self._shown is None else len(self._shown.found)

    def texts(self, first: int, count: int) -> list[str]:
        """At most `count` rows from row `first` on, as they were written: neither safe to show nor short."""
        first = max(0, first)
        if self._tail is not None:
            return self._tail[first : first + count]
        shown = self._shown
        return self.log.texts(range(first, first + count) if shown is None else shown.found[first : first + count])

    def lines(self, first: int, count: int) -> list[str]:
        """As `texts`, safe to show."""
        return [plain_line(text) for text in self.texts(first, count)]

    def times(self, first: int, count: int) -> list[float | None]:
        """When at most `count` rows from row `first` on arrived, in seconds since the epoch; None: not known."""
        if self._arrivals is None or self.opening:
            return [None] * count
        self._arrivals.poll()
        numbers = range(first, first + count) if self._shown is None else self._shown.found[first : first + count]
        return self._arrivals.at(self.log.positions(numbers[: bisect_left(numbers, self.log.line_count)]))

    def number_at(self, row: int) -> int:
        """The line that a row shows; beyond the rows the line after the last."""
        if self._shown is None:
            return row
        found = self._shown.found
        return found[row] if row < len(found) else self.log.line_count

    def row_at(self, number: int) -> int:
        """The row that shows a line or, where that is filtered out, the next one."""
        return number if self._shown is None else bisect_left(self._shown.found, number)

    def knows(self, number: int) -> bool:
        """Whether it is settled which row shows a line."""
        return not self.opening and (self._shown is None or self._shown.done or self._shown.line_count > number)

    # Growing

    def step(self) -> bool:
        """Find out a little more; returns whether there is more to find out."""
        self.moved_by = 0
        more = self.log.poll()
        if self._tail is not None and not more:
            self._tail = None
            self.moved_by = self.log.line_at(self._tail_start)
        if self._back is not None:
            what, back = self._back
            # A person waits for it, and not for the rest.
            if back.found is None and back.step(self._scans[what].line_count):
                return True
        scans = [scan for scan in (self._shown, *self._scans.values()) if scan is not None]
        return any([scan.step() for scan in scans]) or more

    # Filters

    def set_filters(self, filters: tuple[Pattern, ...], *, filtering: bool = True) -> None:
        """Have these filters, on or off."""
        self.filters, self.filtering = filters, filtering
        stack = self._stack()
        self._shown = LineScan(self.log, stack) if stack else None
        self._scans = {what: self._scan(what) for what in self._scans}
        self._back = None

    @property
    def left(self) -> list[int]:
        """How many lines each filter leaves of those before it; nothing while they are off."""
        return self._shown.passed if self._shown is not None else []

    def _stack(self) -> list[Matcher]:
        return [one.holds for one in self.filters] if self.filtering else []

    # Search and errors

    def set_search(self, pattern: Pattern | None) -> None:
        """Look for something else, or no more."""
        self.search = pattern
        self._scans.pop(Seek.SEARCH, None)
        self._back = None

    def seek(self, what: Seek, number: int, *, forward: bool) -> Hit:
        """The next line to go to from line `number`; of the search there must be one."""
        scan = self._scans.get(what)
        if scan is None:
            scan = self._scans[what] = self._scan(what)
        if self.opening:
            return Hit(None, waiting=True)
        hit = scan.seek(number, forward=forward)
        return self._seek_back(what, scan, number) if hit.waiting and not forward else hit

    def _seek_back(self, what: Seek, scan: LineScan, number: int) -> Hit:
        """The scan comes from the beginning, and may have far to go to what is right before line `number`."""
        if self._back is None or self._back[0] is not what or self._back[1].start != number:
            self._back = what, LookBack(self.log, self._matchers(what), number)
        found = self._back[1].found
        return Hit(found, waiting=found is None)

    def _scan(self, what: Seek) -> LineScan:
        return LineScan(self.log, self._matchers(what))

    def _matchers(self, what: Seek) -> list[Matcher]:
        holds = self.search.holds if what is Seek.SEARCH and self.search is not None else is_error
        return [*self._stack(), holds]

    def place(self, what: Seek, number: int) -> tuple[int, int, bool]:
        """How many of a kind there are up to line `number`, how many in all, and whether that is all of them."""
        scan = self._scans.get(what)
        if scan is None:
            return 0, 0, False
        return bisect_left(scan.found, number + 1), len(scan.found), scan.done
