# SPDX-License-Identifier: Apache-2.0
"""An archive with everything needed to repeat a run elsewhere: command, commits, versions, report, end of the log.

It leaves out the environment, which may hold secrets, except for the variables that the run itself set.
"""

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, opened, parsed, typed
from core.base.text import counted
from core.runs.planning import CPU_PAYLOAD
from core.runs.spec import RunSpec, shell_command, spec_fields
from core.runs.store import EVENTS, JUNIT, LOG, PROVENANCE, RESULTS, RunRecord

VERSION = 1
MANIFEST = "capsule.json"

_HEAD_BYTES = 64 * 1024
_TAIL_BYTES = 1024 * 1024
_MOST_BYTES = 64 * 1024 * 1024
_FILES = (PROVENANCE, EVENTS, JUNIT, RESULTS, LOG)


@dataclass(frozen=True, slots=True)
class Capsule:
    """The content of an archive."""

    spec: RunSpec
    directory: Path
    """The directory of the run on the original machine."""
    payload: Path
    """The directory of the payload on the original machine."""
    outcome: str
    summary: str
    provenance: Mapping[str, Any]
    files: Mapping[str, bytes]
    """By name; the log is cut in its middle."""


def pack(record: RunRecord, file: Path) -> None:
    """Write the capsule of a run that has ended. Raises TTMatrixError if that fails."""
    manifest = {
        "version": VERSION,
        "spec": spec_fields(record.spec),
        "directory": str(record.directory),
        "payload": str(CPU_PAYLOAD),
        "command": shell_command(record.spec),
        "outcome": record.outcome or record.state,
        "summary": record.summary,
    }
    contents = {MANIFEST: json.dumps(manifest, indent=2).encode()}
    try:
        for name in _FILES:
            if (record.directory / name).is_file():
                contents[name] = _trimmed(record.directory / name)
    except OSError as error:
        raise TTMatrixError(f"Cannot read run {record.spec.run_id}", str(error)) from error
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    atomic_write(file, buffer.getvalue())


def unpack(file: Path) -> Capsule:
    """Read a capsule, writing nothing to disk. Raises TTMatrixError for an archive that `pack` cannot have made."""
    try:
        with opened(file) as stream, tarfile.open(fileobj=stream, mode="r:gz") as archive:
            contents = {member.name: _content(archive, member) for member in archive}
        raw = parsed(contents[MANIFEST])
        if raw["version"] != VERSION:
            raise Malformed(f"it is of version {raw['version']}")
        return typed({**raw, "provenance": parsed(contents.get(PROVENANCE, b"{}")), "files": contents}, Capsule)
    except OSError as error:
        # The errors that gzip and tarfile raise for a damaged archive.
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
    except (tarfile.TarError, EOFError, KeyError, TypeError, ValueError) as error:
        raise TTMatrixError(f"{file} is not a capsule", f"{type(error).__name__}: {error}") from error


def differences(capsule: Capsule, ours: RunSpec, runs: Path) -> list[tuple[str, str, str]]:
    """What differs between the run of the capsule and `ours`, planned here for the same test: name, there, here.

    An empty text means none. Paths, ids and random words are ignored.
    """
    there = at_home(capsule, ours.cwd, Path(ours.argv[0]), runs)
    theirs = _anonymous(there.argv, there), _anonymous((f"{k}={v}" for k, v in there.env.items()), there)
    mine = _anonymous(ours.argv, ours), _anonymous((f"{k}={v}" for k, v in ours.env.items()), ours)
    found: list[tuple[str, str, str]] = []
    for what, theirs_of, ours_of in zip(("argument", "variable"), theirs, mine, strict=True):
        found += [(what, word, "") for word in theirs_of if word not in ours_of]
        found += [(what, "", word) for word in ours_of if word not in theirs_of]
    return found


def _anonymous(words: Iterable[str], spec: RunSpec) -> list[str]:
    return [word.replace(spec.run_id, "RUN").replace(spec.nonce, "NONCE") for word in words]


def at_home(capsule: Capsule, root: Path, python: Path, runs: Path) -> RunSpec:
    """The spec of the capsule with the paths of this machine: checkout, interpreter, payload and run store.

    For display only; never run it, because an archive is not trusted.
    """
    spec = capsule.spec
    places = (
        # The longest first: one may be inside another.
        (str(capsule.directory), str(runs / spec.run_id)),
        (str(capsule.payload), str(CPU_PAYLOAD)),
        (str(spec.cwd), str(root)),
    )

    def moved(text: str) -> str:
        for there, here in sorted(places, key=lambda place: -len(place[0])):
            if len(there) > 1 and there in text:
                return text.replace(there, here)
        return text

    return replace(
        spec,
        argv=(str(python), *map(moved, spec.argv[1:])),
        env={name: moved(value) for name, value in spec.env.items()},
        cwd=root,
    )


def _trimmed(file: Path) -> bytes:
    with opened(file) as handle:
        size = handle.seek(0, 2)
        handle.seek(0)
        if size <= _HEAD_BYTES + _TAIL_BYTES:
            return handle.read()
        head = handle.read(_HEAD_BYTES)
        handle.seek(size - _TAIL_BYTES)
        gap = f"\n... {counted(size - _HEAD_BYTES - _TAIL_BYTES, 'byte')} left out ...\n"
        return head + gap.encode() + handle.read()


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The content of a member. Links and paths are rejected: only plain files with their own names are ours."""
    if not member.isreg() or member.name not in (MANIFEST, *_FILES):
        raise ValueError(f"it holds {member.name!r}, more than a capsule has")
    if member.size > _MOST_BYTES:
        raise ValueError(f"{member.name} is too large: {member.size:,} bytes")
    found = archive.extractfile(member)
    assert found is not None
    return found.read()
