# SPDX-License-Identifier: Apache-2.0
"""A SQLite index of ended and of queued runs, so that thousands of them can be listed at once; rebuilt when needed."""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

from core.base.files import Malformed, packed, unpacked
from core.runs.spec import RunSpec
from core.runs.store.events import Queued
from core.runs.store.record import RunRecord

_BUSY_SECONDS = 2.0
_FORM = [(one.name, str(one.type)) for one in (*fields(RunSpec), *fields(RunRecord))]
_VERSION = zlib.crc32(repr(("rows 6", _FORM)).encode()) >> 1
"""The form of the rows and of the records in them; an index of another version is rebuilt."""


class KeptResult(Mapping[str, object]):
    """The result of a run, parsed on request, which is rare among thousands of runs."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _value(self) -> Mapping[str, object]:
        value: Mapping[str, object] = json.loads(self._text)
        return value

    def __getitem__(self, key: str) -> object:
        return self._value[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def __len__(self) -> int:
        return len(self._value)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run of which nothing is known but that it was queued."""

    spec: RunSpec
    queued: Queued
    stamp: int
    """The size of its file of events: another one means that there are more."""


class Index:
    """The index in `file`. If it is damaged or cannot be written, everything works without it, only slower."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: set[str] = set()
        self._kept_waiting: set[str] = set()

    def load(self, root: Path) -> dict[str, RunRecord]:
        """The indexed runs of the store at `root`, by id."""
        try:
            with self._open() as connection:
                rows = connection.execute("SELECT run_id, body, result FROM runs")
                records = {run_id: _decode(root, body, result) for run_id, body, result in rows}
        except (sqlite3.Error, Malformed, TypeError):
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            records = {}
        self._kept = set(records)
        return records

    def load_waiting(self) -> dict[str, Waiting]:
        """The indexed runs that were queued when they were saved, by id."""
        try:
            with self._open() as connection:
                rows = connection.execute("SELECT run_id, body FROM waiting")
                found = {run_id: unpacked(body, Waiting) for run_id, body in rows}
        except (sqlite3.Error, Malformed, TypeError):
            # `load` removes a damaged index.
            found = {}
        self._kept_waiting = set(found)
        return found

    def save(self, finished: Mapping[str, RunRecord], waiting: Mapping[str, Waiting]) -> None:
        """Make the index contain exactly these ended and queued runs."""
        added, removed = finished.keys() - self._kept, self._kept - finished.keys()
        queued, gone = waiting.keys() - self._kept_waiting, self._kept_waiting - waiting.keys()
        if not (added or removed or queued or gone):
            return
        try:
            with self._open() as connection, connection:
                rows = filter(None, (_encode(finished[run_id]) for run_id in added))
                connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)
                connection.executemany("DELETE FROM runs WHERE run_id = ?", ((run_id,) for run_id in removed))
                rows_waiting = filter(None, (_encode_waiting(waiting[run_id]) for run_id in queued))
                connection.executemany("INSERT OR REPLACE INTO waiting VALUES (?, ?)", rows_waiting)
                connection.executemany("DELETE FROM waiting WHERE run_id = ?", ((run_id,) for run_id in gone))
        except (sqlite3.Error, OSError):
            return
        self._kept, self._kept_waiting = set(finished), set(waiting)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as connection:
            # No need to wait for the disk: the directories are the source.
            connection.execute("PRAGMA synchronous = OFF")
            if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                connection.execute("DROP TABLE IF EXISTS runs")
                connection.execute("DROP TABLE IF EXISTS waiting")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, body BLOB, result BLOB)")
            connection.execute("CREATE TABLE IF NOT EXISTS waiting (run_id TEXT PRIMARY KEY, body BLOB)")
            yield connection


def _encode(record: RunRecord) -> tuple[str, bytes, bytes | None] | None:
    """The row of a record; None if it contains text that cannot be encoded as UTF-8."""
    result = None if record.result is None else packed(json.dumps(dict(record.result)))
    try:
        return record.spec.run_id, packed(replace(record, root=Path(), result=None)), result
    except UnicodeEncodeError:
        return None


def _encode_waiting(waiting: Waiting) -> tuple[str, bytes] | None:
    """The row of a queued run; None as for `_encode`."""
    try:
        return waiting.spec.run_id, packed(waiting)
    except UnicodeEncodeError:
        return None


def _decode(root: Path, body: bytes, result: bytes | None) -> RunRecord:
    record = unpacked(body, RunRecord)
    return replace(record, root=root, result=None if result is None else KeptResult(unpacked(result, str)))
