# SPDX-License-Identifier: Apache-2.0
"""A SQLite index of the runs that have ended, so that thousands of them open at once; made anew from them at need."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from core.runs.outcome import Outcome
from core.runs.record import RunRecord, RunState
from core.runs.spec import spec_from_fields, spec_to_fields

_VERSION = 1
"""Of what the rows hold; an index of any other version is made anew."""

_BUSY_SECONDS = 2.0
_OWN = tuple(field.name for field in fields(RunRecord) if field.name not in ("spec", "directory", "minder"))


class Index:
    """The index in `file`. Where it is damaged or cannot be written, everything works without it, only slower."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: set[str] = set()

    def load(self, root: Path) -> dict[str, RunRecord]:
        """The indexed runs of the store at `root`, by id."""
        records: dict[str, RunRecord] = {}
        try:
            with self._open() as connection:
                for run_id, body in connection.execute("SELECT run_id, body FROM runs"):
                    records[run_id] = _decode(root / run_id, json.loads(body))
        except (sqlite3.Error, AttributeError, KeyError, TypeError, ValueError):
            with suppress(OSError):
                self._file.unlink(missing_ok=True)
            records = {}
        self._kept = set(records)
        return records

    def keep(self, finished: Mapping[str, RunRecord]) -> None:
        """Make the index hold exactly `finished`."""
        added, removed = finished.keys() - self._kept, self._kept - finished.keys()
        if not added and not removed:
            return
        try:
            with self._open() as connection, connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?)",
                    ((run_id, json.dumps(_encode(finished[run_id]))) for run_id in added),
                )
                connection.executemany("DELETE FROM runs WHERE run_id = ?", ((run_id,) for run_id in removed))
        except (sqlite3.Error, OSError):
            return
        self._kept = set(finished)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as connection:
            # Nothing here is worth waiting for the disk: the directories are the truth.
            connection.execute("PRAGMA synchronous = OFF")
            if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                connection.execute("DROP TABLE IF EXISTS runs")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID")
            yield connection


def _encode(record: RunRecord) -> list[object]:
    return [spec_to_fields(record.spec), *(getattr(record, name) for name in _OWN)]


def _decode(directory: Path, row: list[Any]) -> RunRecord:
    spec, *values = row
    own: dict[str, Any] = dict(zip(_OWN, values, strict=True))
    own.update(state=RunState(own["state"]), outcome=Outcome(own["outcome"]))
    return RunRecord(spec=spec_from_fields(spec), directory=directory, minder=None, **own)
