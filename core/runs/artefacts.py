# SPDX-License-Identifier: Apache-2.0
"""What a run left behind beside its log: JUnit, and whatever it was asked to keep."""

from pathlib import Path

from core.errors import UsageError
from core.runs.record import RunRecord
from core.runs.store import EVENTS, EXIT, LOG, PROVENANCE, SPEC

_OURS = frozenset({SPEC, EVENTS, EXIT, LOG, PROVENANCE})


def artefacts(record: RunRecord) -> list[str]:
    """Names of the files, relative to the directory of the run, in order. The record's own files do not count."""
    paths = (path for path in record.directory.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(record.directory).as_posix() for path in paths)
    return sorted(name for name in names if name not in _OURS)


def find_artefact(record: RunRecord, name: str) -> Path:
    """The file of that name. Raises UsageError, with the names there are, where the run has none."""
    known = artefacts(record)
    if name not in known:
        raise UsageError(f"Run {record.spec.run_id} kept no {name}", f"It kept: {', '.join(known) or 'nothing'}.")
    return record.directory / name
