# SPDX-License-Identifier: Apache-2.0
"""The results of a period, cell by cell, as numbers: the input of a report over half a year."""

import json
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple

from core.domain.model import EXPECT_NO_PASS, Function
from core.evidence.observation import Ending, is_as_expected
from core.evidence.series import SAYS_WHERE
from core.evidence.store_rows import BROKEN, HAS_RUN, NOT_RUN, as_text, read_shapes


class TrackResults(NamedTuple):
    """Results as three arrays: 16 bytes per result instead of 200 for a tuple; a team has a million in a year."""

    at: "array[float]"
    sessions: "array[int]"
    what: "array[int]"

    def since(self, moment: float) -> "TrackResults":
        """The results from a moment on; they must be sorted by time."""
        first = bisect_left(self.at, moment)
        return TrackResults(self.at[first:], self.sessions[first:], self.what[first:]) if first else self

    def until(self, moment: float) -> "TrackResults":
        """The results up to a moment; they must be sorted by time."""
        end = bisect_right(self.at, moment)
        return TrackResults(self.at[:end], self.sessions[:end], self.what[:end]) if end < len(self.at) else self


class Track(NamedTuple):
    """The results of one cell in a period."""

    test_id: str
    arch: str
    results: TrackResults
    """Time, session and shape of each result that says something about the model, oldest first; at least one."""


class RunCount(NamedTuple):
    """Numbers of results of one run: by ending for those that say nothing about the model, and of all others."""

    run: str
    when: float
    """When its last result was made, in seconds since the epoch."""
    ran: int
    not_run: int
    broken: int


class Tracks(NamedTuple):
    """All cells with results in a period, and the meaning of their numbers."""

    cells: Sequence[Track]
    silent: TrackResults
    """Time, session and kind of each result that says nothing about the model, oldest first."""
    hosts: Mapping[int, str]
    """The machine of each session; empty: unknown."""
    runs: Mapping[int, str]
    ended: Mapping[str, float]
    """When the last result of each run was made, in seconds since the epoch."""
    passed: frozenset[int]
    """The shapes that mean a pass."""
    telling: frozenset[int]
    """The shapes of results that say where a cell turned between pass and failure."""
    as_expected: frozenset[int]
    """The shapes that mean what the entry said when it ran."""
    unexpected: frozenset[int]
    """The shapes of results whose entry did not expect a pass."""

    def since(self, moment: float) -> "Tracks":
        """The same as reading from that moment on, in seconds since the epoch."""
        cells = (one._replace(results=one.results.since(moment)) for one in self.cells)
        return self._replace(cells=[one for one in cells if one.results.at], silent=self.silent.since(moment))

    def until(self, moment: float) -> "Tracks":
        """The same without what is after that moment, in seconds since the epoch."""
        cells = (one._replace(results=one.results.until(moment)) for one in self.cells)
        ended = {run: min(when, moment) for run, when in self.ended.items()}
        silent = self.silent.until(moment)
        return self._replace(cells=[one for one in cells if one.results.at], silent=silent, ended=ended)

    def counts(self) -> Sequence[RunCount]:
        """The counts of each run with results, the latest first."""
        ran: dict[str, int] = {}
        for session, count in Counter(chain.from_iterable(one.results.sessions for one in self.cells)).items():
            ran[self.runs[session]] = ran.get(self.runs[session], 0) + count
        silent: dict[str, dict[int, int]] = {}
        for (session, kind), count in Counter(zip(self.silent.sessions, self.silent.what, strict=True)).items():
            counts = silent.setdefault(self.runs[session], {NOT_RUN: 0, BROKEN: 0})
            counts[kind] += count
        none = {NOT_RUN: 0, BROKEN: 0}
        found = (
            RunCount(run, self.ended[run], ran.get(run, 0), said[NOT_RUN], said[BROKEN])
            for run in ran.keys() | silent.keys()
            for said in (silent.get(run, none),)
        )
        return sorted(found, key=lambda one: (-one.when, one.run))


def read_tracks(connection: sqlite3.Connection, functions: Collection[Function], since: float) -> Tracks:
    """The tracks of every cell of these functions with results since that moment, in seconds since the epoch."""
    shapes = read_shapes(connection)
    sessions = connection.execute(_SESSIONS, (since,)).fetchall()
    ended: dict[str, float] = {}
    for _, run, _, latest in sessions:
        ended[as_text(run)] = max(latest, ended.get(as_text(run), latest))
    cells = connection.execute(_CELLS, (json.dumps(sorted(functions)),)).fetchall()
    silent: list[tuple[float, int, int]] = []
    for cell, *_ in cells:
        silent += connection.execute(_SILENT, (cell, since))
    tracks, aside = list(_tracks(connection, cells, since)), _results(sorted(silent))
    _check(tracks, aside, {id for id, *_ in sessions}, shapes.keys())
    return Tracks(
        cells=tracks,
        silent=aside,
        hosts={id: as_text(host) for id, _, host, _ in sessions},
        runs={id: as_text(run) for id, run, _, _ in sessions},
        ended=ended,
        passed=frozenset(id for id, one in shapes.items() if one.ending is Ending.PASSED),
        telling=frozenset(id for id, one in shapes.items() if one.ending in SAYS_WHERE),
        as_expected=frozenset(
            id for id, one in shapes.items() if is_as_expected(one.ending, one.expected, one.pcc_checked)
        ),
        unexpected=frozenset(id for id, one in shapes.items() if one.expected in EXPECT_NO_PASS),
    )


def _tracks(
    connection: sqlite3.Connection, cells: Sequence[tuple[int, str | bytes, str | bytes]], since: float
) -> Iterator[Track]:
    # A statement for each cell: one for all takes twice as long, and memory for all results.
    for cell, test, arch in cells:
        if rows := connection.execute(_OF_CELL, (cell, since)).fetchall():
            yield Track(as_text(test), as_text(arch), _results(rows))


def _check(tracks: Sequence[Track], silent: TrackResults, sessions: Set[int], shapes: Set[int]) -> None:
    """Raise LookupError if what results refer to is not there: on a damaged disk, SQLite may not notice."""
    found: set[int] = {*silent.sessions}
    kinds: set[int] = set()
    for track in tracks:
        found.update(track.results.sessions)
        kinds.update(track.results.what)
    if found - sessions or kinds - shapes:
        raise LookupError("results refer to rows that are not there")


def _results(rows: Sequence[tuple[float, int, int]]) -> TrackResults:
    at, sessions, what = zip(*rows, strict=True) if rows else ((), (), ())
    return TrackResults(array("d", at), array("i", sessions), array("i", what))


_SESSIONS = """SELECT sessions.id, runs.text, hosts.text, latest FROM sessions
    JOIN texts AS runs ON runs.id = run JOIN texts AS hosts ON hosts.id = host WHERE latest >= ?"""
_CELLS = "SELECT id, test, arch FROM cells WHERE function IN (SELECT value FROM json_each(?)) ORDER BY test, arch, id"
_OF_CELL = f"""SELECT at, session, shape FROM results WHERE cell = ? AND kind = {HAS_RUN} AND at >= ?
    AND attempts IS NOT 0 ORDER BY at, session, number"""
_SILENT = f"""SELECT at, session, kind FROM results WHERE cell = ? AND kind IN ({NOT_RUN}, {BROKEN}) AND at >= ?
    AND attempts IS NOT 0"""
