# SPDX-License-Identifier: Apache-2.0
"""Artefacts of a run that are fetched on demand, such as IR dumps: bounded, resumed where they broke off, unpacked."""

import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from core.base.errors import TTMatrixError
from core.base.locks import locked
from core.base.text import one_line
from core.evidence.github.actions import Artefact
from core.evidence.github.fetched import lock_of
from core.evidence.github.transport import Transport, unwritten

MOST_BYTES = 8 * 2**30
"""The largest archive."""
_LEAST_UNPACKED, _TIMES_UNPACKED = 2**30, 100
"""What an archive unpacks to may be so much, or so many times its size."""
_MOST_MEMBERS = 20_000
_SPARE = 2**30
"""What stays free on the disk."""
_PIECE = 2**20
_UNREADABLE = (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, EOFError, ValueError)
_PLAIN = re.compile(r"[^\w.+=@ -]+", re.ASCII)
_PART_CHARACTERS = 200
_MOST_DEPTH = 30


def artefact_directory(store: Path, repository: str, run: str, name: str) -> Path:
    """Where an artefact of a run is, or would be, beside the evidence in the file `store`."""
    return artefacts_directory(store, repository) / _plain(run) / _plain(name)


def artefacts_directory(store: Path, repository: str) -> Path:
    """Where artefacts of a repository are."""
    return store.with_name(f"{store.stem}-github-{repository.replace('/', '+')}-artefacts")


def fetch_artefact(
    transport: Transport, artefact: Artefact, directory: Path, say: Callable[[int, int], None] = lambda done, of: None
) -> Path:
    """Have the files of an artefact in `directory`, which is whole once it is there. Returns it.

    What was interrupted goes on where it was. `say` is called with how many bytes have come, of how many. Raises
    Expired, Refused, LockHeld while another process fetches it, and TTMatrixError.
    """
    with locked(lock_of(directory), "fetching an artefact", wait=0):
        if directory.is_dir():
            return directory
        if artefact.bytes > MOST_BYTES:
            raise _refused(artefact.name, f"{artefact.bytes:,} bytes; at most {MOST_BYTES:,} are fetched")
        _check_room(directory.parent, artefact.bytes)
        archive = directory.with_name(f"{directory.name}.zip")
        growing = _Growing(archive, artefact, say)
        if not archive.exists():
            transport.read_from(artefact.address, growing)
            growing.end()
        try:
            _unpack(archive, directory, artefact.name)
        except TTMatrixError:
            # Another call fetches it anew.
            archive.unlink(missing_ok=True)
            raise
        archive.unlink(missing_ok=True)
    return directory


class _Growing:
    """Writes an archive to its file, and goes on with it after an interruption."""

    def __init__(self, file: Path, artefact: Artefact, say: Callable[[int, int], None]) -> None:
        self._file, self._say, self._name, self._total = file, say, artefact.name, artefact.bytes
        self._part = file.with_name(f"{file.name}.part")
        self._at = 0
        """Where the next piece begins."""

    @property
    def _here(self) -> int:
        return self._part.stat().st_size if self._part.is_file() else 0

    def next(self) -> int:
        """What to ask for next."""
        return self._here

    def begin(self, start: int, total: int) -> bool:
        """An answer comes that begins at `start`."""
        if start > self._here or total > MOST_BYTES:
            self.forget()
            if total > MOST_BYTES:
                raise _refused(self._name, f"{total:,} bytes; at most {MOST_BYTES:,} are fetched")
            return False
        self._total, self._at = total or self._total, start
        return True

    def forget(self) -> None:
        """What is here is part of something else."""
        self._part.unlink(missing_ok=True)

    def take(self, piece: bytes) -> None:
        """The next bytes."""
        here = self._here
        new = piece[max(0, here - self._at) :]
        self._at += len(piece)
        if here + len(new) > MOST_BYTES:
            raise _refused(self._name, f"at most {MOST_BYTES:,} bytes are fetched")
        try:
            with self._part.open("ab") as out:
                out.write(new)
        except OSError as error:
            raise unwritten(error) from error
        self._say(here + len(new), self._total)

    def end(self) -> None:
        """All has come."""
        if not self._part.exists():
            self._part.touch()
        self._part.replace(self._file)


def _unpack(archive: Path, directory: Path, name: str) -> None:
    """Unpack an archive beside `directory`, and have it there once it is whole."""
    scratch = directory.with_name(f"{directory.name}.unpacking")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as found:
            members = [one for one in found.infolist() if not one.is_dir()]
            if len(members) > _MOST_MEMBERS:
                raise _refused(name, f"{len(members):,} files; at most {_MOST_MEMBERS:,} are unpacked")
            most = max(_LEAST_UNPACKED, _TIMES_UNPACKED * archive.stat().st_size)
            _check_room(directory.parent, min(most, sum(one.file_size for one in members)))
            for member in members:
                if (place := _place(member)) is not None:
                    most -= _copy(found, member, scratch / place, most, name)
        scratch.rename(directory)
    except _UNREADABLE as error:
        raise _refused(name, f"not a readable archive: {error}") from error
    except OSError as error:
        raise unwritten(error) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _place(member: zipfile.ZipInfo) -> Path | None:
    """Where a file of an archive goes; None: it is a link, or would go elsewhere."""
    mode = member.external_attr >> 16
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    regular = not stat.S_IFMT(mode) or stat.S_ISREG(mode)
    if not regular or not parts or len(parts) > _MOST_DEPTH or any(one in ("..", "/") for one in parts):
        return None
    return Path(*map(_plain, parts))


def _plain(name: str) -> str:
    """A name that is one part of a path."""
    plain = _PLAIN.sub("_", name)[:_PART_CHARACTERS]
    return plain if plain.strip(". ") else f"_{plain}"


def _copy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path, most: int, name: str) -> int:
    """Unpack one file; how many bytes it has."""
    file.parent.mkdir(parents=True, exist_ok=True)
    length = 0
    with archive.open(member) as source, file.open("xb") as out:
        for piece in _pieces(source):
            length += len(piece)
            if length > most:
                raise _refused(name, f"it unpacks to more than {_TIMES_UNPACKED} times its size")
            out.write(piece)
    return length


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    while piece := source.read(_PIECE):
        yield piece


def _check_room(directory: Path, wanted: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(directory).free
    if free - wanted < _SPARE:
        raise TTMatrixError(
            "There is no room for it", f"{wanted:,} bytes in {os.fspath(directory)}; {free:,} are free", "Make room."
        )


def _refused(name: str, why: str) -> TTMatrixError:
    return TTMatrixError(f"Not read: {one_line(name)}", one_line(why))
