# SPDX-License-Identifier: Apache-2.0
"""Leases: a file that records which process has which devices; dead processes hold no leases."""

import errno
import fcntl
import json
import os
import pwd
import re
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_bytes, write_whole
from core.base.processes import ProcessIdentity, is_alive, is_alive_of

EVERYTHING = "*"
"""A lease that conflicts with every other."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A set of names that one process holds for as long as it lives."""

    owner: ProcessIdentity
    names: frozenset[str]
    user: str = ""
    """The user of the process; empty: this user."""

    def against(self, names: frozenset[str]) -> bool:
        """Whether `names` conflict with this lease."""
        return EVERYTHING in self.names | names or not self.names.isdisjoint(names)


class LeaseFile:
    """The leases in `file`, which processes of one user share; for several users see `DeviceLeases`."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def take(
        self, names: Iterable[str], owner: ProcessIdentity, instead_of: ProcessIdentity | None = None
    ) -> Lease | None:
        """Lease `names` to `owner`; returns the lease that conflicts, None if it was granted.

        Earlier leases of `owner` and `instead_of` are removed. Raises TTMatrixError if the file cannot be written.
        """
        wanted = frozenset(names)
        with self._guard():
            others = [one for one in self._read() if one.owner not in (owner, instead_of)]
            against = next((one for one in others if one.against(wanted)), None)
            if against is None:
                self._write([*others, Lease(owner, wanted)])
            return against

    def release(self, owner: ProcessIdentity) -> None:
        """Remove all leases of `owner`. Raises TTMatrixError if the file cannot be written."""
        if not self._file.exists():
            # It was removed with its directory, which is not to come back.
            return
        with self._guard():
            self._write([one for one in self._read() if one.owner != owner])

    def held(self) -> list[Lease]:
        """The leases of living processes."""
        return self._read()

    def _guard(self) -> FileLock:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            return FileLock(f"{self._file}.lock")
        except OSError as error:
            raise TTMatrixError(f"Cannot lease devices in {self._file}", error.strerror or str(error)) from error

    def _read(self) -> list[Lease]:
        try:
            data = read_bytes(self._file)
        except OSError:
            return []
        return [lease for lease in parse_leases(data) if is_alive(lease.owner)]

    def _write(self, leases: Iterable[Lease]) -> None:
        atomic_write(self._file, print_leases(leases))


@dataclass(frozen=True, slots=True)
class _Line:
    """A lease as written in its file."""

    pid: int
    start_time: float
    names: frozenset[str]


def parse_leases(data: bytes) -> list[Lease]:
    """The leases in the output of `print_leases`. An unreadable file blocks nobody: the next lease overwrites it."""
    try:
        lines = decoded(data, list[_Line])
    except Malformed:
        return []
    return [Lease(ProcessIdentity(line.pid, line.start_time), line.names) for line in lines]


def print_leases(leases: Iterable[Lease]) -> str:
    """The content of a lease file."""
    return json.dumps([{**plain(lease.owner), "names": sorted(lease.names)} for lease in leases])


DIRECTORY_VARIABLE = "TTMATRIX_LEASES"
"""Names another directory, for containers that share devices but have no `/run/lock`."""

# Not /dev/shm: systemd removes a user's files there at logout, and a run outlives that.
_PLACES = (Path("/run/lock"), Path("/tmp"))
_LOCK = "ttmatrix-devices.lock"
_FILE = re.compile(r"ttmatrix-devices-(\d{1,10})\.json")
_PATIENCE = 5.0
_POLL = 0.02
_MOST_BYTES = 1024 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""Links are not followed, and a pipe in place of a file does not block."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def device_leases() -> "DeviceLeases":
    """The device leases of this machine. Raises TTMatrixError if it has no suitable directory."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        return DeviceLeases(_checked(Path(named).absolute()))
    place = next((one for one in _PLACES if _shared(one)), None)
    if place is None:
        places = " nor ".join(map(str, _PLACES))
        raise TTMatrixError("No place for device leases", f"Neither {places} is a directory with mode 1777.", _REMEDY)
    return DeviceLeases(place)


_REMEDY = f"Set {DIRECTORY_VARIABLE} to a directory of root's with mode 1777 that all users of the devices share."


