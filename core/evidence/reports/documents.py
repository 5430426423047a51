# SPDX-License-Identifier: Apache-2.0
"""Find the XML files in given paths: files, directories and zip archives. Nothing is ever unpacked to the disk."""

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from core.base.errors import UsageError
from core.base.files import opened
from core.base.text import counted, one_line
from core.runs import UnreadableReport

MEMBER_BYTES = 256 * 2**20
"""The largest size of one XML file; a nightly's largest has some megabytes."""
ARCHIVE_BYTES = 2 * 2**30
"""The largest total size of the XML files in one archive."""
ARCHIVE_MEMBERS = 20_000
MOST_RATIO = 1000
"""The largest compression ratio of a file: reports that repeat one line come near a hundred."""
_CHUNK_BYTES = 256 * 1024
_UNREADABLE = (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, zlib.error, EOFError, ValueError)
"""Errors that a damaged or encrypted file, or one with a compression unknown to Python, can raise."""
_XML, _ZIP = ".xml", ".zip"


@dataclass(frozen=True, slots=True)
class Document:
    """One file that may be a report."""

    source: str
    """Where a person finds it; `archive.zip!member` in an archive."""
    parts: tuple[str, ...]
    """The components of its path; an archive counts as a directory."""
    open: Callable[[], IO[bytes]]
    """Opens its content; only valid until the next document is requested."""
    alone: bool = False
    """It was named itself, not through its directory."""

    def chunks(self) -> Iterator[bytes]:
        """Its content in pieces, up to the largest allowed size. Raises UnreadableReport if it cannot be read."""
        read = 0
        try:
            with self.open() as handle:
                while piece := handle.read(_CHUNK_BYTES):
                    read += len(piece)
                    if read > MEMBER_BYTES:
                        raise ValueError(f"it has grown beyond {MEMBER_BYTES:,} bytes")
                    yield piece
        except _UNREADABLE as error:
            raise UnreadableReport(f"Cannot read {self.source}", self.source, f"cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and why."""

    file: str
    message: str
    partly: bool = False
    """Its first testcases were read."""


def find_documents(
    paths: Iterable[Path], wanted: Callable[[Path], bool] = lambda file: True
) -> Iterator[Document | Problem]:
    """Every XML file in `paths`, sorted within each; in directories, only the files that are `wanted`.

    Raises UsageError for a path that does not exist.
    """
    found = [path.expanduser().absolute() for path in paths]
    for path in found:
        if not path.exists():
            raise UsageError(f"There is no {path}", hint="Give JUnit XML files, directories or zip archives of them.")
    for path in dict.fromkeys(found):
        if path.is_dir():
            for file in filter(wanted, _files(path)):
                yield from _read(file)
        else:
            yield from _read(path, alone=True)


def _files(directory: Path) -> Iterator[Path]:
    """Regular files with the right suffix; links are not followed, because they may lead anywhere."""
    for root, directories, names in os.walk(directory):
        directories.sort()
        for name in sorted(names):
            file = Path(root, name)
            if file.suffix.lower() in (_XML, _ZIP) and stat.S_ISREG(file.lstat().st_mode):
                yield file


def _read(file: Path, *, alone: bool = False) -> Iterator[Document | Problem]:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            yield Problem(str(file), "it is not a regular file")
        elif file.suffix.lower() == _ZIP or (alone and file.suffix.lower() != _XML and zipfile.is_zipfile(file)):
            yield from _archive(file)
        elif (size := file.stat().st_size) > MEMBER_BYTES:
            yield Problem(str(file), _too_large(size, MEMBER_BYTES))
        else:
            yield Document(str(file), file.parts, lambda: opened(file), alone)
    except OSError as error:
        yield Problem(str(file), error.strerror or str(error))


def _archive(file: Path) -> Iterator[Document | Problem]:
    try:
        with zipfile.ZipFile(file) as archive:
            files = [one for one in archive.infolist() if not one.is_dir()]
            members = [one for one in files if one.filename.lower().endswith(_XML)]
            if refusal := _refusal(archive, members):
                yield Problem(str(file), refusal)
                return
            for member in sorted(members, key=lambda one: one.filename):
                yield _member(archive, member, file)
            for inner in files:
                if inner.filename.lower().endswith(_ZIP):
                    yield Problem(f"{file}!{one_line(inner.filename)}", "an archive within an archive is not opened")
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        yield Problem(str(file), f"not a readable archive: {error}")


def _refusal(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> str:
    """Why an archive is not read at all; empty: it may be."""
    if len(archive.infolist()) > ARCHIVE_MEMBERS:
        return f"it holds {counted(len(archive.infolist()), 'file')}; at most {ARCHIVE_MEMBERS:,} are read"
    size = sum(member.file_size for member in members)
    if size > ARCHIVE_BYTES:
        return _too_large(size, ARCHIVE_BYTES)
    if len({member.filename for member in members}) < len(members):
        return "two of its files have the same name"
    return ""


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path) -> Document | Problem:
    source = f"{file}!{one_line(member.filename)}"
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16):
        return Problem(source, "refused: its name leads out of the archive")
    if member.file_size > MEMBER_BYTES:
        return Problem(source, _too_large(member.file_size, MEMBER_BYTES))
    if member.file_size > MOST_RATIO * max(member.compress_size, 1):
        return Problem(source, f"refused: {member.compress_size:,} bytes that claim to unpack to {member.file_size:,}")
    return Document(source, (*file.parts, *path.parts), partial(archive.open, member))


