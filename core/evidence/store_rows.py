# SPDX-License-Identifier: Apache-2.0
"""Observations as rows of the tables of a store, and back."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from core.base.checked_numbers import LAST_MOMENT, LONGEST
from core.base.files import decoded, plain
from core.domain.model import BringupStatus, Function, Status
from core.evidence.observation import (
    RAN,
    Attempt,
    CaseNumbers,
    Ending,
    Observation,
    Origin,
    counting,
)

NOT_RUN, HAS_RUN, BROKEN, ASIDE = range(4)
"""Kinds of results; ASIDE are those under another profile than the default, which are ignored by verdicts."""
_NAN = "nan"
"""SQLite turns NaN into NULL."""
CUT = "3"
"""How the rank of a report begins whose file was truncated."""
COLUMNS = """results.cell, results.session, results.shape, results.reason, results.raised, results.at,
    results.seconds, results.pcc, results.attempts, results.op, results.number"""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """One report in the form in which it is stored."""

    digest: str
    rank: str
    """If a report has two places, the one with the lower rank counts."""
    attempt: int
    named: bool
    observations: tuple[Observation, ...]


def as_stored(text: str) -> str | bytes:
    """`text` in a form that SQLite can hold: names of files may have parts that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")
    return text


def as_text(stored: str | bytes) -> str:
    """The text that `as_stored` was called with."""
    return stored if isinstance(stored, str) else stored.decode(errors="surrogatepass")


def kind_of(ending: Ending) -> int:
    """The kind of result of an ending."""
    return HAS_RUN if ending in RAN else NOT_RUN if ending is Ending.NOT_RUN else BROKEN


