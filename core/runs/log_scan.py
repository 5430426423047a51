# SPDX-License-Identifier: Apache-2.0
"""Find the lines of a growing log that pass a stack of matchers, a bounded slice at a time."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.log_pattern import Matcher
from core.runs.plain import visible_lines
from core.runs.tail import LogFile

SLICE = 64 * 1024
"""Bytes that one `step` looks through at most: a millisecond or two."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a look for the next line ended."""

    number: int | None
    """None: there is none, or it is not known yet."""
    wrapped: bool = False
    """Whether it went on from the other end."""
    waiting: bool = False


class LineScan:
    """Numbers of the lines that every matcher of the stack holds for, in order, as far as it has come.

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
        """How many complete lines the first matcher held for, the first two, and so on."""
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
        kept = list(enumerate(lines, self.line_count))
        for depth, holds in enumerate(self._stack):
            kept = [pair for pair in kept if holds(pair[1])]
            self.passed[depth] += len(kept)
        self.found.extend(number for number, _ in kept)
        self.line_count += len(lines)

    def _look_at_open(self, data: bytes) -> None:
        """The last line may have no end yet, or never: it counts for as long as it is so."""
        if data and not self._inside and all(holds(visible_lines(data)[0]) for holds in self._stack):
            self.found.append(self.line_count)
            self._open_found = True

    def seek(self, number: int, *, forward: bool) -> Hit:
        """The line found nearest after line `number` or before it, round the end where there is none."""
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
