# SPDX-License-Identifier: Apache-2.0
"""The results of a period cell by cell, as numbers: what a report over half a year is made of."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.evidence.observation import Ending
from core.evidence.store_rows import BROKEN, HAS_RUN, NOT_RUN, as_text
from core.model import Function, Status

_EXPECT_NO_PASS = (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)


class Track(NamedTuple):
    """One cell over a period."""

    test_id: str
    arch: str
    results: Sequence[tuple[float, int, int]]
    """Moment, session and shape of each result that says something of the model, oldest first."""


class RunCount(NamedTuple):
    """How the results of one run ended that say nothing of the model, and how many do."""

    run: str
    when: float
    """When its last result was made, in seconds since the epoch."""
    ran: int
    not_run: int
    broken: int


class Tracks(NamedTuple):
    """All cells with results of a period, and what the numbers in them mean."""

    cells: Sequence[Track]
    hosts: Mapping[int, str]
    """The machine of each session; empty: unknown."""
    runs: Mapping[int, str]
    passed: frozenset[int]
    """The shapes that are passes."""
    unexpected: frozenset[int]
    """The shapes of results of entries that expect no pass."""
    counts: Sequence[RunCount]
    """Of each run, the last one first."""


def read_tracks(connection: sqlite3.Connection, functions: Collection[Function], since: float) -> Tracks:
    """The tracks of every cell of these functions with results since that moment, in seconds since the epoch."""
    shapes = [(id, json.loads(fields)) for id, fields in connection.execute("SELECT id, fields FROM shapes")]
    sessions = connection.execute(_SESSIONS, (since,)).fetchall()
    runs = {id: as_text(run) for id, run, _, _ in sessions}
    cells = connection.execute(_CELLS, (json.dumps(sorted(functions)),)).fetchall()
    silent: dict[str, dict[int, int]] = {}
    for cell, *_ in cells:
        for kind, session in connection.execute(_SILENT, (cell, since)):
            counts = silent.setdefault(runs[session], {})
            counts[kind] = counts.get(kind, 0) + 1
    tracks = list(_tracks(connection, cells, since))
    return Tracks(
        cells=tracks,
        hosts={id: as_text(host) for id, _, host, _ in sessions},
        runs=runs,
        passed=frozenset(id for id, fields in shapes if fields[0] == Ending.PASSED),
        unexpected=frozenset(id for id, fields in shapes if fields[1] in _EXPECT_NO_PASS),
        counts=_counts(tracks, runs, silent, {as_text(run): latest for _, run, _, latest in sessions}),
    )


def _tracks(
    connection: sqlite3.Connection, cells: Sequence[tuple[int, str | bytes, str | bytes]], since: float
) -> Iterator[Track]:
    # A statement for each cell: one for all of them takes twice as long, and as much memory as there are results.
    for cell, test, arch in cells:
        if rows := connection.execute(_OF_CELL, (cell, since)).fetchall():
            yield Track(as_text(test), as_text(arch), rows)


def _counts(
    tracks: Sequence[Track],
    runs: Mapping[int, str],
    silent: Mapping[str, Mapping[int, int]],
    latest: Mapping[str, float],
) -> Sequence[RunCount]:
    by_session: dict[int, int] = {}
    for track in tracks:
        for _, session, _ in track.results:
            by_session[session] = by_session.get(session, 0) + 1
    ran: dict[str, int] = {}
    for session, count in by_session.items():
        ran[runs[session]] = ran.get(runs[session], 0) + count
    none: Mapping[int, int] = {}
    found = (
        RunCount(
            run,
            latest[run],
            ran.get(run, 0),
            silent.get(run, none).get(NOT_RUN, 0),
            silent.get(run, none).get(BROKEN, 0),
        )
        for run in ran.keys() | silent.keys()
    )
    return sorted(found, key=lambda one: (-one.when, one.run))


_SESSIONS = """SELECT sessions.id, runs.text, hosts.text, latest FROM sessions
    JOIN texts AS runs ON runs.id = run JOIN texts AS hosts ON hosts.id = host WHERE latest >= ?"""
_CELLS = "SELECT id, test, arch FROM cells WHERE function IN (SELECT value FROM json_each(?)) ORDER BY test, arch, id"
_OF_CELL = f"""SELECT at, session, shape FROM results WHERE cell = ? AND kind = {HAS_RUN} AND at >= ?
    AND attempts IS NOT 0 ORDER BY at, session, number"""
_SILENT = f"""SELECT kind, session FROM results WHERE cell = ? AND kind IN ({NOT_RUN}, {BROKEN}) AND at >= ?
    AND attempts IS NOT 0"""
