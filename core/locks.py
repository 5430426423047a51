# SPDX-License-Identifier: Apache-2.0
"""One process at a time, by a file lock that the kernel frees should its holder die."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from core.errors import TTMatrixError
from core.files import read_text
from core.proc import this_host


class LockHeld(TTMatrixError):
    """Somebody else has the lock."""


@contextmanager
def locked(path: Path, doing: str, *, wait: float) -> Iterator[None]:
    """Hold the lock at `path`, whose directory is made, for as long as the block runs.

    Raises LockHeld, which names the holder and what it does, after `wait` seconds, and TTMatrixError where there can be
    no lock.
    """
    lock = FileLock(path)
    note = path.with_suffix(".holder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise LockHeld(f"Another ttmatrix holds {path}", _holder(note), "Try again once it is done.") from error
    except OSError as error:
        raise TTMatrixError(f"Cannot lock {path}", error.strerror or str(error)) from error
    try:
        # The note is for those who wait. It proves nothing: the lock does.
        with suppress(OSError):
            told = {"pid": os.getpid(), "host": this_host(), "doing": doing, "at": time.time()}
            note.write_text(json.dumps(told))
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
        lock.release()


def _holder(note: Path) -> str:
    try:
        told = json.loads(read_text(note))
        since = time.strftime("%H:%M:%S", time.localtime(told["at"]))
        return f"Process {told['pid']} on {told['host']}, since {since}: {told['doing']}."
    except (TTMatrixError, ValueError, KeyError, TypeError, OverflowError):
        return "It does not say which process it is."
