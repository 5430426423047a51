# SPDX-License-Identifier: Apache-2.0
"""A person's view of one log: the lines that pass the filters, search hits, and errors."""

from bisect import bisect_left
from enum import StrEnum

from core.runs.log.growth import Arrivals
from core.runs.log.search import Hit, LineScan, LookBack, Matcher, Pattern
from core.runs.log.signs import is_error
from core.runs.log.tail import LogFile
from core.runs.sanitize import plain_line


class Seek(StrEnum):
    """The kinds of lines to jump between."""

    SEARCH = "search"
    ERRORS = "errors"


class LogLook:
    """Rows are visible lines, numbers are lines of the log, both from 0.

    A line is visible if every filter matches it. All work is done by `step`, a slice at a time. A large log shows its
    end at once, and the rest of its rows once all of it is indexed. Without `from_end` it shows its beginning, and
    further rows are added below.
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
        """Searches backwards for a line that the scan has not reached yet."""
        self._tail: list[str] | None = None
        self._tail_start = 0
        self._tail_of = log.generation
        """The generation of the log that the tail was taken from."""
        if log.poll() and from_end:
            self._tail_start, self._tail = log.tail()
        self.moved_by = 0
        """How many rows the last step added above the visible ones."""

    # What is visible

    @property
    def opening(self) -> bool:
        """Whether only the end of the log is known, so that lines have no numbers yet."""
        return self._tail is not None

    @property
    def line_count(self) -> int:
        """The number of rows."""
        if self._tail is not None:
            return len(self._tail)
        return self.log.line_count if self._shown is None else len(self._shown.found)

    def texts(self, first: int, count: int) -> list[str]:
        """At most `count` rows from row `first` on, as written: neither safe to show nor shortened."""
        first = max(0, first)
        if self._tail is not None:
            return self._tail[first : first + count]
        shown = self._shown
        return self.log.texts(range(first, first + count) if shown is None else shown.found[first : first + count])

    def lines(self, first: int, count: int) -> list[str]:
        """As `texts`, but safe to show."""
        return [plain_line(text) for text in self.texts(first, count)]

    def times(self, first: int, count: int) -> list[float | None]:
        """When at most `count` rows from row `first` on arrived, in seconds since the epoch; None: not known."""
        if self._arrivals is None or self.opening:
            return [None] * count
        self._arrivals.poll()
        numbers = range(first, first + count) if self._shown is None else self._shown.found[first : first + count]
        return self._arrivals.at(self.log.positions(numbers[: bisect_left(numbers, self.log.line_count)]))

    def number_at(self, row: int) -> int:
        """The line number of a row; past the last row, the number after the last line."""
        if self._shown is None:
            return row
        found = self._shown.found
        return found[row] if row < len(found) else self.log.line_count

    def row_at(self, number: int) -> int:
        """The row of a line or, if that is filtered out, of the next visible one."""
        return number if self._shown is None else bisect_left(self._shown.found, number)

    def knows(self, number: int) -> bool:
        """Whether the row of a line is known by now."""
        return not self.opening and (self._shown is None or self._shown.done or self._shown.line_count > number)

    # Growing

    def step(self) -> bool:
        """Do a slice of the work; returns whether there is more."""
        self.moved_by = 0
        more = self.log.poll()
        if self._tail is not None and not more:
            self._tail = None
            # A log that was cut or replaced meanwhile begins anew.
            self.moved_by = self.log.line_at(self._tail_start) if self._tail_of == self.log.generation else 0
        if self._back is not None:
            what, back = self._back
            # A person waits for this, not for the rest.
            if back.found is None and back.step(self._scans[what].line_count):
                return True
        scans = [scan for scan in (self._shown, *self._scans.values()) if scan is not None]
        return any([scan.step() for scan in scans]) or more

    # Filters

    def set_filters(self, filters: tuple[Pattern, ...], *, filtering: bool = True) -> None:
        """Set the filters, and whether they are on."""
        self.filters, self.filtering = filters, filtering
        stack = self._stack()
        self._shown = LineScan(self.log, stack) if stack else None
        self._scans = {what: self._scan(what) for what in self._scans}
        self._back = None

    @property
    def left(self) -> list[int]:
        """How many lines pass each filter and those before it; empty while they are off."""
        return self._shown.passed if self._shown is not None else []

    def _stack(self) -> list[Matcher]:
        return [one.holds for one in self.filters] if self.filtering else []

    # Search and errors

    def set_search(self, pattern: Pattern | None) -> None:
        """Set the search pattern; None: no search."""
        self.search = pattern
        self._scans.pop(Seek.SEARCH, None)
        self._back = None

    def seek(self, what: Seek, number: int, *, forward: bool) -> Hit:
        """The next matching line from line `number`; a search pattern must be set to seek hits of the search."""
        scan = self._scans.get(what)
        if scan is None:
            scan = self._scans[what] = self._scan(what)
        if self.opening:
            return Hit(None, waiting=True)
        hit = scan.seek(number, forward=forward)
        return self._seek_back(what, scan, number) if hit.waiting and not forward else hit

    def _seek_back(self, what: Seek, scan: LineScan, number: int) -> Hit:
        """Search backwards: the scan starts at the beginning, and may be far from line `number`."""
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
        """The number of matches up to line `number`, the number of all, and whether all are known."""
        scan = self._scans.get(what)
        if scan is None:
            return 0, 0, False
        return bisect_left(scan.found, number + 1), len(scan.found), scan.done
