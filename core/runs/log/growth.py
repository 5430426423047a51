# SPDX-License-Identifier: Apache-2.0
"""A log while its run writes it: how it stays below its limit, and when its lines arrived."""

import os
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

STEP_SECONDS = 1.0
"""How often the size is noted while it grows."""

_HEAD_SHARE = 8
_TAIL_SHARE = 2
_MOST_HEAD = 64 * 1024 * 1024
_BLOCK = 1024 * 1024
_SMALL = 64 * 1024
_ROUNDS = 20
_NOTE_BYTES = 128


class LogLimit:
    """The log at `path`, of at most `limit` bytes; 0: of any size. For signal handlers: nothing is raised.

    Its beginning and its end stay, the middle is left out. The processes of a run append to the log themselves, so that
    nothing is between them and the disk. What is left of the end is moved forward within the file, which is then cut
    short behind it; appending goes on there.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._head = 0
        """Where the note about the gap begins; 0: there is none yet."""
        self._left_out = 0
        self._cutting = False

    def enforce(self) -> bool:
        """Cut the log where it has grown over its limit; returns whether that was so."""
        if self._cutting:
            # A signal has interrupted us: large logs take longer than the time between two looks.
            return False
        self._cutting = True
        try:
            return self._enforce()
        except OSError:
            return False
        finally:
            self._cutting = False

    def _enforce(self) -> bool:
        if not 0 < self._limit < self._path.stat().st_size:
            return False
        descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._cut(descriptor)
        finally:
            os.close(descriptor)
        return True

    def _cut(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        if not self._head:
            self._head = _line_end(descriptor, min(_MOST_HEAD, self._limit // _HEAD_SHARE))
        start = max(self._head + _NOTE_BYTES, size - self._limit // _TAIL_SHARE)
        start = _line_end(descriptor, start)
        # The note from the last time is no part of the log.
        noted = _NOTE_BYTES if self._left_out else 0
        self._left_out += start - self._head - noted
        end, read = self._head + _NOTE_BYTES, start
        for _ in range(_ROUNDS):
            end, read = _move(descriptor, read, os.fstat(descriptor).st_size, end)
            # What is written from here to the cut is lost, so this must take no time.
            if os.fstat(descriptor).st_size - read < _SMALL:
                break
        os.pwrite(descriptor, _note(self._left_out, self._limit), self._head)
        end, read = _move(descriptor, read, os.fstat(descriptor).st_size, end)
        os.ftruncate(descriptor, end)


def _move(descriptor: int, begin: int, end: int, to: int) -> tuple[int, int]:
    """Copy the bytes from `begin` to `end` forward to `to`; returns where the copy and what was copied end."""
    while begin < end:
        data = os.pread(descriptor, min(_BLOCK, end - begin), begin)
        if not data:
            break
        os.pwrite(descriptor, data, to)
        begin, to = begin + len(data), to + len(data)
    return to, begin


def _line_end(descriptor: int, position: int) -> int:
    """The end of the line that `position` is in; `position` itself where that line is long."""
    found = os.pread(descriptor, _SMALL, position).find(b"\n")
    return position + found + 1 if found >= 0 else position


def _note(left_out: int, limit: int) -> bytes:
    """A line of always the same length, so that the next one takes its place."""
    text = f"\n... ttmatrix left out {left_out:,} bytes here: the log is over its limit of {limit:,} bytes "
    return text.encode().ljust(_NOTE_BYTES - 1, b".") + b"\n"


class ArrivalNotes:
    """Notes the size of `log` in `file`, a line for each time: seconds since the epoch and bytes.

    For signal handlers and full disks: nothing is raised, and a note that cannot be written is one less.
    """

    def __init__(self, log: Path, file: Path) -> None:
        self._log = log
        self._file = file
        self._size = 0

    def note(self, now: float) -> None:
        """Note how far the log has come by `now`."""
        with suppress(OSError):
            size = self._log.stat().st_size
            if size != self._size:
                self._size = size
                descriptor = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
                try:
                    os.write(descriptor, b"%.2f %d\n" % (now, size))
                finally:
                    os.close(descriptor)


class Arrivals:
    """The notes of one log, read as they grow."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = 0
        self._times: list[float] = []
        self._sizes: list[int] = []

    def poll(self) -> bool:
        """Read what was added; returns whether there was anything. A file that is missing or damaged says nothing."""
        try:
            with self._file.open("rb") as handle:
                handle.seek(self._read)
                data = handle.read()
        except OSError:
            return False
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError):
                at, size = line.split()
                note = float(at), int(size)
                if self._sizes and note[1] < self._sizes[-1]:
                    # The middle of the log was left out: where lines were before is not known any more.
                    self._times.clear()
                    self._sizes.clear()
                self._times.append(note[0])
                self._sizes.append(note[1])
        return bool(whole)

    def at(self, positions: Sequence[int]) -> list[float | None]:
        """For bytes of the log, when each had arrived at the latest; None: it is not known yet, or never was."""
        found = (bisect_right(self._sizes, position) for position in positions)
        return [self._times[at] if at < len(self._times) else None for at in found]
