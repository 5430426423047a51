# SPDX-License-Identifier: Apache-2.0
"""Cache slow results on disk, for the next start of the same code."""

import os
import pickle
import stat
import sys
import threading
import zlib
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import core
from core.base import files
from core.base.errors import TTMatrixError
from core.sources import Stamps, all_unchanged, files_below, stamps_of

MAKERS = (
    "ci",
    "doctor",
    "domain",
    "handwritten",
    "history",
    "kinds",
    "matrix",
    "ops",
    "providers",
    "python",
    "sources",
    "states",
)
"""The packages whose code produces cached values."""


def store(file: Path, value: object, stamps: Stamps | None = None) -> None:
    """Save `value`, which holds plain data and classes of `core`; a failure to write it is ignored.

    `stamps` are those of all its sources: once one of them has changed, the value is no longer loaded.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        files.atomic_write(file, b"".join((pickle.dumps((_key(), dict(stamps or {}))), dumps(value))))
    except (OSError, TTMatrixError):
        # With a full disk or a read-only home, the next start is slower, and nothing else happens.
        return


def load(file: Path) -> object:
    """The value that `store` wrote; None if it is missing, damaged, from other code, or outdated by its stamps.

    Only a file that nobody else could have written is unpickled.
    """
    try:
        with file.open("rb") as handle:
            status = os.fstat(handle.fileno())
            if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            # The stamps come first, so that an outdated value is not loaded at all.
            key, stamps = pickle.load(handle)
            return pickle.load(handle) if key == _key() and all_unchanged(stamps) else None
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, TypeError, ValueError):
        return None


def dumps(value: object) -> bytes:
    """`value` as bytes for `loads`."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def loads(data: bytes) -> Any:
    """The value that `dumps` was given; only for bytes from a process of ours."""
    return pickle.loads(data)


T = TypeVar("T")


class Late(Generic[T]):
    """A part of a cached value that is loaded on first use: the first frame needs little."""

    def __init__(self, value: T) -> None:
        self._value: T | None = value
        self._data = b""
        self._lock = threading.Lock()

    @classmethod
    def of_bytes(cls, data: bytes, checksum: int) -> "Late[T]":
        """A value that is loaded later. Raises UnpicklingError if the bytes are damaged."""
        if zlib.crc32(data) != checksum:
            raise pickle.UnpicklingError("damaged")
        late = cls(cast(T, None))
        late._data = data
        return late

    def get(self) -> T:
        """The value, the same object each time."""
        if self._data:
            with self._lock:
                if self._data:
                    self._value = loads(self._data)
                    self._data = b""
        return cast(T, self._value)

    def __reduce__(self) -> tuple[object, ...]:
        data = self._data or dumps(self.get())
        return Late.of_bytes, (data, zlib.crc32(data))


def _key() -> str:
    """Identifies the code that wrote a cache: it is of no use to other code, even of the same version."""
    return repr((core.__version__, sys.version, _code()))


@cache
def _code() -> Stamps:
    """The stamps of our code, looked at once: what a process writes after its files have changed is of the old ones."""
    own = Path(core.__file__).parent
    below = (path for folder in MAKERS for path in files_below(own / folder, ".py"))
    return stamps_of(sorted(path for path in (*map(str, own.glob("*.py")), *below) if path.endswith(".py")))
