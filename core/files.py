# SPDX-License-Identifier: Apache-2.0
"""Read and replace files the user owns: every byte as it is, and either the old content or the new."""

import errno
import glob
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import TTMatrixError

_SUFFIX = ".tmp"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a file is still the one that was read."""

    mtime_ns: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp:
    """The present stamp of `path`; raises FileNotFoundError where there is none."""
    status = path.stat()
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def read_text(path: Path) -> str:
    """The whole file as UTF-8 with its line ends and byte order mark untouched.

    Raises TTMatrixError where the file cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise TTMatrixError(f"Cannot read {path}", error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is not UTF-8"
        raise TTMatrixError(f"Cannot read {path}", where, "Save the file as UTF-8 and try again.") from error


def atomic_write(path: Path, content: str | bytes) -> None:
    """Replace the content of `path`, following links and keeping its mode; on failure the old file stands.

    Text is written as UTF-8. A file that we may not write is refused, though its directory would let us replace
    it. Raises TTMatrixError with the system's reason, for example a full disk.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = path.resolve()
    temporary: Path | None = None
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with tempfile.NamedTemporaryFile(
            "wb", dir=target.parent, prefix=f".{target.name}.", suffix=_SUFFIX, delete=False
        ) as handle:
            temporary = Path(handle.name)
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
        _sync_directory(target.parent)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise TTMatrixError(
            f"Cannot write {path}", error.strerror or str(error), "The file is as it was before."
        ) from error


def drop_leftovers(path: Path) -> None:
    """Remove what `atomic_write` was killed over. Only for a file that nobody else can be writing now."""
    target = path.resolve()
    with suppress(OSError):
        for left in target.parent.glob(f".{glob.escape(target.name)}.*{_SUFFIX}"):
            left.unlink(missing_ok=True)


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
