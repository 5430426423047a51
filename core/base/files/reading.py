# SPDX-License-Identifier: Apache-2.0
"""The one door through which files are read: regular files only, up to a size, whatever their name points at.

A name in a checkout may be a link to a device, or a pipe that nobody writes to: reading it would take all memory, or
wait for ever.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from core.base.errors import TTMatrixError

TEXT_BYTES = 16 << 20
"""Largest size of a file that people write: the largest in tt-xla has a third of a MiB."""
GIVEN_BYTES = 256 << 20
"""Largest size of a file that is named on the command line: proposals for everything have a few MiB."""
_SMALL, _PORTION = 4 << 10, 16 << 20
"""Bytes that are read at a time, of a file whose size the system does not know, and of a large one."""
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NotRead(OSError):
    """A file that is not read, though the system would: not a regular one, or too large. Its text is the reason."""

    def __init__(self, number: int, reason: str, path: str | Path) -> None:
        super().__init__(number, reason, os.fspath(path))

    def __str__(self) -> str:
        return str(self.strerror)


def is_there(path: Path) -> bool:
    """Whether anything has this name, even a link that leads nowhere: reading that fails, it is not missing."""
    return os.path.lexists(path)


def open_regular(path: str | Path, limit: int | None = None) -> int:
    """A file descriptor of the regular file at `path`, for reading. Raises OSError, for one above `limit` bytes too."""
    try:
        # Opening a pipe without a writer would block, and so may a device.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EISDIR):
            raise unfit(path, os.stat(path)) from error  # noqa: PTH116
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise unfit(path, status)
        if limit is not None and status.st_size > limit:
            raise _too_large(path, status.st_size, limit)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def opened(path: str | Path, limit: int | None = None) -> BinaryIO:
    """The regular file at `path`, as `open_regular`."""
    return os.fdopen(open_regular(path, limit), "rb")


def read_bytes(path: str | Path, limit: int | None = TEXT_BYTES) -> bytes:
    """The bytes of the regular file at `path`. Raises OSError, for one above `limit` bytes too."""
    descriptor = open_regular(path, limit)
    try:
        # Without a file object, which takes longer than to read a small file: there are thousands.
        parts, size = list[bytes](), 0
        portion = min(max(os.fstat(descriptor).st_size + 1, _SMALL), _PORTION)
        while part := os.read(descriptor, portion):
            parts.append(part)
            size += len(part)
            # It may have grown meanwhile.
            if limit is not None and size > limit:
                raise _too_large(path, size, limit)
    except BlockingIOError as error:
        raise NotRead(errno.EAGAIN, "nothing can be read from it without waiting", path) from error
    finally:
        os.close(descriptor)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def bytes_if_any(file: Path) -> bytes | None:
    """As `read_bytes`; None: it cannot be read."""
    try:
        return read_bytes(file)
    except OSError:
        return None


def read_text(path: Path, limit: int | None = TEXT_BYTES) -> str:
    """The whole file as UTF-8 with its line ends and byte order mark untouched.

    Raises TTMatrixError where the file cannot be read (see `read_bytes`) or is not UTF-8.
    """
    try:
        return read_bytes(path, limit).decode("utf-8")
    except OSError as error:
        raise TTMatrixError(f"Cannot read {path}", error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is not UTF-8"
        raise TTMatrixError(f"Cannot read {path}", where, "Save the file as UTF-8 and try again.") from error


def read_given(path: Path) -> str:
    """As `read_text`, of a file that a person names for one command: also a pipe, as shells make for `<(...)`."""
    try:
        if not stat.S_ISFIFO(path.stat().st_mode):
            return read_text(path, GIVEN_BYTES)
        with path.open("rb") as pipe:
            data = pipe.read(GIVEN_BYTES + 1)
        if len(data) > GIVEN_BYTES:
            raise _too_large(path, len(data), GIVEN_BYTES)
        return data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TTMatrixError(f"Cannot read {path}", str(getattr(error, "strerror", "") or error)) from error


def read_loosely(path: Path, limit: int | None = TEXT_BYTES) -> str:
    """The file as lines of text, to look something up: bytes that are not UTF-8 are replaced. Raises OSError."""
    return read_bytes(path, limit).decode("utf-8", "replace").replace("\r\n", "\n")


def unfit(path: str | Path, status: os.stat_result) -> NotRead:
    """The error for what has this `status`, which is not a regular file."""
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "of an unknown kind")
    return NotRead(errno.EINVAL, f"it is {kind}, not a file", path)


def _too_large(path: str | Path, size: int, limit: int) -> NotRead:
    return NotRead(errno.EFBIG, f"it has {size >> 20:,} MiB; at most {limit >> 20:,} are read", path)
