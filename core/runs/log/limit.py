# SPDX-License-Identifier: Apache-2.0
"""Keep the log of a run below a limit while it is written: its beginning and its end stay, the middle is left out.

The processes of a run append to the log themselves, so that nothing is between them and the disk. What is left of
the end is moved forward within the file, which is then cut short behind it; appending goes on there.
"""

import os
from pathlib import Path

_HEAD_SHARE = 8
_TAIL_SHARE = 2
_MOST_HEAD = 64 * 1024 * 1024
_BLOCK = 1024 * 1024
_SMALL = 64 * 1024
_ROUNDS = 20
_NOTE_BYTES = 128


class LogLimit:
    """The log at `path`, of at most `limit` bytes; 0: of any size. For signal handlers: nothing is raised."""

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
