# SPDX-License-Identifier: Apache-2.0
"""Keep what took time to work out, for the next start of the very same code."""

import hashlib
import os
import pickle
import stat
import sys
from pathlib import Path

import core
from core.errors import TTMatrixError
from core.files import atomic_write
from core.sources.stamps import stamps_of


def store(file: Path, value: object) -> None:
    """Keep `value`, which holds plain data and classes of `core`; where that cannot be, it is done without."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(file, _key() + pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except (OSError, TTMatrixError):
        # A full disk or a read-only home costs the next start some time and nothing else.
        return


def load(file: Path) -> object:
    """What `store` wrote; None where it is missing, damaged or of other code.

    Only a file that nobody but us could have written is unpickled.
    """
    try:
        with file.open("rb") as handle:
            status = os.fstat(handle.fileno())
            if status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            key = _key()
            data = handle.read()
            return pickle.loads(data[len(key) :]) if data.startswith(key) else None
    except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, TypeError, ValueError):
        return None


def _key() -> bytes:
    """Tells whether a cache is ours: it is of no use to other code, even of the same version."""
    sources = Path(core.__file__).parent
    stamps = stamps_of(
        sorted(str(path) for folder in ("matrix", "sources") for path in (sources / folder).glob("*.py"))
    )
    text = repr((core.__version__, sys.version, sorted(stamps.items())))
    return hashlib.sha256(text.encode()).digest()