def _too_large(size: int, limit: int) -> str:
    return f"refused: {size:,} bytes; at most {limit:,} are read"


_ARTEFACT = re.compile(r"test-reports-(?P<matrix>.+?)-(?P<attempt>\d{1,9})\.(?P<index>\d+)-(?P<job>.+)-(?P<id>\d+)")
_UNIT_TESTS = re.compile(r"test-reports-(?P<job>pjrt-unit-tests)-(?P<attempt>\d{1,9})-(?P<id>\d+)")
_SUFFIX = re.compile(r"\.(?:xml|zip)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PathFacts:
    """The facts that a path gives."""

    run: str
    """The run that reports of one directory belong to."""
    arch: str = ""
    job: str = ""
    """Runner and mark of the CI job, as in the name of its artefact."""
    attempt: int = 0
    """Attempt of the run, from 1; 0 if the path does not say."""


def path_facts(parts: Sequence[str], archs: Sequence[str], *, alone: bool = False) -> PathFacts:
    """The place of a report with the path `parts`, archives counting as directories.

    A report that was named itself, not through its directory, is a run of its own.
    """
    names = [_SUFFIX.sub("", part) for part in parts]
    found = next((match for name in reversed(names) if (match := _artefact(name))), None)
    if found is not None:
        above = names[: max(at for at, name in enumerate(names) if _artefact(name))]
        run = next((name for name in reversed(above) if _artefact(name) is None), "")
        run = run or found.groupdict().get("matrix") or found["job"]
        return PathFacts(run, arch_in(found["job"], archs), found["job"], int(found["attempt"]))
    arch = next(filter(None, (arch_in(name, archs) for name in reversed(names))), "")
    return PathFacts(names[-1] if alone or len(names) < 2 else names[-2], arch)


def _artefact(name: str) -> re.Match[str] | None:
    return _ARTEFACT.fullmatch(name) or _UNIT_TESTS.fullmatch(name)


def arch_in(text: str, archs: Sequence[str]) -> str:
    """The first arch in `text` that is a whole word; of those that begin at one place, the longest."""
    alternatives = "|".join(re.escape(arch) for arch in sorted(archs, key=len, reverse=True))
    match = re.search(rf"(?<![A-Za-z0-9])(?:{alternatives})(?![A-Za-z0-9])", text) if alternatives else None
    return match[0] if match else ""