class Writer:
    """Adds reports within one transaction; `finish` ends it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._texts: dict[str, int] = {}
        self._shapes: dict[tuple[object, ...], int] = {}
        self._cells: dict[tuple[str, str, str], int] = {}
        self._touched: set[tuple[int, int]] = set()
        """Runs and cells that changed."""
        self._left: set[int] = set()
        """Cells from which results were removed."""
        cut = connection.execute("SELECT id FROM reports WHERE rank >= ? AND rank < ?", (CUT, chr(ord(CUT) + 1)))
        self._cut = {id for (id,) in cut}
        """Reports whose files were truncated."""
        connection.execute("UPDATE store SET serial = serial + 1")
        self._serial = connection.execute("SELECT serial FROM store").fetchone()[0]

    def add(self, report: StoredReport) -> bool:
        """Add one report, or replace it by itself from another place; returns whether it was new.

        A truncated one is replaced by the whole one, and not added behind it.
        """
        known = self._execute("SELECT id, rank FROM reports WHERE digest = ?", report.digest).fetchone()
        if known is not None and as_text(known[1]) <= report.rank:
            return False
        cut = report.rank.startswith(CUT)
        if cut and known is None and self._is_part(report):
            return False
        fields = as_stored(report.rank), report.attempt, int(report.named)
        if known is None:
            id = self._execute("INSERT INTO reports VALUES (NULL, ?, ?, ?, ?)", report.digest, *fields).lastrowid
        else:
            id = known[0]
            self._remove(id)
            self._execute("UPDATE reports SET rank = ?, attempt = ?, named = ? WHERE id = ?", *fields, id)
        assert id is not None
        self._add_results(id, report.observations)
        for part in [one for one in self._cut if one != id and self._cells_of(one) <= self._cells_like(one, id)]:
            self._remove(part)
            self._execute("DELETE FROM reports WHERE id = ?", part)
            self._cut.remove(part)
        if cut:
            self._cut.add(id)
        return known is None

    def finish(self) -> None:
        """Update which attempts count, and mark the cells as changed."""
        runs = {run for run, _ in self._touched}
        several = {
            pair for run in runs for pair in self._execute(_SEVERAL, run).fetchall() if tuple(pair) in self._touched
        }
        for run, cell in sorted(several):
            self._fold(run, cell)
        cells = sorted({cell for _, cell in self._touched})
        self._connection.executemany(
            "UPDATE cells SET changed = ? WHERE id = ?", ((self._serial, cell) for cell in cells)
        )
        self._connection.executemany(_DROP_CELL, ((cell,) for cell in self._left))

    def _add_results(self, report: int, observations: Iterable[Observation]) -> None:
        sessions: dict[tuple[str, ...], list[Observation]] = {}
        for one in observations:
            shared = one.run, one.host, one.job, one.commit, one.models_commit, one.profile
            sessions.setdefault((one.origin, one.source, *shared), []).append(one)
        for (origin, source, *texts), rows in sessions.items():
            ids = [self._text(text) for text in texts]
            times = [_bounded(one.when, LAST_MOMENT) for one in rows]
            fields = report, origin, *ids[:3], as_stored(source), *ids[3:], min(times), max(times)
            found = self._execute(_PUT_SESSION, *fields)
            assert found.lastrowid is not None
            numbered = enumerate(zip(rows, times, strict=True))
            made = [self._row(one, at, found.lastrowid, number, ids[0]) for number, (one, at) in numbered]
            self._connection.executemany(_PUT_RESULT, made)

    def _row(self, one: Observation, at: float, session: int, number: int, run: int) -> tuple[object, ...]:
        cell = self._cell(one)
        self._touched.add((run, cell))
        pcc = _NAN if one.pcc is not None and one.pcc != one.pcc else one.pcc
        op = None if one.op is None else json.dumps(plain(one.op), separators=(",", ":"))
        texts = self._text(one.reason), self._text(one.raised)
        seconds = _bounded(one.seconds, LONGEST)
        kind = ASIDE if one.profile else kind_of(one.ending)
        return cell, kind, at, session, number, run, self._shape(one), *texts, seconds, pcc, op

    def _is_part(self, report: StoredReport) -> bool:
        """Whether another report has all results of a truncated one: of the same sessions, so of the same file."""
        if not report.observations:
            return False
        first = report.observations[0]
        found = self._execute(_SAME_SESSION, self._text(first.host), first.when, as_stored(first.source))
        cells = {self._cell(one) for one in report.observations}
        return any(cells <= self._cells_of(other) for (other,) in found.fetchall())

    def _cells_of(self, report: int) -> set[int]:
        return {cell for (cell,) in self._execute(_CELLS_OF, report)}

    def _cells_like(self, part: int, whole: int) -> set[int]:
        """The cells of `whole`; none if it has not the first session of `part`."""
        first = self._execute("SELECT host, earliest, source FROM sessions WHERE report = ? ORDER BY id", part)
        session = first.fetchone()
        found = self._execute(_SAME_SESSION, *session).fetchall() if session else []
        return self._cells_of(whole) if (whole,) in found else set()

    def _remove(self, report: int) -> None:
        """Remove the results of a report, which comes again from a place that has priority."""
        for session, run in self._execute("SELECT id, run FROM sessions WHERE report = ?", report).fetchall():
            found = self._execute("SELECT cell FROM results WHERE run = ? AND session = ?", run, session)
            cells = {cell for (cell,) in found}
            self._execute("DELETE FROM results WHERE run = ? AND session = ?", run, session)
            self._left |= cells
            for cell in cells:
                self._touched.add((run, cell))
                # An attempt without others counts again.
                self._execute("UPDATE results SET attempts = NULL WHERE run = ? AND cell = ?", run, cell)
        self._execute("DELETE FROM sessions WHERE report = ?", report)

    def _fold(self, run: int, cell: int) -> None:
        """Decide which of the attempts of one run on one cell count, by the rule of `fold_attempts`."""
        rows = self._execute(_ATTEMPTS, run, cell).fetchall()
        reader = Reader(self._connection)
        groups: dict[str, list[tuple[tuple[object, ...], Attempt]]] = {}
        for number, named, *key, session, position in rows:
            columns = self._execute(_ONE_RESULT, cell, *key, session, position).fetchone()
            one = Attempt(reader.observation((*columns[:-3], None, *columns[-2:])), number, bool(named))
            if one.foldable:
                groups.setdefault(one.observation.job, []).append(((*key, session, position), one))
        for group in groups.values():
            if len(group) > 1:
                counts = dict(counting([one for _, one in group]))
                self._connection.executemany(
                    _COUNT, ((counts.get(at, 0), cell, *key) for at, (key, _) in enumerate(group))
                )

    def _cell(self, one: Observation) -> int:
        key = one.test_id, one.arch, one.function
        if key not in self._cells:
            self._cells[key] = self._id(_CELL, "(?, ?, ?, 0)", _FIND_CELL, *map(as_stored, key))
        return self._cells[key]

    def _text(self, text: str) -> int:
        if text not in self._texts:
            self._texts[text] = self._id("texts (text)", "(?)", "SELECT id FROM texts WHERE text = ?", as_stored(text))
        return self._texts[text]

    def _shape(self, one: Observation) -> int:
        key = _shape_of(one)
        # NaN does not equal itself.
        if key not in self._shapes:
            fields = json.dumps(key, separators=(",", ":"))
            self._shapes[key] = self._id("shapes (fields)", "(?)", "SELECT id FROM shapes WHERE fields = ?", fields)
        return self._shapes[key]

    def _id(self, table: str, values: str, find: str, *fields: object) -> int:
        found = self._execute(find, *fields).fetchone()
        if found is not None:
            return int(found[0])
        made = self._execute(f"INSERT INTO {table} VALUES {values}", *fields).lastrowid
        assert made is not None
        return made

    def _execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


_CELL = "cells (test, arch, function, changed)"
_FIND_CELL = "SELECT id FROM cells WHERE test = ? AND arch = ? AND function = ?"
_DROP_CELL = "DELETE FROM cells WHERE id = ? AND NOT EXISTS (SELECT 1 FROM results WHERE cell = cells.id)"
_PUT_SESSION = "INSERT INTO sessions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_RESULT = """INSERT INTO results (cell, kind, at, session, number, run, shape, reason, raised, seconds, pcc, op)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# Seconds of the start may be all that a session says: then the file must be the same.
_SAME_SESSION = "SELECT DISTINCT report FROM sessions WHERE host = ? AND earliest = ? AND (earliest > 0 OR source = ?)"
_CELLS_OF = """SELECT cell FROM results JOIN sessions ON sessions.id = results.session AND sessions.run = results.run
    WHERE report = ?"""
