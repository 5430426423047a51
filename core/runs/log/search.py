# SPDX-License-Identifier: Apache-2.0
"""Find the lines of a growing log that pass a stack of matchers, a bounded slice at a time."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.errors import UsageError
from core.matrix.query import TooLong, time_limit
from core.runs.log.tail import LogFile
from core.runs.sanitize import visible_lines

Matcher = Callable[[str], bool]
"""Whether a line, as it is shown, is one of those looked for."""

_EXPRESSION = "re:"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text to find, or with `re:` in front a regular expression. Without capitals it finds both cases."""

    text: str
    """As it was typed, without the mark of a negation."""
    out: bool
    """Whether lines that have it are the unwanted ones."""
    regex: re.Pattern[str]

    @property
    def is_expression(self) -> bool:
        """Whether it may take any time to look for it."""
        return self.text.startswith(_EXPRESSION)

    @property
    def holds(self) -> Matcher:
        """Whether a line is wanted."""
        found = _finder(self.text, self.regex)
        return (lambda line: not found(line)) if self.out else found

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where in `line` it is found, beginning and end of each place; never empty places."""
        return [match.span() for match in self.regex.finditer(line) if match.end() > match.start()]


def parse_pattern(text: str, *, out: bool = False) -> Pattern:
    """The pattern a person typed. Raises UsageError for an expression that is none."""
    expression = text.removeprefix(_EXPRESSION) if text.startswith(_EXPRESSION) else re.escape(text)
    try:
        return Pattern(text, out, re.compile(expression, 0 if _has_capitals(text) else re.IGNORECASE))
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise UsageError(
            f"Not an expression: {expression}", f"{error.msg}{where}", "Without re: it is found as plain text."
        ) from error


def parse_filter(text: str) -> Pattern:
    """A filter a person typed: what lines must have or, after a `!`, must not have."""
    return parse_pattern(text.removeprefix("!"), out=text.startswith("!"))


def _has_capitals(text: str) -> bool:
    # An escape such as \S or \W is no capital that somebody asked for.
    plain = re.sub(r"\\.", "", text) if text.startswith(_EXPRESSION) else text
    return plain != plain.lower()


def _finder(text: str, regex: re.Pattern[str]) -> Matcher:
    if text.startswith(_EXPRESSION):
        return lambda line: regex.search(line) is not None
    # A plain search is several times faster than an expression that overlooks the case.
    if _has_capitals(text):
        return lambda line: text in line
    return lambda line: text in line.lower()


SLICE = 64 * 1024
"""Bytes that one `step` looks through at most: a millisecond or two."""

_BACK_LINES = 100
"""Lines that `LookBack` looks through at a time: as many as take about as long."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a look for the next line ended."""

    number: int | None
    """None: there is none, or it is not known yet."""
    wrapped: bool = False
    """Whether it went on from the other end."""
    waiting: bool = False


class LineScan:
    """Numbers of the lines that every matcher of the stack matches, in order, as far as it has come.

    What it matches is what is shown: without colours, and of a progress bar the last state. Of a line over `SLICE`
    bytes it knows the beginning.
    """

    def __init__(self, log: LogFile, stack: Sequence[Matcher]) -> None:
        self._log = log
        self._stack = stack
        self._restart()

    def _restart(self) -> None:
        self.found = array("I")
        self.passed = [0] * len(self._stack)
        """How many complete lines the first matcher matched, the first two, and so on."""
        self.line_count = 0
        """Complete lines looked through."""
        self.done = False
        """Whether it has come to the end of what the log had when it was read last."""
        self._generation = self._log.generation
        self._position = 0
        self._inside = False
        self._open_found = False

    def step(self) -> bool:
        """Look through the next slice; returns whether there is more."""
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
            # The rest of a line whose beginning was looked at.
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
        """The last line may have no end yet, or never: it counts for as long as it is so."""
        if data and not self._inside and _passes(self._stack, visible_lines(data)[0]):
            self.found.append(self.line_count)
            self._open_found = True

    def seek(self, number: int, *, forward: bool) -> Hit:
        """The line found nearest after line `number` or before it, around the end where there is none."""
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
    """Looks for the nearest line before a given one, backwards from there: for who is at the end of a large log."""

    def __init__(self, log: LogFile, stack: Sequence[Matcher], number: int) -> None:
        self.start = number
        self.found: int | None = None
        self._log = log
        self._stack = stack
        self._end = min(number, log.line_count)
        """The lines before it are still to be looked at."""

    def step(self, first: int) -> bool:
        """Look through the next few lines, not beyond line `first`; returns whether there is more."""
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
    """Raise UsageError where a matcher takes too long: the screen waits for it."""
    try:
        with time_limit():
            yield
    except TooLong as error:
        raise UsageError(
            "This expression takes too long", "On a line of this log it tries too many ways", "Simplify it."
        ) from error