class DeviceLeases:
    """The leases in `directory`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._own = directory / f"ttmatrix-devices-{os.getuid()}.json"

    def take(
        self, names: Iterable[str], owner: ProcessIdentity, instead_of: ProcessIdentity | None = None
    ) -> Lease | None:
        """Lease `names` to `owner`, a process of ours; returns the lease that conflicts, None if it was granted.

        Earlier leases of `owner` and `instead_of` are removed. Raises TTMatrixError if the files cannot be trusted or
        written.
        """
        wanted = frozenset(names)
        with self._guard():
            others = [one for one in self.held() if one.owner not in (owner, instead_of)]
            against = next((one for one in others if one.against(wanted)), None)
            if against is None:
                self._write([*(one for one in others if not one.user), Lease(owner, wanted)])
            return against

    def held(self) -> list[Lease]:
        """The leases of living processes, our own and those of other users. Raises TTMatrixError as `take` does."""
        return [lease for file in sorted(self._files()) for lease in self._read(file)]

    def _files(self) -> list[Path]:
        try:
            with os.scandir(self._directory) as entries:
                return [Path(entry.path) for entry in entries if _FILE.fullmatch(entry.name)]
        except OSError as error:
            raise TTMatrixError(f"Cannot read {self._directory}", error.strerror or str(error)) from error

    def _read(self, file: Path) -> list[Lease]:
        found = _FILE.fullmatch(file.name)
        assert found is not None
        uid = int(found[1])
        try:
            descriptor = os.open(file, _READ)
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno == errno.ELOOP:
                return []
            raise TTMatrixError(
                f"Cannot read the device leases of {user_name(uid)}", f"{file}: {error.strerror}"
            ) from error
        try:
            # A file of another user under that name is ignored.
            if not _is_of(os.fstat(descriptor), uid):
                return []
            leases = parse_leases(os.read(descriptor, _MOST_BYTES))
        finally:
            os.close(descriptor)
        user = "" if uid == os.getuid() else user_name(uid)
        return [replace(lease, user=user) for lease in leases if is_alive_of(lease.owner, uid)]

    def _write(self, leases: Iterable[Lease]) -> None:
        staging = self._own.with_suffix(".new")
        try:
            with suppress(FileNotFoundError):
                staging.unlink()
            descriptor = os.open(staging, _NEW, 0o644)
            try:
                # Regardless of the umask: other users must be able to read it.
                os.fchmod(descriptor, 0o644)
                write_whole(descriptor, print_leases(leases).encode())
            finally:
                os.close(descriptor)
            # In such a directory no user can replace a file of another.
            staging.replace(self._own)
        except OSError as error:
            problem = error.strerror or str(error)
            raise TTMatrixError(
                f"Cannot write {self._own}", problem, f"Remove it if it is not yours: {self._own}"
            ) from error

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Prevent other processes from changing leases during the block."""
        path, deadline = self._directory / _LOCK, time.monotonic() + _PATIENCE
        pause = threading.Event()
        while True:
            descriptor = _open_lock(path)
            try:
                if _lock(descriptor) and _is_still(path, descriptor):
                    yield
                    return
            finally:
                os.close(descriptor)
            if time.monotonic() > deadline:
                raise TTMatrixError(
                    "The device leases are locked", f"Another process has locked {path} for {_PATIENCE:g} s."
                )
            pause.wait(_POLL)


def _open_lock(path: Path) -> int:
    """The lock file, created if it is missing. A descriptor for reading suffices for a lock."""
    try:
        with suppress(FileExistsError):
            descriptor = os.open(path, _NEW, 0o444)
            os.fchmod(descriptor, 0o444)
            os.close(descriptor)
        descriptor = os.open(path, _READ)
    except OSError as error:
        raise TTMatrixError(f"Cannot lock {path}", error.strerror or str(error), _STRANGE.format(path)) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TTMatrixError(f"Cannot lock {path}", "It is not a regular file.", _STRANGE.format(path))
    return descriptor


_STRANGE = "Have {} removed by its owner."


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    """Whether `descriptor` is still the file at `path`: its owner may have removed it."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _is_of(status: os.stat_result, uid: int) -> bool:
    """Whether it is a plain file that only this user can have written."""
    return stat.S_ISREG(status.st_mode) and status.st_uid == uid and not status.st_mode & 0o022


def _shared(place: Path) -> bool:
    """Whether all users can create files there, and none can remove another's: the answer is the same for each user."""
    try:
        mode = place.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and mode & 0o1777 == 0o1777


def _checked(place: Path) -> Path:
    """A directory given by name; rejected if others could remove or replace our files in it."""
    try:
        mode = place.stat().st_mode
    except OSError as error:
        raise TTMatrixError(f"No device leases in {place}", error.strerror or str(error), _REMEDY) from error
    if not stat.S_ISDIR(mode) or (mode & 0o022 and not mode & stat.S_ISVTX):
        raise TTMatrixError(
            f"No device leases in {place}", "It must be a directory with mode 1777, or your own.", _REMEDY
        )
    return place


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
