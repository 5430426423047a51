# SPDX-License-Identifier: Apache-2.0
"""A scratch directory inside git's, the lock of the index, and the removal of both after a ttmatrix was killed.

Both are marked by the same file: it names the process, which holds a kernel lock on it, and every git that it starts
inherits the lock. So it is certain when nobody works there any more, not even a git that outlived us.
"""

import fcntl
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded, plain
from core.base.processes import ProcessIdentity, is_alive, own_identity, send_signal, spawn_detached, this_host

_PREFIX = "ttmatrix-"
_MARK = "owner"
_LOCK = "index.lock"
_LONGEST_MARK = 4096
"""Largest size of a mark, in bytes."""
_POLL_SECONDS = 0.05
_KEEPER_SECONDS = 0.5
"""How long the process that removes the lock of a killed ttmatrix may hold its mark; it needs microseconds."""
_KEEPER = str(Path(__file__).with_name("lock_keeper.py"))


@dataclass(frozen=True, slots=True)
class Scratch:
    """A directory for this process alone, on the disk of the repository."""

    path: Path
    descriptor: int
    """File descriptor of the mark: a process that inherits it counts as one of ours."""

    @contextmanager
    def lock(self, index: Path) -> Iterator[None]:
        """Keep every other git from changing `index`, as git itself does while it commits.

        Raises TTMatrixError if another git has the lock.
        """
        lock = _lock_of(index)
        with self._kept(lock), self._linked(lock):
            yield

    @contextmanager
    def _linked(self, lock: Path) -> Iterator[None]:
        try:
            # The lock must never exist without our mark in it: after a kill it must not look like that of a running
            # git.
            lock.hardlink_to(self.path / _MARK)
        except FileExistsError as error:
            hint = "Wait for it. If none is running, a git was killed: remove that file."
            raise TTMatrixError("Another git is running", f"{lock} exists.", hint) from error
        except OSError as error:
            raise TTMatrixError(f"Cannot write {lock}", error.strerror or str(error)) from error
        try:
            yield
        finally:
            _unlink_same(lock, self.descriptor)

    @contextmanager
    def _kept(self, lock: Path) -> Iterator[None]:
        """Have a process remove the lock if we are killed: a person's own git does not wait for our next start."""
        words = (str(os.getpid()), str((self.path / _MARK).absolute()), str(lock.absolute()))
        keeper = None
        # Where no process can be started, the next ttmatrix removes it.
        with suppress(TTMatrixError):
            keeper = spawn_detached([sys.executable, "-I", "-S", _KEEPER, *words], cwd=Path("/"), env=os.environ)
        try:
            yield
        finally:
            if keeper is not None:
                send_signal(keeper.identity, signal.SIGKILL)
                keeper.wait()

    def holds(self, index: Path) -> bool:
        """Whether the lock of `index` is still ours; if somebody removed it, another git may be running."""
        return _is_same(_lock_of(index), self.descriptor)


@contextmanager
def scratch(home: Path, base: str = "") -> Iterator[Scratch]:
    """Make a scratch directory in `home`, git's own directory. `base` is the commit that commits will be based on.

    Raises OSError if it cannot be made.
    """
    path = Path(mkdtemp(prefix=_PREFIX, dir=home))
    try:
        unfinished = path / "new"
        descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            process = own_identity()
            owner = _Owner(process.pid, process.start_time, this_host(), base, _hold(descriptor))
            os.write(descriptor, json.dumps(plain(_Mark(owner))).encode())
            os.fsync(descriptor)
            # The mark appears complete or not at all; a directory without a mark is recognised, too.
            unfinished.rename(path / _MARK)
            yield Scratch(path, descriptor)
        finally:
            os.close(descriptor)
    finally:
        _remove(path)


def _remove(directory: Path) -> None:
    """Remove a directory, with a second try if the disk refuses; the next ttmatrix removes what is still there."""
    shutil.rmtree(directory, ignore_errors=True)
    if directory.exists():
        shutil.rmtree(directory, ignore_errors=True)


def is_scratch(directory: Path, home: Path) -> bool:
    """Whether `directory` is a scratch directory in `home`, ours or that of another ttmatrix."""
    return directory.parent == home and directory.name.startswith(_PREFIX)


def is_anything_left(home: Path) -> bool:
    """Whether `clear` would find remains to check."""
    return (home / _LOCK).exists() or next(home.glob(f"{_PREFIX}*"), None) is not None


def clear(home: Path, wait: float = 0.0) -> tuple[str, ...]:
    """Remove what killed ttmatrix processes left in `home`; returns the commits that theirs were to be based on.

    Only files with our mark are touched, and only once their process and every git it started are gone. Raises
    TTMatrixError if such a git is still running after `wait` seconds, or half a second. The caller must keep other
    ttmatrix processes from starting meanwhile.
    """
    deadline = monotonic() + max(wait, _KEEPER_SECONDS)
    bases = [_cleared_by(mark, deadline) for mark in (home / _LOCK, *sorted(home.glob(f"{_PREFIX}*/{_MARK}")))]
    for left in home.glob(f"{_PREFIX}*"):
        if not (left / _MARK).exists():
            _remove(left)
    return tuple(dict.fromkeys(filter(None, bases)))


class _Busy(Exception):
    """A git that a ttmatrix started is still running, and that ttmatrix is gone."""


def _cleared_by(mark: Path, deadline: float) -> str:
    pause = threading.Event()
    while True:
        try:
            return _cleared(mark)
        except _Busy as busy:
            if monotonic() >= deadline:
                raise TTMatrixError(
                    "git is still running for a commit of a ttmatrix that was killed",
                    f"It holds {mark}; a hook may be running.",
                    f"Wait for it. To see which process it is: fuser {mark}",
                ) from busy
        pause.wait(_POLL_SECONDS)


def _cleared(mark: Path) -> str:
    """Remove `mark` if it is provably left behind; returns the commit that it was to be built on, if any is known.

    Raises _Busy if only a git of its process is left.
    """
    try:
        descriptor = os.open(mark, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        owner = _owner(os.read(descriptor, _LONGEST_MARK))
        if owner is None or owner.host != this_host() or is_alive(ProcessIdentity(owner.pid, owner.start_time)):
            return ""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _unlink_same(mark, descriptor)
    except BlockingIOError as error:
        raise _Busy from error
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return owner.base


@dataclass(frozen=True, slots=True)
class _Owner:
    """The process that a mark names, with what its commits are to be based on."""

    pid: int
    start_time: float
    host: str
    base: str
    held: bool
    """Whether the mark is locked: some file systems have no locks."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """The content of a mark: git's own lock files begin differently."""

    ttmatrix: _Owner


def _owner(mark: bytes) -> _Owner | None:
    """The process that holds a mark; None: it is no mark of ours, or nothing can be proven of it."""
    try:
        owner = decoded(mark, _Mark).ttmatrix
    except Malformed:
        return None
    return owner if owner.held else None


def _hold(descriptor: int) -> bool:
    """Return whether the file system has locks; without them, nothing can be proven later."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock_of(index: Path) -> Path:
    return index.with_name(f"{index.name}.lock")


def _unlink_same(path: Path, descriptor: int) -> None:
    """Remove `path` only while it is the open file: a file that replaced it belongs to somebody else."""
    if _is_same(path, descriptor):
        path.unlink(missing_ok=True)


def _is_same(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False
