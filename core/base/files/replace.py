# SPDX-License-Identifier: Apache-2.0
"""Read and replace files the user owns: every byte is preserved, and a file has the old content or the new."""

import errno
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files.reading import read_bytes, unfit
from core.base.umask import persons_mask

_SUFFIX = ".tmp"


@dataclass(frozen=True, slots=True)
class Stamp:
    """Identifies a version of a file: it differs once the file was changed."""

    mtime_ns: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp:
    """The current stamp of `path`; raises FileNotFoundError if there is no file."""
    status = path.stat()
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino)


def atomic_write(path: Path, content: str | bytes) -> None:
    """Replace the content of `path`, following links and keeping its mode; on failure the old file stays.

    Text is written as UTF-8. A file that we may not write is refused, even if its directory would let us replace
    it. Raises TTMatrixError with the system's reason, for example a full disk.
    """
    with replaced({path: content}):
        pass


def _unchecked() -> None:
    """The default `check`: no objection."""


@contextmanager
def replaced(
    contents: Mapping[Path, str | bytes], check: Callable[[], None] = _unchecked, aside: Path | None = None
) -> Iterator[None]:
    """Give files new contents as `atomic_write` does; if the work inside fails, the old files are restored.

    Everything that needs disk space happens before the first file is replaced; restoring needs none. `check` is
    called in between and may raise. The old files wait in the directory `aside` if possible, else beside the
    new ones. What somebody else wrote in the meantime stays. The error says what could not be restored.
    """
    swaps = [_Swap(path) for path in contents]
    try:
        for swap in swaps:
            content = contents[swap.path]
            with swap.telling():
                swap.prepare(content.encode("utf-8") if isinstance(content, str) else content, aside)
        check()
        for swap in swaps:
            with swap.telling():
                swap.place()
        for swap in {swap.target.parent: swap for swap in swaps}.values():
            with swap.telling():
                _sync_directory(swap.target.parent)
        yield
    except BaseException as failure:
        _put_back(swaps, failure)
        raise
    finally:
        for swap in swaps:
            swap.tidy()


class _Swap:
    """One file on its way to its new content, and back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target = path.resolve()
        self._new: Path | None = None
        self._old: Path | None = None
        """A second name of the original file."""
        self._placed: Stamp | None = None
        self._data = b""

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Errors inside name this file."""
        try:
            yield
        except OSError as error:
            raise _CannotWrite(f"Cannot write {self.path}", error.strerror or str(error)) from error

    def prepare(self, data: bytes, aside: Path | None) -> None:
        there = self.target.exists()
        if there and not self.target.is_file():
            # A link may lead to a device; its name would be given to a new file.
            raise unfit(self.target, self.target.stat())
        if there and not os.access(self.target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with tempfile.NamedTemporaryFile(
            "wb", dir=self.target.parent, prefix=f".{self.target.name}.", suffix=_SUFFIX, delete=False
        ) as handle:
            self._new = Path(handle.name)
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        self._new.chmod(self.target.stat().st_mode & 0o7777 if there else _mode_of_new(self.target.parent))
        self._data = data
        if there:
            self._old = self._second_name(self._new, aside)

    def _second_name(self, new: Path, aside: Path | None) -> Path:
        """Keep the original file under a second name: a hard link, or else a copy."""
        beside = new.with_name(f"{new.name.removesuffix(_SUFFIX)}.old{_SUFFIX}")
        for name in (*([aside / beside.name] if aside else []), beside):
            with suppress(OSError):
                os.link(self.target, name)
                return name
        # Remembered before the copy is complete: if the disk fills up, the partial copy is removed.
        self._old = beside
        shutil.copy2(self.target, beside)
        return beside

    def place(self) -> None:
        assert self._new is not None
        placed = stamp(self._new)
        self._new.replace(self.target)
        self._placed = placed

    def back(self) -> str:
        """Restore the original; returns what could not be restored, and why."""
        if self._placed is None:
            return ""
        try:
            if stamp(self.target) != self._placed and read_bytes(self.target, None) != self._data:
                return f"{self.path} was changed since"
        except OSError:
            return f"{self.path} was removed since"
        try:
            if self._old is None:
                self.target.unlink()
            else:
                self._old.replace(self.target)
        except OSError as error:
            backup, self._old = self._old, None
            where = f"; its old content is saved as {backup}" if backup else ""
            return f"{self.path}: {error.strerror or error}{where}"
        with suppress(OSError):
            _sync_directory(self.target.parent)
        return ""

    def tidy(self) -> None:
        """Remove the temporary files beside the file."""
        for name in (self._new, self._old):
            if name is not None:
                with suppress(OSError):
                    name.unlink(missing_ok=True)


class _CannotWrite(TTMatrixError):
    """A file could not be replaced."""


def _put_back(swaps: Sequence[_Swap], failure: BaseException) -> None:
    """Undo what was done, and add to `failure` what could not be undone."""
    stuck = [why for swap in reversed(swaps) if (why := swap.back())]
    if not stuck:
        if isinstance(failure, _CannotWrite):
            failure.hint = "The file is as it was before." if len(swaps) == 1 else "All files are as they were before."
        return
    undone = f"What was written could not be undone: {'; '.join(stuck)}"
    if not isinstance(failure, TTMatrixError):
        raise TTMatrixError("The files are not as they were before", undone) from failure
    failure.hint = f"{failure.hint}\n{undone}".strip()


def drop_leftovers(path: Path) -> None:
    """Remove temporary files of a killed `atomic_write`. Only for a file that nobody else can be writing now."""
    target = path.resolve()
    with suppress(OSError):
        for left in target.parent.glob(f".{glob.escape(target.name)}.*{_SUFFIX}"):
            left.unlink(missing_ok=True)


def _mode_of_new(directory: Path) -> int:
    """The mode of a new file: no more open than its directory, so that private directories stay private."""
    mask = persons_mask()
    if mask is None:
        # The umask can only be read by setting it.
        mask = os.umask(0)
        os.umask(mask)
    return 0o666 & ~mask & (directory.stat().st_mode | 0o600)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems do not support this for directories.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def write_whole(descriptor: int, data: bytes) -> None:
    """Write `data` in one call. Raises OSError also if a part of it was written: so does a disk that is nearly full."""
    if os.write(descriptor, data) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
