# SPDX-License-Identifier: Apache-2.0
"""Limit how many runs go on at a time: a run holds a file lock, and the kernel frees it should it die."""

from contextlib import suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from core.errors import TTMatrixError


def take_slot(directory: Path, name: str, count: int) -> BaseFileLock | None:
    """One of the `count` slots called `name`, held until it is released; None where all are taken.

    Raises TTMatrixError where the locks in `directory` cannot be made.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            lock = FileLock(directory / f"{name}-{number}.lock")
            with suppress(Timeout):
                lock.acquire(timeout=0)
                return lock
    except OSError as error:
        raise TTMatrixError(f"Cannot lock in {directory}", error.strerror or str(error)) from error
    return None
