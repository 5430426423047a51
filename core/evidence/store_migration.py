# SPDX-License-Identifier: Apache-2.0
"""Migrations: read evidence stores of earlier versions as reports of the present one."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from core.base.checked_numbers import LAST_MOMENT, LONGEST
from core.base.files import parsed, typed
from core.evidence.observation import Ending, Observation
from core.evidence.store_rows import StoredReport, Writer


def _from_1(connection: sqlite3.Connection) -> None:
    """In version 1, a row was a report, with its observations in one JSON text."""
    writer = Writer(connection)
    found = connection.execute("SELECT digest, rank, attempt, named, fields, observations FROM old_reports")
    for digest, rank, attempt, named, names, text in found:
        writer.add(StoredReport(digest, rank, attempt, bool(named), _observations(names, text)))
    writer.finish()


def _from_2(connection: sqlite3.Connection) -> None:
    """In version 2, the place of a report was one of the texts, and there were no profiles."""
    connection.execute("UPDATE store SET serial = (SELECT serial FROM old_store)")
    for name in ("reports", "shapes", "cells", "results"):
        connection.execute(f"INSERT INTO {name} SELECT * FROM old_{name}")
    connection.execute(_TEXTS_OF_2)
    connection.execute("INSERT OR IGNORE INTO texts (text) VALUES ('')")
    connection.execute(_SESSIONS_OF_2)


_TEXTS_OF_2 = """INSERT INTO texts SELECT * FROM old_texts WHERE id IN (
    SELECT reason FROM results UNION SELECT raised FROM results UNION SELECT run FROM old_sessions
    UNION SELECT host FROM old_sessions UNION SELECT job FROM old_sessions UNION SELECT "commit" FROM old_sessions
    UNION SELECT models_commit FROM old_sessions)"""
_SESSIONS_OF_2 = """INSERT INTO sessions SELECT id, report, origin, run, host, job,
    (SELECT text FROM old_texts WHERE old_texts.id = source), "commit", models_commit,
    (SELECT id FROM texts WHERE text = ''), earliest, latest FROM old_sessions"""
MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1, 2: _from_2}
"""By the version that they migrate from."""


def _observations(names: str, text: str) -> tuple[Observation, ...]:
    """`names` were the fields of an observation when the report was added; removed fields are ignored."""
    columns = names.split(",")
    found = [_repaired(dict(zip(columns, values, strict=True))) for values in parsed(text)]
    return tuple(typed(found, list[Observation]))


def _repaired(fields: dict[str, Any]) -> dict[str, Any]:
    # Before this field, there was one ending for all stopped runs, and of reports only a time limit was read.
    if "raised" not in fields and fields["ending"] == Ending.HUNG:
        fields["ending"] = Ending.OUT_OF_TIME
    # Older results were not checked for finite numbers and times when they were added.
    if not 0 <= fields["when"] <= LAST_MOMENT:
        fields["when"] = 0.0
    if not 0 <= fields["seconds"] <= LONGEST:
        fields["seconds"] = 0.0
    return fields
