# SPDX-License-Identifier: Apache-2.0
"""Follow a growing log of any size with constant memory and access to any of its lines."""

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import open_regular
from core.runs.outcome import RESULT_PREFIX
from core.runs.sanitize import plain_line, visible_lines

CHUNK = 64 * 1024
"""Bytes between two entries of the index."""
SLICE = 4 * CHUNK
"""The most bytes that one `poll` reads."""

_HEAD = 16 * 1024
_LAST_BYTES = 4 * 1024
_PHASE = re.compile(r"={5} (\w+)\b.* ={5}")
"""The line before a phase of a CPU repro."""
_LAST_KNOWN = 64
"""Bytes that are compared to find out whether a log was cut."""


class LineIndex:
    """The number of line ends before each chunk of a file: enough to find any line by reading one chunk."""

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
        """Bytes left in the current chunk."""
        return CHUNK - self.size % CHUNK

    def feed(self, data: bytes) -> None:
        """Process the next bytes of the file: not empty and not more than `room`."""
        self.size += len(data)
        self.line_ends += data.count(b"\n")
        self._last_byte = data[-1:]
        if self.size % CHUNK == 0:
            self._before.append(self.line_ends)

    def ends_before(self, chunk: int) -> int:
        """The number of line ends before a chunk."""
        return self._before[chunk]

    def locate(self, number: int) -> tuple[int, int]:
        """The chunk with the `number`-th line end (from 1), and its index among the line ends there."""
        chunk = bisect_left(self._before, number) - 1
        return chunk, number - self._before[chunk] - 1


