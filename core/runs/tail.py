# SPDX-License-Identifier: Apache-2.0
"""Follow a growing log of any size in flat memory, with any of its lines at hand."""

import os
from array import array
from bisect import bisect_left
from itertools import pairwise
from pathlib import Path

from core.errors import TTMatrixError
from core.runs.plain import plain_line

CHUNK = 64 * 1024
"""Bytes between two entries of the index."""
SLICE = 16 * CHUNK
"""Bytes that one `poll` reads at most."""

_HEAD = 16 * 1024


class LineIndex:
    """How many lines end before each chunk of a file: enough to find any line by reading one chunk."""

    def __init__(self) -> None:
        self.size = 0
        """Bytes seen so far."""
        self.line_ends = 0
        self._before = array("Q", [0])
        self._last_byte = b"\n"

    @property
    def line_count(self) -> int:
        """Lines seen so far, an unfinished last one included."""
        return self.line_ends + (self._last_byte != b"\n")

    @property
    def room(self) -> int:
        """Bytes left in the present chunk."""
        return CHUNK - self.size % CHUNK

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file into account, not empty and not more than there is `room` for."""
        self.size += len(data)
        self.line_ends += data.count(b"\n")
        self._last_byte = data[-1:]
        if self.size % CHUNK == 0:
            self._before.append(self.line_ends)

    def locate(self, number: int) -> tuple[int, int]:
        """The chunk that the `number`-th line end (from 1) is in, and its index among the line ends there."""
        chunk = bisect_left(self._before, number) - 1
        return chunk, number - self._before[chunk] - 1


class LogFile:
    """One log file. Lines count from 0; the last one may still be growing.

    Holds no file open, and is not for use by several threads at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._inode = 0
        self._index = LineIndex()

    @property
    def line_count(self) -> int:
        """Lines found by `poll` so far."""
        return self._index.line_count

    def poll(self) -> bool:
        """Index at most `SLICE` of what was added; returns whether there is more.

        A file that was truncated or replaced is indexed anew; a missing file has no lines.
        Raises TTMatrixError where it cannot be read.
        """
        descriptor = self._open()
        if descriptor is None:
            self._index = LineIndex()
            return False
        try:
            status = os.fstat(descriptor)
            if status.st_ino != self._inode or status.st_size < self._index.size:
                self._inode, self._index = status.st_ino, LineIndex()
            self._read(descriptor, min(status.st_size, self._index.size + SLICE))
            return self._index.size < status.st_size
        finally:
            os.close(descriptor)

    def lines(self, first: int, count: int) -> list[str]:
        """At most `count` lines from line `first` on, safe to show (see `plain_line`).

        A line over `CHUNK` bytes is shown by its beginning or, being a progress bar, by its end.
        """
        last = min(first + count, self.line_count)
        descriptor = self._open() if 0 <= first < last else None
        if descriptor is None:
            return []
        try:
            if os.fstat(descriptor).st_ino != self._inode:
                return []  # The next poll will see to it.
            starts = self._starts(descriptor, first, last)
            return [_line(descriptor, *span) for span in pairwise(starts)]
        finally:
            os.close(descriptor)

    def _open(self) -> int | None:
        try:
            return os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise TTMatrixError(f"Cannot read {self.path}", error.strerror or str(error)) from error

    def _read(self, descriptor: int, end: int) -> None:
        index = self._index
        while index.size < end:
            data = os.pread(descriptor, min(index.room, end - index.size), index.size)
            if not data:
                return  # It was truncated since we asked for its size.
            index.feed(data)

    def _starts(self, descriptor: int, first: int, last: int) -> list[int]:
        """Where each line from `first` up to and including `last` begins."""
        starts: list[int] = []
        loaded, ends = -1, array("I")
        for line in range(first, last + 1):
            if line == 0:
                starts.append(0)
            elif line > self._index.line_ends:
                starts.append(self._index.size)
            else:
                chunk, nth = self._index.locate(line)
                if chunk != loaded:
                    loaded, ends = chunk, _line_ends(descriptor, chunk)
                # There are fewer where the file was written over; the next poll will see to it.
                starts.append(chunk * CHUNK + ends[nth] + 1 if nth < len(ends) else self._index.size)
        return starts


def _line_ends(descriptor: int, chunk: int) -> "array[int]":
    data = os.pread(descriptor, CHUNK, chunk * CHUNK)
    found = array("I")
    position = data.find(b"\n")
    while position >= 0:
        found.append(position)
        position = data.find(b"\n", position + 1)
    return found


def _line(descriptor: int, start: int, end: int) -> str:
    length = max(0, end - start)
    tail = os.pread(descriptor, min(length, CHUNK), end - min(length, CHUNK))
    if length > CHUNK and b"\r" not in tail.rstrip(b"\r\n"):
        tail = os.pread(descriptor, _HEAD, start)
    return plain_line(tail.decode("utf-8", "replace"))
