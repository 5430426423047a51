# SPDX-License-Identifier: Apache-2.0
"""The results of a run of op cases: a line of JSON for each, written during the run, and the progress of the run."""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.base.files import read_bytes
from core.runs.spec import RunSpec
from core.runs.store import RESULTS, RunRecord

CaseDocument = Mapping[str, object]
"""The plugin's result of one case: see docs/formats.md."""

GOOD = frozenset({"pass", "skip", "xfail", "xpass", "dup", "not-an-op"})
"""The statuses that need no attention. A duplicate counts with the case that represents it."""
_PARTS = ("build", "eager", "compile", "run")
_PART_NAMES = {
    "build": "inputs",
    "eager": "reference",
    "compile": "compiling",
    "run": "running",
    "compare": "comparing",
}
_MOST_FILES = 256


def read_case_results(directory: Path) -> Sequence[CaseDocument]:
    """The present results of the run in `directory`, in the order in which they came. A torn line is left out."""
    file = directory / RESULTS
    try:
        stat = file.stat()
    except OSError:
        return ()
    return _read(os.fspath(file), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=_MOST_FILES)
def _read(file: str, _size: int, _changed: int) -> Sequence[CaseDocument]:
    try:
        lines = read_bytes(file, None).split(b"\n")
    except OSError:
        return ()
    return tuple(document for document in map(_document, lines) if document is not None)


def _document(line: bytes) -> CaseDocument | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and isinstance(found.get("id"), str) and isinstance(found.get("status"), str)
    return found if whole else None


def case_seconds(document: CaseDocument) -> float:
    """How long a case took: building its inputs, the reference, compiling and running."""
    seconds = document.get("seconds")
    parts = seconds if isinstance(seconds, Mapping) else {}
    return round(sum(_seconds(parts.get(name)) for name in _PARTS), 6)


def counts(documents: Sequence[CaseDocument]) -> Mapping[str, int]:
    """The number of cases with each status, the most frequent first."""
    return dict(Counter(str(one["status"]) for one in documents).most_common())


def counts_text(documents: Sequence[CaseDocument]) -> str:
    """`2 fail, 10 pass`: statuses that need attention come first."""
    found = sorted(counts(documents).items(), key=lambda one: (one[0] in GOOD, -one[1], one[0]))
    return ", ".join(f"{number:,} {status}" for status, number in found)


@dataclass(frozen=True, slots=True)
class CaseProgress:
    """The progress of a run of op cases."""

    done: int
    total: int
    seconds: float | None
    """Seconds until it will have ended; None: unknown."""

    @property
    def text(self) -> str:
        """`12 of 40, about 30 s left`."""
        left = "" if self.seconds is None else f", about {self.seconds:.0f} s left"
        return f"{self.done:,} of {self.total:,}{left}"


def case_parts(documents: Sequence[CaseDocument]) -> Mapping[str, float]:
    """The seconds of each part of all these cases: inputs, reference, compiling, running and comparing."""
    found = [seconds for one in documents if isinstance(seconds := one.get("seconds"), Mapping)]
    total = {word: sum(_seconds(one.get(name)) for one in found) for name, word in _PART_NAMES.items()}
    return {word: seconds for word, seconds in total.items() if seconds}


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < float("inf") else 0.0


def case_progress(record: RunRecord, now: float) -> CaseProgress | None:
    """The progress of a run of op cases at `now`, in seconds since the epoch; None: it runs no op cases.

    The remaining cases are expected to take as long as the finished ones; before any has finished, as long as in
    earlier runs.
    """
    total = record.spec.cases.count("\n") + 1 if record.spec.cases else 0
    if not total:
        return None
    done = min(total, _lines(record.directory / RESULTS))
    if not record.active:
        return CaseProgress(done, total, None)
    if record.started is None or not done:
        return CaseProgress(done, total, record.spec.estimate)
    return CaseProgress(done, total, max(0.0, now - record.started) / done * (total - done))


def _lines(file: Path) -> int:
    """The number of complete lines of a file. Screens ask often: they are not parsed, and read when there are more."""
    try:
        stat = file.stat()
    except OSError:
        return 0
    return _counted(os.fspath(file), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=_MOST_FILES)
def _counted(file: str, _size: int, _changed: int) -> int:
    try:
        return read_bytes(file, None).count(b"\n")
    except OSError:
        return 0


def cases_left(spec: RunSpec, documents: Sequence[CaseDocument], *, failures: bool, undone: bool) -> list[str]:
    """The cases of a run that failed, or that have no result; with neither flag all of them, in their order."""
    ids = spec.case_ids
    if not failures and not undone:
        return ids
    status = {str(one["id"]): str(one.get("verdict") or one["status"]) for one in documents}
    return [id for id in ids if (failures and id in status and status[id] not in GOOD) or (undone and id not in status)]
