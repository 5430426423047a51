# SPDX-License-Identifier: Apache-2.0
"""The evidence of one checkout, on the disk: reports by the digest of their content, so none counts twice."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import TTMatrixError
from core.evidence.observation import Attempt, Ending, Observation, fold_attempts
from core.files import parsed, plain, typed
from core.numbers import LAST_MOMENT, LONGEST
from core.runs.store import RunRecord
from core.sources import stamp_of

if TYPE_CHECKING:
    # The app asks for the stamp beside its first frame, and what reads reports takes 150 ms to import.
    from core.evidence.reports import JUnitReport

_BUSY_SECONDS = 30.0
_VERSION = 1
_CHANGE_COUNTER = 24
_TABLE = """CREATE TABLE IF NOT EXISTS reports (
    digest TEXT PRIMARY KEY, rank TEXT, attempt INTEGER, named INTEGER, fields TEXT, observations TEXT
) WITHOUT ROWID"""
_PUT = """INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET
    rank = excluded.rank, attempt = excluded.attempt, named = excluded.named, fields = excluded.fields,
    observations = excluded.observations
    WHERE excluded.rank < reports.rank"""
_FIELDS = tuple(one.name for one in fields(Observation))
_OF_CASES = "op"


@dataclass(frozen=True, slots=True)
class Added:
    """What `EvidenceStore.add` has done."""

    new: int
    """Reports that were not known."""
    known: int
    """Reports that were, under whatever name."""


def store_file(directory: Path, root: Path) -> Path:
    """Where below `directory` the evidence of the checkout at `root` is stored."""
    return directory / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.sqlite"


def evidence_stamp(file: Path, records: Iterable[RunRecord]) -> object:
    """What is another as soon as there is more in the store `file`, or one more run on a device has ended.

    So it is where one of op cases has.
    """
    ended = sum(not record.active and bool(record.spec.devices or record.spec.cases) for record in records)
    return ended, stamp_of(file)


class EvidenceStore:
    """The reports in `file`. Several processes may use it at once; what was added survives whatever follows."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read: tuple[bytes, list[Observation]] = b"", []

    def add(self, reports: "Iterable[JUnitReport]") -> Added:
        """Keep `reports`, all or none. What is known stays as it is, in whatever order it comes.

        Of a report that comes from two places, the one counts whose run or arch a person gave, then the first by
        name. Raises TTMatrixError where the disk refuses.
        """
        rows = [_row(report) for report in reports]
        with self._open() as connection, connection:
            before = connection.execute("SELECT count(*) FROM reports").fetchone()[0]
            connection.executemany(_PUT, rows)
            new = connection.execute("SELECT count(*) FROM reports").fetchone()[0] - before
        return Added(new, len(rows) - new)

    def observations(self) -> list[Observation]:
        """All that is known, attempts folded, oldest first. Raises TTMatrixError where it cannot be read."""
        if not self.file.exists():
            return []
        with self._open() as connection:
            # Within a transaction, so that what is read belongs to the stamp.
            connection.execute("BEGIN")
            rows = connection.execute("SELECT attempt, named, fields, observations FROM reports")
            if self._read[0] != (stamp := self._stamp()):
                self._read = stamp, fold_attempts(_attempts(rows.fetchall()))
        return list(self._read[1])

    def _stamp(self) -> bytes:
        """What SQLite changes in the file's header with every transaction (https://sqlite.org/fileformat.html)."""
        with self.file.open("rb") as handle:
            handle.seek(_CHANGE_COUNTER)
            return handle.read(4) + str(os.fstat(handle.fileno()).st_ino).encode()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=_BUSY_SECONDS)) as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version > _VERSION:
                    raise _unreadable(self.file, f"it is of version {version}, made by a newer ttmatrix")
                if version < _VERSION:
                    with connection:
                        connection.execute(_TABLE)
                        connection.execute(f"PRAGMA user_version = {_VERSION}")
                yield connection
        except (sqlite3.Error, OSError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise _unreadable(self.file, str(error)) from error


def _unreadable(file: Path, why: str) -> TTMatrixError:
    hint = "Move it away, and ingest the reports again."
    return TTMatrixError("The evidence cannot be read or written", f"{file}: {why}", hint)


def _row(report: "JUnitReport") -> tuple[object, ...]:
    rank = f"{int(not report.arch_given)}{int(not report.given)} {report.run}\n{report.source}"
    # Reports without op cases are stored as before there were any.
    names = _FIELDS if any(one.op for one in report.observations) else [name for name in _FIELDS if name != _OF_CASES]
    values = [
        [plain(one.op) if name == _OF_CASES else getattr(one, name) for name in names] for one in report.observations
    ]
    return report.digest, rank, report.attempt, int(report.given), ",".join(names), json.dumps(values)


def _attempts(rows: list[tuple[int, int, str, str]]) -> Iterator[Attempt]:
    """`names` were the fields of an observation when a report was added: those that went since are passed over."""
    for attempt, named, names, text in rows:
        columns = names.split(",")
        found = [_repaired(dict(zip(columns, values, strict=True))) for values in parsed(text)]
        for observation in typed(found, list[Observation]):
            yield Attempt(observation, attempt, bool(named))


def _repaired(fields: dict[str, Any]) -> dict[str, Any]:
    # Before this field there was one word for whatever was stopped, and of reports only a time limit was read.
    if "raised" not in fields and fields["ending"] == Ending.HUNG:
        fields["ending"] = Ending.OUT_OF_TIME
    # What was added before both were bounded at the door.
    if not 0 <= fields["when"] <= LAST_MOMENT:
        fields["when"] = 0.0
    if not 0 <= fields["seconds"] <= LONGEST:
        fields["seconds"] = 0.0
    return fields
