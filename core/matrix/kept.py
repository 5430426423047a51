# SPDX-License-Identifier: Apache-2.0
"""Keep what took time to work out, for the next start of the very same code."""

import hashlib
import io
import os
import pickle
import stat
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import core
from core.errors import TTMatrixError
from core.files import atomic_write
from core.sources.stamps import Stamps, all_unchanged, stamps_of


def store(file: Path, value: object, stamps: Stamps | None = None) -> None:
    """Keep `value`, which holds plain data and classes of `core`; where that cannot be, it is done without.

    `stamps` are those of all it was made of: once one of them has changed, it is not loaded any more.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(file, b"".join((_key(), pickle.dumps(dict(stamps or {})), dumps(value))))
    except (OSError, TTMatrixError):
        # A full disk or a read-only home costs the next start some time and nothing else.
        return


def load(file: Path) -> object:
    """What `store` wrote; None where it is missing, damaged, of other code, or made of what has changed since.

    Only a file that nobody but us could have written is unpickled.
    """
    try:
        with file.open("rb") as handle:
            status = os.fstat(handle.fileno())
            if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            key = _key()
            # The stamps stand first: what no longer holds is not worth the time to load the rest.
            if handle.read(len(key)) != key or not all_unchanged(pickle.load(handle)):
                return None
            return pickle.load(handle)
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, TypeError, ValueError):
        return None


def dumps(value: object) -> bytes:
    """`value` as bytes that `loads` understands."""
    data = io.BytesIO()
    _Pickler(data, pickle.HIGHEST_PROTOCOL).dump(value)
    return data.getvalue()


def loads(data: bytes) -> object:
    """What `dumps` was given; only for bytes that come from a process of ours."""
    return pickle.loads(data)


_Arguments = Callable[[Any], tuple[object, ...]]


class _Pickler(pickle.Pickler):
    """Writes a value as a call of its class, which loads several times faster than the way dataclasses come with."""

    _known: ClassVar[dict[type, _Arguments | None]] = {}

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind not in self._known:
            self._known[kind] = _arguments(kind)
        arguments = self._known[kind]
        return NotImplemented if arguments is None else (kind, arguments(value))


def _arguments(kind: type) -> _Arguments | None:
    """What gives the arguments that a value of this class can be made of again; None: pickle knows better."""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple
    if not is_dataclass(kind) or not all(field.init for field in fields(kind)):
        return None
    names = [field.name for field in fields(kind)]
    return attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)


def _key() -> bytes:
    """Tells whether a cache is ours: it is of no use to other code, even of the same version."""
    sources = Path(core.__file__).parent
    stamps = stamps_of(
        sorted(str(path) for folder in ("matrix", "sources") for path in (sources / folder).glob("*.py"))
    )
    text = repr((core.__version__, sys.version, sorted(stamps.items())))
    return hashlib.sha256(text.encode()).digest()
