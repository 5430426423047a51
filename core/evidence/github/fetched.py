# SPDX-License-Identifier: Apache-2.0
"""Logs and artefacts of CI that were fetched on demand: what is read stays, what is old or too much goes."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DAY, _GIB = 86_400.0, 2**30
_BESIDE = (".part", ".lock", ".holder")
"""What may lie beside a log."""


def lock_of(directory: Path) -> Path:
    """The lock of who fetches a directory of artefacts, whose name may have dots."""
    return directory.with_name(f"{directory.name}.lock")


class InUse:
    """Says to all processes that a log, or a directory of artefacts, is being read, until it is closed."""

    def __init__(self, place: Path) -> None:
        self._descriptor: int | None = None
        with suppress(OSError):
            self._descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            # What was read last goes last.
            os.utime(place)

    def close(self) -> None:
        """It is not read any more."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def retain_fetched(logs: Path, artefacts: Path, days: float, gib: float, now: float) -> int:
    """Remove what is older than `days`, and the oldest beyond `gib`; returns how many. 0 days or GiB: no limit.

    What is being read or fetched stays.
    """
    found = sorted(((place.stat().st_mtime, place) for place in _places(logs, artefacts)), reverse=True)
    left, gone = gib * _GIB, 0
    for at, place in found:
        left -= _size(place)
        if (days and now - at > days * _DAY) or (gib and left < 0):
            gone += _remove(place)
    return gone


def _places(logs: Path, artefacts: Path) -> Iterator[Path]:
    yield from logs.glob("*.log")
    yield from (one for one in artefacts.glob("*/*") if one.is_dir())


def _size(place: Path) -> int:
    if place.is_dir():
        return sum(one.stat().st_size for one in place.rglob("*") if one.is_file() and not one.is_symlink())
    return place.stat().st_size


def _remove(place: Path) -> bool:
    """Remove a log or a directory, unless somebody reads or fetches it."""
    lock = lock_of(place) if place.is_dir() else place.with_suffix(".lock")
    with _alone(place) as alone, _alone(lock) as not_fetched:
        if not (alone and not_fetched):
            return False
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
            lock.unlink(missing_ok=True)
        else:
            place.unlink(missing_ok=True)
            for suffix in _BESIDE:
                place.with_suffix(suffix).unlink(missing_ok=True)
    return True


@contextmanager
def _alone(place: Path) -> Iterator[bool]:
    """Whether nobody else has `place` open in this way; for the block."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield True
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)