class LogFile:
    """One log file. Lines are counted from 0; the last one may still be growing.

    It keeps no file open, and must not be used by several threads at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.generation = 0
        """Changes when another file replaces the log."""
        self._inode = 0
        self._last = b""
        """The last bytes of what is indexed."""
        self._index = LineIndex()

    @property
    def line_count(self) -> int:
        """Lines found by `poll` so far."""
        return self._index.line_count

    def poll(self) -> bool:
        """Index at most `SLICE` of what was added; returns whether there is more.

        A file that was truncated or replaced is indexed again; a missing file has no lines. Raises TTMatrixError if it
        cannot be read.
        """
        descriptor = self._open()
        if descriptor is None:
            self._start_over(0)
            return False
        try:
            status = os.fstat(descriptor)
            if status.st_ino != self._inode or status.st_size < self._index.size or not self._goes_on(descriptor):
                self._start_over(status.st_ino)
            self._read(descriptor, min(status.st_size, self._index.size + SLICE))
            return self._index.size < status.st_size
        finally:
            os.close(descriptor)

    def lines(self, first: int, count: int) -> list[str]:
        """At most `count` lines from line `first` on, safe to show (see `plain_line`)."""
        return [plain_line(text) for text in self.texts(range(max(0, first), first + count))] if first >= 0 else []

    def texts(self, numbers: Sequence[int]) -> list[str]:
        """The lines of these numbers (ascending; those beyond the end are left out) as written.

        Of a line over `CHUNK` bytes, only the end if it is a progress bar, else a note of its length and its beginning.
        """
        wanted = numbers[: bisect_left(numbers, self.line_count)]
        descriptor = self._open() if wanted else None
        if descriptor is None:
            return []
        try:
            if os.fstat(descriptor).st_ino != self._inode:
                return []  # The next poll will see to it.
            starts = _Starts(descriptor, self._index)
            return [_line(descriptor, starts.of(number), starts.of(number + 1)) for number in wanted]
        finally:
            os.close(descriptor)

    def positions(self, numbers: Sequence[int]) -> list[int]:
        """The byte offsets of the lines of these numbers (ascending, none beyond the end)."""
        descriptor = self._open() if numbers else None
        if descriptor is None:
            return []
        try:
            starts = _Starts(descriptor, self._index)
            return [starts.of(number) for number in numbers]
        finally:
            os.close(descriptor)

    def last(self, count: int) -> list[str]:
        """The lines in the last `count` bytes of the file, indexed or not, without escape sequences, for searching."""
        texts = self.tail(count)[1]
        return visible_lines("\n".join(texts).encode("utf-8", "replace")) if texts else []

    def tail(self, count: int = CHUNK) -> tuple[int, list[str]]:
        """The lines in the last `count` bytes of the file as written, and the byte offset of the first one."""
        descriptor = self._open()
        if descriptor is None:
            return 0, []
        try:
            size = os.fstat(descriptor).st_size
            start = max(0, size - count)
            data = os.pread(descriptor, count, start)
        finally:
            os.close(descriptor)
        cut = data.find(b"\n") + 1 if start else 0
        texts = data[cut:].decode("utf-8", "replace").split("\n")
        return start + cut, texts if texts[-1] else texts[:-1]

    def line_at(self, position: int) -> int:
        """The number of the line at byte `position`; beyond what is indexed, that of the last line."""
        position = min(position, self._index.size)
        chunk = position // CHUNK
        return self._index.ends_before(chunk) + self.read(chunk * CHUNK, position % CHUNK).count(b"\n")

    def read(self, position: int, count: int) -> bytes:
        """At most `count` bytes from `position` on, of the indexed part."""
        descriptor = self._open()
        if descriptor is None:
            return b""
        try:
            return os.pread(descriptor, max(0, min(count, self._index.size - position)), position)
        finally:
            os.close(descriptor)

    def _start_over(self, inode: int) -> None:
        if self._index.size:
            self.generation += 1
        self._inode, self._index, self._last = inode, LineIndex(), b""

    def _goes_on(self, descriptor: int) -> bool:
        """Whether what was read last is still where it was: a log that was cut may have grown beyond its old size."""
        last = self._last
        return os.pread(descriptor, len(last), self._index.size - len(last)) == last

    def _open(self) -> int | None:
        try:
            return open_regular(self.path)
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
            self._last = (self._last + data[-_LAST_KNOWN:])[-_LAST_KNOWN:]


def last_line(log: Path) -> str:
    """The last informative line of a log, safe to show; empty if there is none near its end.

    An indented line comes behind the one that it belongs to, and the phase of a CPU repro: `BFLOAT16 inputs: image:
    bfloat16 [2, 3, 16, 16]`. Skips blank lines and the result that a CPU repro prints for programs. Raises
    TTMatrixError if the log cannot be read.
    """
    lines = map(plain_line, reversed(LogFile(log).tail(_LAST_BYTES)[1]))
    told = [line for line in lines if line.strip() and not line.startswith(RESULT_PREFIX)]
    if not told or not told[0].startswith(" "):
        return told[0] if told else ""
    belongs = next((line for line in told if not line.startswith(" ")), "")
    phase = next((found[1] for line in told if (found := _PHASE.fullmatch(line))), "")
    return " ".join(filter(None, (phase, "" if _PHASE.fullmatch(belongs) else belongs, told[0].strip())))


class _Starts:
    """Offsets of lines. Successive requests are mostly in the same chunk."""

    def __init__(self, descriptor: int, index: LineIndex) -> None:
        self._descriptor = descriptor
        self._index = index
        self._chunk, self._ends = -1, array("I")

    def of(self, line: int) -> int:
        if line == 0:
            return 0
        if line > self._index.line_ends:
            return self._index.size
        chunk, nth = self._index.locate(line)
        if chunk != self._chunk:
            self._chunk, self._ends = chunk, _line_ends(self._descriptor, chunk)
        # There are fewer if the file was overwritten; the next poll handles that.
        return chunk * CHUNK + self._ends[nth] + 1 if nth < len(self._ends) else self._index.size


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
    if length <= CHUNK or b"\r" in tail.rstrip(b"\r\n"):
        return tail.decode("utf-8", "replace").removesuffix("\n")
    return f"[{length:,} bytes, the beginning:] {os.pread(descriptor, _HEAD, start).decode('utf-8', 'replace')}"
