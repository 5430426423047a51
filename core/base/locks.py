# SPDX-License-Identifier: Apache-2.0
"""File locks that let one process work at a time; the kernel frees a lock when its holder dies."""

import fcntl
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from core.base.errors import TTMatrixError
from core.base.files import decoded, plain, read_text
from core.base.processes import this_host

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class _Holder:
    """What the note beside a lock says of its holder."""

    pid: int
    host: str
    doing: str
    at: float
    """Seconds since the epoch."""


class LockHeld(TTMatrixError):
    """Another process has the lock."""


@contextmanager
def locked(path: Path, doing: str, *, wait: float) -> Iterator[None]:
    """Hold the lock at `path` while the block runs; its directory is created.

    Raises LockHeld, which names the holder and what it does, after `wait` seconds, and TTMatrixError if the lock file
    cannot be made.
    """
    lock = FileLock(path)
    note = path.with_suffix(".holder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise _held(path, note) from error
    except OSError as error:
        raise TTMatrixError(f"Cannot lock {path}", error.strerror or str(error)) from error
    try:
        with _noted(note, doing):
            yield
    finally:
        lock.release()


@contextmanager
def locked_directory(path: Path, note: Path, doing: str, *, wait: float) -> Iterator[None]:
    """As `locked`, with a lock on the directory `path` itself: no file is made in it, and all users share one lock."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise TTMatrixError(f"Cannot lock {path}", error.strerror or str(error)) from error
    try:
        if not _taken(descriptor, path, wait):
            raise _held(path, note)
        with suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _noted(note, doing):
            yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int, path: Path, wait: float) -> bool:
    """Return whether we got the lock on an open directory within `wait` seconds."""
    deadline, pause = time.monotonic() + wait, threading.Event()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            pause.wait(_POLL_SECONDS)
        except OSError as error:
            raise TTMatrixError(f"Cannot lock {path}", error.strerror or str(error)) from error
        else:
            return True


@contextmanager
def _noted(note: Path, doing: str) -> Iterator[None]:
    """Write our name into the note, for those who wait. The note proves nothing: the lock does."""
    with suppress(OSError):
        holder = _Holder(os.getpid(), this_host(), doing, time.time())
        note.write_text(json.dumps(plain(holder)))
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)


def _held(path: Path, note: Path) -> LockHeld:
    return LockHeld(f"Another ttmatrix holds {path}", _holder(note), "Try again once it is done.")


def _holder(note: Path) -> str:
    try:
        holder = decoded(read_text(note), _Holder)
        since = time.strftime("%H:%M:%S", time.localtime(holder.at))
        return f"Process {holder.pid} on {holder.host}, since {since}: {holder.doing}."
    except (TTMatrixError, ValueError, OverflowError):
        return "It does not say which process it is."