_SEVERAL = "SELECT run, cell FROM results WHERE run = ? GROUP BY cell HAVING count(*) > 1"
_ATTEMPTS = """SELECT reports.attempt, reports.named, kind, at, session, number FROM results
    JOIN sessions ON sessions.id = session JOIN reports ON reports.id = report
    WHERE results.run = ? AND cell = ? ORDER BY session, number"""
_KEY = "cell = ? AND kind = ? AND at = ? AND session = ? AND number = ?"
_ONE_RESULT = f"SELECT {COLUMNS} FROM results WHERE {_KEY}"
_COUNT = f"UPDATE results SET attempts = ? WHERE {_KEY}"


def _shape_of(one: Observation) -> tuple[object, ...]:
    required = _NAN if one.pcc_required is not None and one.pcc_required != one.pcc_required else one.pcc_required
    checks = required, one.pcc_checked, one.shortcut, one.guidance, one.signal, one.attempts
    return one.ending, one.expected, one.forced, one.stage, *checks


def _bounded(number: float, most: float) -> float:
    return number if 0 <= number <= most else 0.0


class Shape(NamedTuple):
    """Fields that have the same values in many results."""

    ending: Ending
    expected: Status
    forced: bool
    stage: BringupStatus
    pcc_required: float | None
    pcc_checked: bool | None
    shortcut: bool
    guidance: tuple[str, ...]
    signal: int | None
    attempts: int


_Session = tuple[Origin, str, str, str, str, str, str, str]
"""Fields that all results of one session share: origin, run, host, job, source, both commits, profile."""


class Known(NamedTuple):
    """Rows that results refer to, by id, as far as they have been read from one state of a store."""

    texts: dict[int, str]
    shapes: dict[int, Shape]
    sessions: dict[int, _Session]
    cells: dict[int, tuple[str, Function, str]]


