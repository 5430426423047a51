# SPDX-License-Identifier: Apache-2.0
"""A log during its run: keeping it below its limit, and recording when its lines arrived."""

import ctypes
import os
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.base.files import opened

STEP_SECONDS = 1.0
"""How often the size is noted while it grows."""

GAP = "... ttmatrix left out"
"""Begins the line in place of what was removed."""

_HEAD_SHARE = 8
_TAIL_SHARE = 2
_MOST_HEAD = 64 * 1024 * 1024
_PIECE = 1024 * 1024
_SMALL = 64 * 1024
_ROUNDS = 20
_NOTE_BYTES = 128
_LARGEST_BLOCK = 64 * 1024
_FALLOC_FL_COLLAPSE_RANGE = 0x08


class LogLimit:
    """The log at `path`, of at most `limit` bytes; 0: of any size. For signal handlers: nothing is raised.

    Its beginning and its end stay; a note replaces the middle. The processes of a run append to the log directly and
    do not notice: the file system takes the middle out of the file. Where it cannot (it can on ext4 and XFS), the end
    is copied over the middle and the file truncated, and what is printed between these two is lost.

    Only whole blocks can be taken out. The note takes the place of what is left of the blocks at both sides of the gap,
    so that only whole lines remain.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._libc = ctypes.CDLL(None)
        self._note_at = 0
        """Where the note about the gap begins."""
        self._gap = 0
        """Where the middle was taken out, at a block within the note; 0: nothing was taken out yet."""
        self._note_end = 0
        """Where it ends, and the rest of the log begins."""
        self._left_out = 0
        self._cutting = False

    def enforce(self) -> bool:
        """Cut the log if it exceeds its limit; returns whether it did."""
        if self._cutting:
            # This signal interrupted an earlier call: large logs take longer than the interval.
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
            return self._cut(descriptor)
        finally:
            os.close(descriptor)

    def _cut(self, descriptor: int) -> bool:
        block = min(os.fstatvfs(descriptor).f_bsize, _LARGEST_BLOCK)
        if not self._gap:
            head = min(_MOST_HEAD, self._limit // _HEAD_SHARE) + _NOTE_BYTES
            self._gap = (head // block + 1) * block
            self._note_at = self._note_end = _last_line_end(descriptor, self._gap - _NOTE_BYTES)
        end = (os.fstat(descriptor).st_size - self._limit // _TAIL_SHARE) // block * block
        if end <= self._gap or end < self._note_end:
            # Nothing yet: the limit is of the size of a block.
            return False
        tail = _line_end(descriptor, end)
        # The earlier note is not part of the log.
        self._left_out += tail - self._note_end
        self._note_end = self._gap + tail - end
        note = _note(self._left_out, self._limit, self._note_end - self._note_at)
        # Its halves at both sides of what is taken out: the log has no moment without the note.
        before = self._gap - self._note_at
        os.pwrite(descriptor, note[:before], self._note_at)
        os.pwrite(descriptor, note[before:], end)
        _take_out(self._libc, descriptor, self._gap, end)
        return True


def _take_out(libc: ctypes.CDLL, descriptor: int, begin: int, end: int) -> None:
    """Take the bytes from `begin` to `end`, both at blocks, out of a file to which others append."""
    fallocate = getattr(libc, "fallocate64", None)
    if fallocate is not None:
        begin_and_length = ctypes.c_int64(begin), ctypes.c_int64(end - begin)
        if fallocate(descriptor, _FALLOC_FL_COLLAPSE_RANGE, *begin_and_length) == 0:
            return
    read = end
    for _ in range(_ROUNDS):
        begin, read = _move(descriptor, read, os.fstat(descriptor).st_size, begin)
        # Output written between here and the truncation is lost, so this must take no time.
        if os.fstat(descriptor).st_size - read < _SMALL:
            break
    begin, read = _move(descriptor, read, os.fstat(descriptor).st_size, begin)
    os.ftruncate(descriptor, begin)


def _move(descriptor: int, begin: int, end: int, to: int) -> tuple[int, int]:
    """Copy the bytes from `begin` to `end` forward to `to`; returns the ends of the copy and of the copied range."""
    while begin < end:
        data = os.pread(descriptor, min(_PIECE, end - begin), begin)
        if not data:
            break
        os.pwrite(descriptor, data, to)
        begin, to = begin + len(data), to + len(data)
    return to, begin


def _line_end(descriptor: int, position: int) -> int:
    """The end of the line at `position`; `position` itself if that line is long."""
    found = os.pread(descriptor, _SMALL, position).find(b"\n")
    return position + found + 1 if found >= 0 else position


def _last_line_end(descriptor: int, position: int) -> int:
    """The end of the last line before `position`; `position` itself if the line there is long."""
    begin = max(0, position - _SMALL)
    found = os.pread(descriptor, position - begin, begin).rfind(b"\n")
    return begin + found + 1 if found >= 0 else position


def _note(left_out: int, limit: int, size: int) -> bytes:
    """Lines of `size` bytes in all, so that the next note can replace them."""
    text = f"\n{GAP} {left_out:,} bytes here: the log is over its limit of {limit:,} bytes "
    return text.encode().ljust(size - 1, b".") + b"\n"


class ArrivalNotes:
    """Notes the size of `log` in `file`, a line for each time: seconds since the epoch and bytes.

    For signal handlers and full disks: nothing is raised, and a note that cannot be written is dropped.
    """

    def __init__(self, log: Path, file: Path) -> None:
        self._log = log
        self._file = file
        self._size = 0

    def note(self, now: float) -> None:
        """Record the size of the log at `now`."""
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
        """Read new notes; returns whether there were any. A missing or damaged file counts as empty."""
        try:
            with opened(self._file) as handle:
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
                    # The middle of the log was removed: the earlier offsets of lines are no longer known.
                    self._times.clear()
                    self._sizes.clear()
                self._times.append(note[0])
                self._sizes.append(note[1])
        return bool(whole)

    def at(self, positions: Sequence[int]) -> list[float | None]:
        """The times by which bytes of the log had arrived; None: not known yet, or never recorded."""
        found = (bisect_right(self._sizes, position) for position in positions)
        return [self._times[at] if at < len(self._times) else None for at in found]
