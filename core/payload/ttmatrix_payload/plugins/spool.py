# SPDX-License-Identifier: Apache-2.0
"""The output of a run while pytest captures it: files beside the log, whose bytes are copied into it as they come.

A process that is captured writes into files of the spool. It may die at any moment: what it has written is there. Its
bytes are copied by the process itself whenever pytest takes them, so that they are in the log before the next line of
pytest, and in the meantime by the process that started it. Which of them have been copied is in the spool, too.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

SPOOL_VARIABLE = "TTMATRIX_SPOOL"
"""The directory of the spool of a run; without it, pytest captures as usual."""
SPOOL = "captured"
"""Its name in the directory of a run."""

LOGGERS = {"TTXLA_LOGGER_FILE": "ttxla.log", "TT_LOGGER_FILE": "", "TTMLIR_RUNTIME_LOGGER_FILE": ""}
"""Variables that give loggers of Tenstorrent's libraries a file, and the name of that file if it is not given.

Those without a name here no longer write to stdout if they have one, and that of the device writes it by the block.
"""
LAST = 999
"""The stream whose bytes come after those of all others: the stack of a crash."""
BEGUN = "begun"
"""The file that is there once a test has begun."""
_TABLE = "table"
_TARGET = "to"
_NUMBER = struct.Struct("<q")
_HEADER = 2
"""Numbers before those of the streams: the stream that was copied last, and the size of the log after it."""
_PIECE = 1024 * 1024


class Log:
    """The open file that the bytes of a spool are copied to."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._descriptor, data) :]

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return os.fstat(self._descriptor).st_size

    def is_open_as(self, descriptor: int) -> bool:
        """Whether `descriptor` is of the same file."""
        return os.path.sameopenfile(self._descriptor, descriptor)

    @property
    def inside(self) -> bool:
        """Whether its last line has no end; always false for a pipe or a terminal."""
        with suppress(OSError):
            # It may have been opened for writing only.
            reader = os.open(f"/proc/self/fd/{self._descriptor}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                size = os.fstat(reader).st_size
                return size > 0 and os.pread(reader, 1, size - 1) != b"\n"
            finally:
                os.close(reader)
        return False


class Spool:
    """The spool in `place`. Streams have numbers, and are copied in their order."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._open: dict[int, int] = {}
        """By stream: where its last line without an end begins, as seen the last time."""

    @property
    def exists(self) -> bool:
        return self._place.is_dir()

    def stream(self, number: int | None = None) -> tuple[int, FileIO]:
        """A new, empty stream and its number. Raises OSError."""
        self._place.mkdir(mode=0o700, exist_ok=True)
        with self._locked() as table:
            for free in range(LAST) if number is None else (number,):
                with suppress(FileExistsError):
                    file = (self._place / str(free)).open("x+b" if number is None else "w+b", buffering=0)
                    _write(table, _HEADER + free, 0)
                    return free, file
        raise FileExistsError(f"{self._place} has no room for a stream")

    def follow(self, number: int, file: Path) -> None:
        """Copy what others write to `file`, too, as the stream `number`. Raises OSError."""
        self._place.mkdir(mode=0o700, exist_ok=True)
        link = self._place / str(number)
        link.unlink(missing_ok=True)
        link.symlink_to(file)

    def begin(self) -> None:
        """Mark that a test begins: what came before was the start of pytest."""
        with suppress(OSError):
            (self._place / BEGUN).touch()

    @property
    def begun(self) -> bool:
        """Whether a test has begun, or nothing says that none has."""
        return not self.exists or (self._place / BEGUN).exists()

    def direct(self, log: Path | None) -> None:
        """Copy what is written from now on to the file `log`; None: to the log of the run."""
        target = self._place / _TARGET
        if log is None:
            target.unlink(missing_ok=True)
            return
        new = self._place / f"{_TARGET}.{os.getpid()}"
        new.write_bytes(os.fsencode(log))
        new.replace(target)

    def copy(self, log: Log, *, whole: bool = False, wait: bool = True) -> None:
        """Copy what is new. `whole`: without the beginnings of lines that may still grow.

        Without `wait`, nothing is done while another process copies.
        """
        if self.exists:
            with self._locked(wait=wait) as table:
                self._copy(table, log, whole=whole)

    def add(self, data: bytes, log: Log) -> None:
        """Copy what is new, and add `data` to it."""
        with self._locked() as table, suppress(OSError):
            self._copy(table, log)
            with self._target(log) as target:
                target.write(b"\n" * target.inside + data)

    @contextmanager
    def taken(self, number: int, log: Log) -> Iterator[None]:
        """Copy what is new; within the block, the stream is emptied by the process that it captures."""
        with self._locked() as table:
            self._copy(table, log)
            try:
                yield
            finally:
                _write(table, _HEADER + number, 0)

    @contextmanager
    def unseen(self, log: Log) -> Iterator[None]:
        """Copy what is new; what is written to streams within the block is not copied, because it has been before."""
        with self._locked() as table:
            self._copy(table, log)
            try:
                yield
            finally:
                for number in self._streams():
                    _write(table, _HEADER + number, self._size(number))

    def remove(self, number: int) -> None:
        """Remove a stream whose bytes have been copied."""
        (self._place / str(number)).unlink(missing_ok=True)

    def close(self, log: Log) -> None:
        """Copy what is left, and remove the spool."""
        if not self.exists:
            return
        self.copy(log)
        shutil.rmtree(self._place, ignore_errors=True)

    def _copy(self, table: int, log: Log, *, whole: bool = False) -> None:
        """Copy new output; a part that cannot be written, for example on a full disk, is copied the next time."""
        if table < 0:
            return
        with suppress(OSError), self._target(log) as target:
            # The last written last; what two streams get in the same moment is in the order of their numbers.
            for number in sorted(self._streams(), key=self._when):
                # A process that is captured may empty its stream by itself.
                begin, size = _read(table, _HEADER + number), self._size(number)
                begin = begin if begin <= size else 0
                end = self._end_of_lines(number, begin, size) if whole else size
                if begin < end:
                    self._append(table, number, begin, end, target)

    def _append(self, table: int, number: int, begin: int, end: int, log: Log) -> None:
        before = _read(table, 0), _read(table, 1)
        if before != (number, log.size) and log.inside:
            # The last line there is of pytest, or of another stream.
            log.write(b"\n")
        with (self._place / str(number)).open("rb", buffering=0) as file:
            file.seek(begin)
            while begin < end and (data := file.read(min(_PIECE, end - begin))):
                log.write(data)
                begin += len(data)
                _write(table, _HEADER + number, begin)
        _write(table, 0, number)
        _write(table, 1, log.size)

    def _end_of_lines(self, number: int, begin: int, size: int) -> int:
        """The end of the last whole line; of all lines if the last one has not grown since the last time."""
        if size == self._open.pop(number, -1) or size - begin > _PIECE:
            return size
        with (self._place / str(number)).open("rb", buffering=0) as file:
            file.seek(begin)
            data = file.read(size - begin) or b""
        # A progress bar ends its lines with a carriage return.
        end = begin + max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end < size:
            self._open[number] = size
        return end

    def _streams(self) -> list[int]:
        with suppress(OSError):
            return sorted(int(file.name) for file in self._place.iterdir() if file.name.isdecimal())
        return []

    def _when(self, number: int) -> tuple[bool, int]:
        """A key for the order in which streams were written."""
        with suppress(OSError):
            return number == LAST, (self._place / str(number)).stat().st_mtime_ns
        return True, 0

    def _size(self, number: int) -> int:
        with suppress(OSError):
            return (self._place / str(number)).stat().st_size
        return 0

    @contextmanager
    def _target(self, log: Log) -> Iterator[Log]:
        try:
            place = os.fsdecode((self._place / _TARGET).read_bytes())
        except OSError:
            yield log
            return
        descriptor = os.open(place, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            yield Log(descriptor)
        finally:
            os.close(descriptor)

    @contextmanager
    def _locked(self, *, wait: bool = True) -> Iterator[int]:
        """The table, while nobody else copies; -1 if it is gone, or if somebody does and this shall not `wait`."""
        try:
            # Opened anew each time: a forked process would share the lock of its parent.
            table = os.open(self._place / _TABLE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            yield -1
            return
        try:
            yield table if _lock(table, wait=wait) else -1
        finally:
            os.close(table)


def _lock(table: int, *, wait: bool) -> bool:
    try:
        fcntl.flock(table, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # A file system without locks: at worst, something is copied twice.
        return True
    return True


def _read(table: int, at: int) -> int:
    data = os.pread(table, _NUMBER.size, at * _NUMBER.size)
    return int(_NUMBER.unpack(data)[0]) if len(data) == _NUMBER.size else 0


def _write(table: int, at: int, number: int) -> None:
    with suppress(OSError):
        os.pwrite(table, _NUMBER.pack(number), at * _NUMBER.size)
