# SPDX-License-Identifier: Apache-2.0
"""A SQLite index of the runs that have ended, so that thousands of them open at once; made anew from them at need."""

import gc
import json
import marshal
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from core.model import Function
from core.runs.outcome import Outcome
from core.runs.spec import Report, RunSpec
from core.runs.store.record import RunRecord, RunState
from core.runs.tree_state import TreeState

_BUSY_SECONDS = 2.0
_SPEC = tuple(field.name for field in fields(RunSpec))
_RECORD = tuple(field.name for field in fields(RunRecord) if field.name not in ("spec", "root"))
_VERSION = zlib.crc32(repr(("rows 2", sys.version_info[:2], _SPEC, _RECORD)).encode()) >> 1
"""Rows are marshalled lists in the order of these fields; an index of any other version is made anew."""

_OF_SPEC = {
    "function": {one.value: one for one in Function}.__getitem__,
    "report": {one.value: one for one in Report}.__getitem__,
    "cwd": lru_cache(Path),
}
_OF_RECORD = {
    "state": {one.value: one for one in RunState}.__getitem__,
    "outcome": {one.value: one for one in Outcome}.__getitem__,
    "tree": lambda values: None if values is None else TreeState._make(values),
}


class KeptResult(Mapping[str, object]):
    """The result of a run, parsed when somebody asks for it: of thousands of runs nearly nobody does."""

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


class Index:
    """The index in `file`. Where it is damaged or cannot be written, everything works without it, only slower."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._kept: set[str] = set()

    def load(self, root: Path) -> dict[str, RunRecord]:
        """The indexed runs of the store at `root`, by id."""
        try:
            with self._open() as connection, _uncollected():
                rows = connection.execute("SELECT run_id, body, result FROM runs")
                records = {run_id: _decode(root, body, result) for run_id, body, result in rows}
        except (sqlite3.Error, AttributeError, EOFError, LookupError, TypeError, ValueError):
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
                rows = (_encode(finished[run_id]) for run_id in added)
                connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", rows)
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
            connection.execute(
                "CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, body BLOB, result TEXT) WITHOUT ROWID"
            )
            yield connection


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing of what is read is garbage, and looking for some takes as long as reading it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _encode(record: RunRecord) -> tuple[str, bytes, str | None]:
    spec = [_plain(getattr(record.spec, name)) for name in _SPEC]
    own = [_plain(getattr(record, name)) for name in _RECORD if name != "result"]
    result = None if record.result is None else json.dumps(dict(record.result))
    return record.spec.run_id, marshal.dumps([spec, own]), result


def _plain(value: object) -> object:
    """What marshal takes: it knows exact types only, none that is derived from them."""
    match value:
        case Mapping():
            return dict(value)
        case StrEnum() | Path():
            return str(value)
        case TreeState():
            return tuple(value)
    return value


def _decode(root: Path, body: bytes, result: str | None) -> RunRecord:
    spec, own = marshal.loads(body)
    for position, convert in _SPEC_CONVERTERS:
        spec[position] = convert(spec[position])
    own.insert(_RESULT, None if result is None else KeptResult(result))
    for position, convert in _RECORD_CONVERTERS:
        own[position] = convert(own[position])
    return RunRecord(RunSpec(*spec), root, *own)


_SPEC_CONVERTERS: list[tuple[int, Any]] = [(_SPEC.index(name), convert) for name, convert in _OF_SPEC.items()]
_RECORD_CONVERTERS: list[tuple[int, Any]] = [(_RECORD.index(name), convert) for name, convert in _OF_RECORD.items()]
_RESULT = _RECORD.index("result")
