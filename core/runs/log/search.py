# SPDX-License-Identifier: Apache-2.0
"""Find the lines of a growing log that pass a stack of matchers, a bounded slice at a time."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.base.errors import UsageError
from core.matrix.query import TooLong, time_limit
from core.runs.log.tail import LogFile
from core.runs.sanitize import visible_lines

Matcher = Callable[[str], bool]
"""Whether a line, as shown, matches."""

_EXPRESSION = "re:"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text to find, or a regular expression after `re:`. Without capitals, case is ignored."""

    text: str
    """As typed, without the mark of a negation."""
    out: bool
    """Whether matching lines are the unwanted ones."""
    regex: re.Pattern[str]

    @property
    def is_expression(self) -> bool:
        """Whether it is a regular expression, whose search may take any time."""
        return self.text.startswith(_EXPRESSION)

    @property
    def holds(self) -> Matcher:
        """The matcher of wanted lines."""
        found = _finder(self.text, self.regex)
        return (lambda line: not found(line)) if self.out else found

    def spans(self, line: str) -> list[tuple[int, int]]:
        """The start and end of each match in `line`, without empty matches."""
        return [match.span() for match in self.regex.finditer(line) if match.end() > match.start()]


def parse_pattern(text: str, *, out: bool = False) -> Pattern:
    """Parse a typed pattern. Raises UsageError for an invalid expression."""
    expression = text.removeprefix(_EXPRESSION) if text.startswith(_EXPRESSION) else re.escape(text)
    try:
        return Pattern(text, out, re.compile(expression, 0 if _has_capitals(text) else re.IGNORECASE))
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(
            f"Not an expression: {expression}", f"{error.msg}{where}", "Without re: it is found as plain text."
        ) from error


def parse_filter(text: str) -> Pattern:
    """Parse a typed filter: what lines must contain or, after a `!`, must not contain."""
    return parse_pattern(text.removeprefix("!"), out=text.startswith("!"))


def _has_capitals(text: str) -> bool:
    # An escape such as \S or \W does not count as a capital.
    plain = re.sub(r"\\.", "", text) if text.startswith(_EXPRESSION) else text
    return plain != plain.lower()


def _finder(text: str, regex: re.Pattern[str]) -> Matcher:
    if text.startswith(_EXPRESSION):
        return lambda line: regex.search(line) is not None
    # A plain search is several times faster than an expression that ignores case.
    if _has_capitals(text):
        return lambda line: text in line
    return lambda line: text in line.lower()


SLICE = 64 * 1024
"""The most bytes that one `step` searches: a millisecond or two."""

_BACK_LINES = 100
"""The lines that `LookBack` searches at a time, which takes about as long."""


@dataclass(frozen=True, slots=True)
class Hit:
    """The result of a search for the next line."""

    number: int | None
    """The line; None: there is none, or it is not known yet."""
    wrapped: bool = False
    """Whether the search wrapped around."""
    waiting: bool = False


class LineScan:
    """Numbers of the lines that every matcher of the stack matches, in order, as far as they are scanned.

    Lines are matched as shown: without colours, and with only the last state of a progress bar. Of a line over `SLICE`
    bytes only the beginning is matched.
    """

    def __init__(self, log: LogFile, stack: Sequence[Matcher]) -> None:
        self._log = log
        self._stack = stack
        self._restart()

    def _restart(self) -> None:
        self.found = array("I")
        self.passed = [0] * len(self._stack)
        """How many complete lines pass the first matcher, the first two, and so on."""
        self.line_count = 0
        """The number of complete lines scanned."""
        self.done = False
        """Whether the scan has reached the end that the log had when last read."""
        self._generation = self._log.generation
        self._position = 0
        self._inside = False
        self._open_found = False

    def step(self) -> bool:
        """Scan the next slice; returns whether there is more."""
        if self._generation != self._log.generation:
            self._restart()
        data = self._log.read(self._position, SLICE)
        if self._open_found:
            self.found.pop()
            self._open_found = False
        ended = data.rfind(b"\n") + 1
        if ended:
            self._take(data[:ended])
        elif len(data) == SLICE:
            self._begin_long(data)
        self.done = len(data) < SLICE
        if self.done:
            self._look_at_open(data[ended:])
        return not self.done

    def _take(self, data: bytes) -> None:
        self._position += len(data)
        if self._inside:
            # The rest of a line whose beginning was scanned.
            data = data[data.index(b"\n") + 1 :]
            self._inside = False
        if data:
            self._match(visible_lines(data[:-1]))

    def _begin_long(self, data: bytes) -> None:
        self._position += len(data)
        if not self._inside:
            self._match(visible_lines(data))
            self._inside = True

    def _match(self, lines: Sequence[str]) -> None:
        passing = list(enumerate(lines, self.line_count))
        with _limited():
            for depth, holds in enumerate(self._stack):
                passing = [pair for pair in passing if holds(pair[1])]
                self.passed[depth] += len(passing)
        self.found.extend(number for number, _ in passing)
        self.line_count += len(lines)

    def _look_at_open(self, data: bytes) -> None:
        """Scan the last line, which may have no line end yet: it counts until it changes."""
        if data and not self._inside and _passes(self._stack, visible_lines(data)[0]):
            self.found.append(self.line_count)
            self._open_found = True

    def seek(self, number: int, *, forward: bool) -> Hit:
        """The nearest match after or before line `number`, wrapping around if there is none."""
        if forward:
            at = bisect_right(self.found, number)
            if at == len(self.found) and not self.done:
                return Hit(None, waiting=True)
        else:
            at = bisect_left(self.found, number) - 1
            if not self.done and (at < 0 or self.line_count < number):
                return Hit(None, waiting=True)
        if not self.found:
            return Hit(None)
        return Hit(self.found[at % len(self.found)], wrapped=not 0 <= at < len(self.found))


class LookBack:
    """Searches backwards from a line for the nearest match: fast at the end of a large log."""

    def __init__(self, log: LogFile, stack: Sequence[Matcher], number: int) -> None:
        self.start = number
        self.found: int | None = None
        self._log = log
        self._stack = stack
        self._end = min(number, log.line_count)
        """The lines before this one are still to be searched."""

    def step(self, first: int) -> bool:
        """Search the next few lines, not before line `first`; returns whether there is more."""
        begin = max(first, self._end - _BACK_LINES)
        texts = self._log.texts(range(begin, self._end))
        for number, text in zip(range(self._end - 1, begin - 1, -1), reversed(texts), strict=False):
            if _passes(self._stack, visible_lines(text.encode("utf-8", "replace"))[0]):
                self.found = number
                return False
        self._end = begin
        return begin > first


def _passes(stack: Sequence[Matcher], line: str) -> bool:
    with _limited():
        return all(holds(line) for holds in stack)


@contextmanager
def _limited() -> Iterator[None]:
    """Raise UsageError if a matcher takes too long, because the screen waits for it."""
    try:
        with time_limit():
            yield
    except TooLong as error:
        raise UsageError(
            "This expression takes too long", "On a line of this log it tries too many ways", "Simplify it."
        ) from error
