# SPDX-License-Identifier: Apache-2.0
"""In SQL, for all cells at once: since when each fails, its newest endings, what turned in a run, where it failed.

No result is read completely. A cell turns, and is flaky, as `core.evidence.series` says; a test compares both.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator
from typing import NamedTuple

from core.domain.model import Function
from core.evidence.observation import Ending
from core.evidence.series import FLAKINESS_RESULTS, SAYS_WHERE
from core.evidence.store_rows import HAS_RUN, as_text, read_shapes


class StoredCourse(NamedTuple):
    """The history of one cell's results."""

    test_id: str
    arch: str
    first_bad: float | None
    """The time of the first of the failures at the end of its results; None: it passes, or never ran."""
    passed: tuple[bool, ...]
    """Passes among the newest FLAKINESS_RESULTS that say something about the model, oldest first."""


def read_courses(connection: sqlite3.Connection, functions: Collection[Function]) -> Iterator[StoredCourse]:
    """The course of every cell of these functions that has run."""
    endings = _endings(connection)
    passes = {id for id, ending in endings.items() if ending == Ending.PASSED}
    telling = json.dumps([id for id, ending in endings.items() if ending in SAYS_WHERE])
    names = json.dumps(sorted(functions))
    passed: dict[int, list[bool]] = {}
    for cell, shape in connection.execute(_NEWEST, (names, FLAKINESS_RESULTS - 1)):
        passed.setdefault(cell, []).append(shape in passes)
    first_bad = connection.execute(_FIRST_BAD, (names, json.dumps(sorted(passes)), telling))
    for cell, test, arch, first in first_bad.fetchall():
        if cell in passed:
            yield StoredCourse(as_text(test), as_text(arch), first, tuple(passed[cell][-FLAKINESS_RESULTS:]))


def read_failed_on(
    connection: sqlite3.Connection, functions: Collection[Function], possible: float
) -> Iterator[tuple[str, str, str]]:
    """Test, arch and machine of each cell of these functions that failed there lately.

    `possible` is the last moment that a result can have, in seconds since the epoch.
    """
    passes = json.dumps([id for id, ending in _endings(connection).items() if ending == Ending.PASSED])
    last = connection.execute("SELECT max(latest) FROM sessions WHERE latest <= ?", (possible,)).fetchone()[0] or 0.0
    names = json.dumps(sorted(functions))
    for test, arch, host in connection.execute(_FAILED_ON, (names, passes, last - MACHINE_DAYS * _DAY)):
        yield as_text(test), as_text(arch), as_text(host)


def read_turned(connection: sqlite3.Connection, run: str | bytes) -> Iterator[tuple[str, str, bool]]:
    """The cells that turned between pass and failure in a run: id, arch, and whether it passes since."""
    endings = _endings(connection)
    passes = {id for id, ending in endings.items() if ending == Ending.PASSED}
    telling = json.dumps([id for id, ending in endings.items() if ending in SAYS_WHERE])
    for test, arch, now, before in connection.execute(_TURNED, (run, telling)):
        if before is not None and (now in passes) is not (before in passes):
            yield as_text(test), as_text(arch), now in passes


def _endings(connection: sqlite3.Connection) -> dict[int, Ending]:
    """The ending of each shape."""
    return {id: one.ending for id, one in read_shapes(connection).items()}


MACHINE_DAYS = 28.0
"""A machine is judged by its failures in so many days before the last result."""
_DAY = 86_400.0
"""In seconds."""
_COUNTING = f"kind = {HAS_RUN} AND attempts IS NOT 0"
_CELLS = "cells WHERE function IN (SELECT value FROM json_each(?1))"
_NEWEST = f"""SELECT results.cell, results.shape FROM (SELECT id FROM {_CELLS}) AS wanted
    CROSS JOIN results ON results.cell = wanted.id AND {_COUNTING} AND results.at >= coalesce((
        SELECT at FROM results AS newer WHERE newer.cell = wanted.id AND {_COUNTING} ORDER BY at DESC LIMIT 1 OFFSET ?2
    ), 0) ORDER BY results.cell, results.at, results.session, results.number"""
_FAILED_ON = f"""SELECT DISTINCT test, arch, text FROM (SELECT id, test, arch FROM {_CELLS}) AS wanted
    CROSS JOIN results ON results.cell = wanted.id AND {_COUNTING} AND at >= ?3
    AND shape NOT IN (SELECT value FROM json_each(?2))
    JOIN sessions ON sessions.id = session JOIN texts ON texts.id = host WHERE text <> ''"""
_LAST_PASS = f"""SELECT %s FROM results WHERE cell = wanted.id AND {_COUNTING}
    AND shape IN (SELECT value FROM json_each(?2)) ORDER BY at DESC, session DESC, number DESC LIMIT 1"""
_FIRST_BAD = f"""SELECT id, test, arch, (
        SELECT at FROM results WHERE cell = wanted.id AND {_COUNTING} AND at >= coalesce(({_LAST_PASS % "at"}), 0)
        AND (at, session, number) > (coalesce(({_LAST_PASS % "at"}), -1), coalesce(({_LAST_PASS % "session"}), -1),
            coalesce(({_LAST_PASS % "number"}), -1))
        AND shape IN (SELECT value FROM json_each(?3)) ORDER BY at, session, number LIMIT 1)
    FROM (SELECT id, test, arch FROM {_CELLS}) AS wanted"""
_TELLING = "IN (SELECT value FROM json_each(?2))"
_TURNED = f"""SELECT test, arch, results.shape, (
        SELECT earlier.shape FROM results AS earlier WHERE earlier.cell = results.cell AND earlier.kind = {HAS_RUN}
        AND earlier.attempts IS NOT 0 AND earlier.shape {_TELLING}
        AND (earlier.at, earlier.session, earlier.number) < (results.at, results.session, results.number)
        ORDER BY earlier.at DESC, earlier.session DESC, earlier.number DESC LIMIT 1)
    FROM results JOIN cells ON cells.id = results.cell
    WHERE results.run = (SELECT id FROM texts WHERE text = ?1) AND results.kind = {HAS_RUN}
    AND results.attempts IS NOT 0 AND results.shape {_TELLING}"""