class Reader:
    """Makes observations from rows with COLUMNS; rows that they share are read once, and together."""

    def __init__(self, connection: sqlite3.Connection, known: "Known | None" = None) -> None:
        self._connection = connection
        self._texts, self._shapes, self._sessions, self._cells = known or Known({}, {}, {}, {})

    def know(self, cell: int, test: str, function: Function, arch: str) -> None:
        """Remember a cell that the caller has read already."""
        self._cells[cell] = test, function, arch

    def observations(self, rows: Iterable[tuple[Any, ...]]) -> list[Observation]:
        """An observation for each row, with the number of attempts folded into it; in the order of adding."""
        ordered = sorted(rows, key=_ADDED)
        self.prepare(ordered)
        return self.prepared(ordered)

    def observation(self, row: tuple[Any, ...]) -> Observation:
        """The observation for one row."""
        return self.observations([row])[0]

    def prepare(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Read the rows that `rows` refer to: one by one, a history of 1,000 nights takes five times as long."""
        if new := {row[0] for row in rows} - self._cells.keys():
            for id, test, function, arch in self._read(_CELLS, new):
                self._cells[id] = as_text(test), Function(function), as_text(arch)
        if new := {row[2] for row in rows} - self._shapes.keys():
            self._shapes.update((id, decoded(fields, Shape)) for id, fields in self._read(_SHAPES, new))
        new = {row[1] for row in rows} - self._sessions.keys()
        sessions = self._read(_SESSIONS, new) if new else []
        texts = {row[3] for row in rows}
        texts.update(row[4] for row in rows)
        for one in sessions:
            texts.update(one[3:])
        known = self._texts
        if new := texts - known.keys():
            known.update((id, as_text(text)) for id, text in self._read(_TEXTS, new))
        # No helper here: with a generator for each, the first history of 1,000 results takes a fifth longer.
        for id, origin, source, run, host, job, commit, models, profile in sessions:
            shared = known[commit], known[models], known[profile]
            self._sessions[id] = _ORIGINS[origin], known[run], known[host], known[job], as_text(source), *shared

    def prepared(self, rows: Iterable[tuple[Any, ...]]) -> list[Observation]:
        """As `observations`, for prepared rows, in their order."""
        texts, shapes, sessions, cells = self._texts, self._shapes, self._sessions, self._cells
        found = []
        # A nightly of 4,000 cells is judged by 40,000 of them.
        for cell, session, shape, reason, raised, at, seconds, pcc, attempts, op, _ in rows:
            test, function, arch = cells[cell]
            origin, run, host, job, source, commit, models, profile = sessions[session]
            ending, expected, forced, stage, required, checked, shortcut, guidance, signal, folded = shapes[shape]
            found.append(
                Observation(
                    test,
                    function,
                    arch,
                    origin,
                    run,
                    at,
                    host,
                    ending,
                    expected,
                    forced,
                    stage,
                    texts[reason],
                    seconds,
                    None if pcc is None else float(pcc),
                    required,
                    checked,
                    shortcut,
                    guidance,
                    signal,
                    folded if attempts is None else attempts,
                    job,
                    source,
                    commit,
                    models,
                    texts[raised],
                    None if op is None else decoded(op, CaseNumbers),
                    profile,
                )
            )
        return found

    def _read(self, statement: str, ids: Iterable[int]) -> list[tuple[Any, ...]]:
        """The rows of these ids. Raises LookupError if one is missing."""
        wanted = [*ids]
        found = self._connection.execute(statement, (json.dumps(wanted),)).fetchall()
        if len(found) != len(wanted):
            raise LookupError(f"a row is missing: {statement}")
        return found


_ADDED = itemgetter(1, -1)
"""Session and number of a row with COLUMNS."""
_ORIGINS = {one.value: one for one in Origin}


def read_shapes(connection: sqlite3.Connection) -> dict[int, Shape]:
    """Every shape in the store, by its id."""
    return {id: decoded(fields, Shape) for id, fields in connection.execute("SELECT id, fields FROM shapes")}


_WANTED = "WHERE id IN (SELECT value FROM json_each(?))"
_CELLS = f"SELECT id, test, function, arch FROM cells {_WANTED}"
_SHAPES = f"SELECT id, fields FROM shapes {_WANTED}"
_TEXTS = f"SELECT id, text FROM texts {_WANTED}"
_SESSIONS = f"""SELECT id, origin, source, run, host, job, "commit", models_commit, profile FROM sessions {_WANTED}"""
