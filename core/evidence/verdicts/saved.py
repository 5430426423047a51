# SPDX-License-Identifier: Apache-2.0
"""Verdicts on tests with results, cached on disk between starts. Always safe to delete."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.base.files import decoded
from core.evidence.observation import Ending, Observation
from core.evidence.series import turned_with
from core.evidence.verdicts.verdict import Judgement, Verdict

RULES = 5
"""Increase this whenever the same results, entry and policy would get another verdict."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS verdicts (test TEXT PRIMARY KEY, stamp TEXT, verdicts TEXT, turns TEXT, latest REAL)"
)
_BUSY_SECONDS = 2.0


class Turn(NamedTuple):
    """The direction in which a cell changed: its newest result is a pass and the one before was not, or the reverse."""

    when: float
    fixed: bool


@dataclass(frozen=True, slots=True)
class SavedVerdict:
    """The verdicts on the cells of one test."""

    stamp: str
    """If it differs, the verdicts are out of date."""
    verdicts: Mapping[str, Verdict]
    """By arch."""
    turns: Mapping[str, Turn]
    """By arch; only where the newest result and the one before differ."""
    latest: float
    """The time of its newest result of any kind; 0: there is none."""


def saved_verdict(
    stamp: str, judgements: Iterable[Judgement], seen: Mapping[str, Sequence[Observation]]
) -> SavedVerdict:
    """The part of `judgements` to save; `seen` has the results they are based on, by arch, oldest first."""
    turns = {arch: turn for arch, rows in seen.items() if (turn := _turn(rows))}
    latest = max((row.when for rows in seen.values() for row in rows), default=0.0)
    return SavedVerdict(stamp, {one.arch: one.verdict for one in judgements}, turns, latest)


def _turn(rows: Sequence[Observation]) -> Turn | None:
    newest = turned_with(rows)
    return Turn(newest.when, newest.ending is Ending.PASSED) if newest else None


class SavedVerdicts:
    """The verdicts in `file`. Unreadable ones are computed again, unwritable ones are computed anew next time."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> dict[str, SavedVerdict]:
        """All of them, by test id."""
        if not self._file.exists():
            return {}
        try:
            with closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as connection:
                found = connection.execute("SELECT test, stamp, verdicts, turns, latest FROM verdicts").fetchall()
            # Most tests share a few of these texts.
            verdicts = {text: decoded(text, dict[str, Verdict]) for text in {row[2] for row in found}}
            turns = {text: decoded(text, dict[str, Turn]) for text in {row[3] for row in found}}
            return {
                test: SavedVerdict(stamp, verdicts[words], turns[turned], latest)
                for test, stamp, words, turned, latest in found
            }
        except (sqlite3.Error, ValueError, TypeError):
            return {}

    def change(self, fresh: Mapping[str, SavedVerdict], gone: Iterable[str]) -> None:
        """Save new verdicts, and remove those on tests without results."""
        dropped = [(id,) for id in gone]
        if not fresh and not dropped:
            return
        rows = [
            (id, one.stamp, json.dumps(one.verdicts), json.dumps(one.turns), one.latest) for id, one in fresh.items()
        ]
        # A partial write does no harm: each row has the stamp of what it is based on.
        with suppress(OSError, sqlite3.Error, UnicodeEncodeError):
            try:
                self._write(rows, dropped)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                    raise
                self._file.unlink()

    def _write(self, rows: list[tuple[str, str, str, str, float]], dropped: list[tuple[str]]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._file, timeout=_BUSY_SECONDS)) as connection, connection:
            # Nothing is lost with the file.
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_TABLE)
            connection.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?)", rows)
            connection.executemany("DELETE FROM verdicts WHERE test = ?", dropped)
