# SPDX-License-Identifier: Apache-2.0
"""The evidence of one checkout on disk: a row for each result, read by test, by run, or the newest of each cell."""

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from core.base.checked_numbers import last_possible
from core.base.errors import TTMatrixError
from core.domain.model import Function
from core.evidence.observation import Ending, Observation, order
from core.evidence.store_failing_since import StoredCourse, read_courses, read_failed_on, read_turned
from core.evidence.store_mentions import (
    JobRun,
    Mention,
    count_reported,
    read_cut_behind,
    read_ended,
    read_job_runs,
    read_jobs_of,
    read_mentions,
)
from core.evidence.store_migration import MIGRATIONS
from core.evidence.store_recent import Recent, read_recent
from core.evidence.store_retention import thin
from core.evidence.store_rows import (
    BROKEN,
    COLUMNS,
    CUT,
    HAS_RUN,
    NOT_RUN,
    Known,
    Reader,
    StoredReport,
    Writer,
    as_stored,
    as_text,
    read_shapes,
)
from core.evidence.store_schema import VERSION, transaction, upgrade, version_of
from core.evidence.store_series import Tracks, read_tracks
from core.runs.store import RunRecord
from core.sources import stamp_of

if TYPE_CHECKING:
    # The app needs the stamp before its first frame, and the module that reads reports takes 150 ms to import.
    from core.evidence.reports import JUnitReport

_BUSY_SECONDS = 30.0
_WRITE_CACHE_KIB = 65536
"""As long as pages fit in there, others can read until the transaction ends."""
_COUNTS = "attempts IS NOT 0"
_OF_SESSION = 'id, report, origin, run, host, job, source, "commit", models_commit, profile, earliest'


@dataclass(frozen=True, slots=True)
class Added:
    """The outcome of `EvidenceStore.add`."""

    new: int
    """Number of reports that were not known."""
    known: int
    """Number of reports that were known, under any name."""


class Stats(NamedTuple):
    """The size and the period of a store."""

    results: int
    reports: int
    runs: int
    cells: int
    first: float | None
    """When the first result was made, in seconds since the epoch; None: there is none."""
    last: float | None


class StoredCell(NamedTuple):
    """One cell with results."""

    test_id: str
    function: Function
    arch: str
    changed: int
    """A number that changes whenever the results of the cell change."""


def store_file(directory: Path, root: Path) -> Path:
    """The file below `directory` that stores the evidence of the checkout at `root`."""
    return directory / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.sqlite"


def file_beside(file: Path) -> Path:
    """The store of reports about hand-written tests, beside the store `file`."""
    return file.with_name(f"{file.stem}-handwritten{file.suffix}")


def evidence_stamp(file: Path, records: Iterable[RunRecord]) -> object:
    """A value that changes when the store `file`, or the one beside it, changes, or when another run on a device or of
    op cases has ended."""
    ended = sum(not record.active and bool(record.spec.devices or record.spec.cases) for record in records)
    return ended, stamp_of(file), stamp_of(file_beside(file))


class EvidenceStore:
    """The results in `file`. Several processes may use it at once; a result that was added survives a crash.

    Every method raises TTMatrixError if the file cannot be read or written, or the disk is full; then nothing has
    changed. Results of `hidden` machines, and those after the moment `end`, are not read.
    """

    def __init__(self, file: Path, hidden: Collection[str] = (), end: float = math.inf) -> None:
        self.file = file
        self._hidden = tuple(hidden)
        self._end = end
        self._known: tuple[object, Known] = None, Known({}, {}, {}, {})
        """Rows shared by several histories, and the state of the store that they belong to."""

    def until(self, moment: float) -> "EvidenceStore":
        """The same without what came after a moment, in seconds since the epoch."""
        return EvidenceStore(self.file, self._hidden, min(moment, self._end))

    def add(self, reports: "Iterable[JUnitReport]") -> Added:
        """Store `reports`, all or none. Known reports do not change, whatever their order.

        If a report comes from two places, the one that was read completely counts, then the one whose arch or run a
        person gave, then the one that names more commits, then the first by name.
        """
        return self.add_stored(map(_stored, reports))

    def add_stored(self, reports: Iterable[StoredReport]) -> Added:
        """As `add`, for reports in the form of another store."""
        new = known = 0
        with self._open() as connection, transaction(connection):
            connection.execute(f"PRAGMA cache_size = -{_WRITE_CACHE_KIB}")
            writer = Writer(connection)
            for report in reports:
                added = writer.add(report)
                new, known = new + added, known + (not added)
            writer.finish()
        return Added(new, known)

    def observations(self) -> list[Observation]:
        """All observations, attempts folded, oldest first. Takes 5 seconds and 600 MiB for each million."""
        return sorted(self._read(f"SELECT {COLUMNS} FROM results WHERE {_COUNTS}"), key=order)

    def reports(self) -> Iterator[StoredReport]:
        """Every report with all of its results, none folded: by the name of its run, then by digest."""
        with self._open_to_read() as connection:
            reader, read = Reader(connection), -1
            by_session: dict[int, list[tuple[Any, ...]]] = {}
            for id, digest, rank, attempt, named in connection.execute(_REPORTS).fetchall():
                rows: list[tuple[Any, ...]] = []
                for session, run in connection.execute("SELECT id, run FROM sessions WHERE report = ?", (id,)):
                    # There is no index from sessions to results: those of a run are read once for all of its reports.
                    if run != read:
                        read, by_session = run, {}
                        for row in connection.execute(_OF_RUN, (run,)):
                            by_session.setdefault(row[1], []).append(row)
                    rows += by_session.get(session, ())
                yield StoredReport(digest, as_text(rank), attempt, bool(named), tuple(reader.observations(rows)))

    def of_test(self, id: str) -> list[Observation]:
        """All results of one test or op case, on every arch and by every test function, oldest first."""
        cells = "SELECT id FROM cells WHERE test = ?"
        with self._open_to_read() as connection:
            statement = f"SELECT {COLUMNS} FROM results WHERE cell IN ({cells}) AND {_COUNTS}"
            rows = connection.execute(statement, (as_stored(id),)).fetchall()
            return sorted(Reader(connection, self._shared(connection)).observations(rows), key=order)

    def of_run(self, name: str) -> list[Observation]:
        """All results of one run, oldest first."""
        run = "SELECT id FROM texts WHERE text = ?"
        found = self._read(f"SELECT {COLUMNS} FROM results WHERE run = ({run}) AND {_COUNTS}", as_stored(name))
        return sorted(found, key=order)

    def of_cases(self) -> list[Observation]:
        """All results of op cases, oldest first."""
        cells = "SELECT id FROM cells WHERE function = ?"
        found = self._read(f"SELECT {COLUMNS} FROM results WHERE cell IN ({cells}) AND {_COUNTS}", Function.OP_CASE)
        return sorted(found, key=order)

    def recent(
        self, ids: Iterable[str], functions: Collection[Function], ran: int, others: int, *, count_older: bool
    ) -> Iterator[tuple[str, Recent]]:
        """The newest results of each cell of these tests and `functions`.

        These are up to `ran` that say something about the model, up to `others` that were not run, and as many that
        broke before the model ran. With `count_older`, older ones of the last two kinds are counted if there are fewer
        than `ran`.
        """
        limits = {HAS_RUN: ran, NOT_RUN: others, BROKEN: others}
        with self._open_to_read() as connection:
            yield from read_recent(connection, ids, functions, limits, count_older)

    def newest(self) -> list[Observation]:
        """The newest result of each cell that says something about the model, by test function."""
        with self._open_to_read() as connection:
            reader = Reader(connection)
            cells = connection.execute("SELECT id FROM cells ORDER BY id").fetchall()
            found = [row for cell in cells for row in connection.execute(_LAST, cell)]
            return sorted(reader.observations(found), key=order)

    def failed_after(self, moment: float) -> list[Observation]:
        """All results after a moment that say something about the model and did not pass, oldest first."""
        with self._open_to_read() as connection:
            failures = [id for id, one in read_shapes(connection).items() if one.ending is not Ending.PASSED]
            rows = connection.execute(_FAILED_AFTER, (moment, json.dumps(failures))).fetchall()
            return sorted(Reader(connection).observations(rows), key=order)

    def last_of_cases(self) -> list[Observation]:
        """The last result of each op case on each backend, oldest first."""
        with self._open_to_read() as connection:
            reader = Reader(connection)
            cells = connection.execute("SELECT id FROM cells WHERE function = ?", (Function.OP_CASE,)).fetchall()
            found = [row for (cell,) in cells for row in connection.execute(_NEWEST, (cell, 1, 1))]
            return sorted(reader.observations(found), key=order)

    def cells(self) -> list[StoredCell]:
        """Every cell with results."""
        with self._open_to_read() as connection:
            found = connection.execute(_CELLS if self._filtered else "SELECT test, function, arch, changed FROM cells")
            return [
                StoredCell(as_text(test), Function(function), as_text(arch), changed)
                for test, function, arch, changed in found
            ]

    def runs(self, arch: str = "", *, cases: bool = True) -> dict[str, float]:
        """Every run with the time of its last result; only those with results on `arch`, or not only of op cases."""
        without = "" if cases else Function.OP_CASE
        with self._open_to_read() as connection:
            some = bool(arch) or not cases
            found = connection.execute(_RUNS_WITH, (arch, without)) if some else connection.execute(_RUNS)
            return {as_text(name): float(latest) for name, latest in found}

    def cells_of_runs(self, arch: str = "") -> dict[str, int]:
        """The number of cells with results in each run, on `arch` or on any."""
        with self._open_to_read() as connection:
            return {as_text(name): count for name, count in connection.execute(_CELLS_OF_RUNS, (arch,))}

    def one_of(self, job: str, run: str) -> Observation | None:
        """A result of a job in a run; None: there is none."""
        return next(iter(self._read(_ONE_OF, as_stored(run), as_stored(job))), None)

    def mentions(self, functions: Collection[Function]) -> list[Mention]:
        """When each cell of these functions was last mentioned by a report, even if only as skipped."""
        with self._open_to_read() as connection:
            return list(read_mentions(connection, functions))

    def jobs_of(self, cells: Iterable[tuple[str, str, float]]) -> dict[tuple[str, str], str]:
        """The CI job of the mention of each of these cells at a moment, by id and arch."""
        with self._open_to_read() as connection:
            return dict(read_jobs_of(connection, cells))

    def job_runs(self) -> list[JobRun]:
        """Every run of every CI job that has results."""
        with self._open_to_read() as connection:
            return list(read_job_runs(connection))

    def reported(self, runs: Iterable[str]) -> dict[tuple[str, str], int]:
        """How many cells each job reports in each of these runs, by job and run."""
        with self._open_to_read() as connection:
            return {(job, run): count for run in runs for job, count in count_reported(connection, run)}

    def ended_in(self, job: str, run: str) -> list[tuple[str, Ending, str]]:
        """The tests that ended their process or hung in a run of a job, in its order: id, how, and the reason."""
        with self._open_to_read() as connection:
            return list(read_ended(connection, job, run))

    def cut_behind(self, job: str, run: str) -> str:
        """The last test of a truncated report of a run of a job; empty: none is truncated."""
        with self._open_to_read() as connection:
            return read_cut_behind(connection, job, run)

    def turned_in(self, run: str) -> list[tuple[str, str, bool]]:
        """The cells that turned between pass and failure in a run: id, arch, and whether it passes since."""
        with self._open_to_read() as connection:
            return list(read_turned(connection, as_stored(run)))

    def courses(self, functions: Collection[Function]) -> list[StoredCourse]:
        """The course of each cell of these functions: since when it fails, and its newest endings."""
        with self._open_to_read() as connection:
            return list(read_courses(connection, functions))

    def failed_on(self, functions: Collection[Function]) -> list[tuple[str, str, str]]:
        """Test, arch and machine of each cell of these functions that failed there in the last four weeks."""
        with self._open_to_read() as connection:
            return list(read_failed_on(connection, functions, last_possible(self._end)))

    def tracks(self, functions: Collection[Function], since: float) -> Tracks:
        """Every cell of these functions with its results since a moment, in seconds since the epoch, as numbers."""
        with self._open_to_read() as connection:
            return read_tracks(connection, functions, since)

    def stats(self) -> Stats:
        """The size and the period of the store."""
        with self._open_to_read() as connection:
            return Stats(*connection.execute(_STATS).fetchone())

    def thin(self, before: float, newest: int, *, write: bool) -> int:
        """Remove results older than `before` that only repeat those around them (`core.evidence.store_retention`).

        The `newest` results of each cell stay. Returns the number of removed results; without `write` nothing changes.
        The file shrinks by the space that is no longer needed.
        """
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                gone = thin(connection, before, newest)
                connection.execute("COMMIT" if write else "ROLLBACK")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            if write and gone:
                connection.execute("VACUUM")
            return gone

    def version(self) -> str:
        """A value that changes when another file replaces it; compare `StoredCell.changed` within one version."""
        with self._open_to_read() as connection:
            found = connection.execute("SELECT id FROM store").fetchone()
            return str(found[0]) if found else ""

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads one consistent state, for what is stored beside results."""
        with self._open_to_read() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in a transaction, for what is stored beside results."""
        with self._open() as connection, transaction(connection):
            yield connection

    @property
    def _filtered(self) -> bool:
        """Whether some results are not read."""
        return bool(self._hidden) or self._end < math.inf

    def _shared(self, connection: sqlite3.Connection) -> Known:
        """Rows that earlier histories have read: the next test has the same nights. A change may reassign ids."""
        state = connection.execute("SELECT id, serial FROM store").fetchone()
        if self._known[0] != state:
            self._known = state, Known({}, {}, {}, {})
        return self._known[1]

    def _read(self, statement: str, *values: Any) -> list[Observation]:
        with self._open_to_read() as connection:
            return list(Reader(connection).observations(connection.execute(statement, values).fetchall()))

    @contextmanager
    def _open_to_read(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads one consistent state. If there is no file, none is made."""
        if not self.file.exists():
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
                upgrade(connection, {})
                yield connection
            return
        with self._open() as connection:
            if self._filtered:
                marks = ", ".join("?" * len(self._hidden))
                hosts = f"SELECT id FROM texts WHERE text IN ({marks})"
                connection.execute(
                    f"CREATE TEMP TABLE hidden AS SELECT id FROM main.sessions WHERE host IN ({hosts})", self._hidden
                )
                before = f" AND at <= {self._end!r}" if self._end < math.inf else ""
                connection.execute(
                    f"CREATE TEMP VIEW results AS SELECT * FROM main.results WHERE session NOT IN hidden{before}"
                )
                # What is cut off there did not end later.
                latest = f"min(latest, {self._end!r})" if before else "latest"
                connection.execute(
                    f"CREATE TEMP VIEW sessions AS SELECT {_OF_SESSION}, {latest} AS latest FROM main.sessions"
                    f" WHERE id NOT IN (SELECT id FROM hidden){before.replace(' at ', ' earliest ')}"
                )
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
                version = version_of(connection)
                if version > VERSION:
                    raise _unreadable(self.file, f"it is of version {version}, made by a newer ttmatrix")
                if version < VERSION:
                    upgrade(connection, MIGRATIONS)
                yield connection
        except sqlite3.OperationalError as error:
            raise _unusable(self.file, error) from error
        except (sqlite3.Error, OSError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise _unreadable(self.file, str(error)) from error


_REPORTS = """SELECT id, digest, rank, attempt, named FROM reports ORDER BY (
    SELECT min(text) FROM sessions JOIN texts ON texts.id = run WHERE report = reports.id), digest"""
_OF_RUN = f"SELECT {COLUMNS.replace('results.attempts', 'NULL')} FROM results WHERE run = ?"
_ONE_OF = f"""SELECT {COLUMNS} FROM results JOIN sessions ON sessions.id = results.session
    WHERE results.run = (SELECT id FROM texts WHERE text = ?1) AND sessions.job = (SELECT id FROM texts WHERE text = ?2)
    LIMIT 1"""
_OF_KIND = f"""SELECT * FROM (SELECT {COLUMNS} FROM results WHERE cell = ?1 AND kind = %s AND {_COUNTS}
    ORDER BY at DESC, session DESC, number DESC LIMIT %s)"""
_NEWEST = " UNION ALL ".join(_OF_KIND % part for part in ((HAS_RUN, "?2"), (NOT_RUN, "?3"), (BROKEN, "?3")))
_LAST = _OF_KIND % (HAS_RUN, "1")
_CELLS = """SELECT test, function, arch, changed FROM cells
    WHERE EXISTS (SELECT 1 FROM results WHERE results.cell = cells.id)"""
_FAILED_AFTER = f"""SELECT {COLUMNS} FROM (SELECT DISTINCT run FROM sessions WHERE latest > ?1) AS lately
    JOIN results ON results.run = lately.run AND kind = {HAS_RUN} AND at > ?1 AND {_COUNTS}
    AND shape IN (SELECT value FROM json_each(?2))"""
_STATS = """SELECT (SELECT count(*) FROM results), (SELECT count(*) FROM reports),
    (SELECT count(DISTINCT run) FROM sessions), (SELECT count(*) FROM cells),
    (SELECT min(earliest) FROM sessions), (SELECT max(latest) FROM sessions)"""
_RUNS = "SELECT text, max(latest) FROM sessions JOIN texts ON texts.id = run GROUP BY run"
_RUNS_WITH = """SELECT text, max(latest) FROM sessions JOIN texts ON texts.id = run WHERE EXISTS (
    SELECT 1 FROM results JOIN cells ON cells.id = results.cell
    WHERE results.run = sessions.run AND ?1 IN ('', arch) AND function <> ?2) GROUP BY run"""
# Functions that share an id are one cell. Comparing texts instead of numbers takes twice as long.
_CELLS_OF_RUNS = """WITH same AS MATERIALIZED (
        SELECT cells.id AS cell, min(other.id) AS first FROM cells JOIN cells AS other USING (test, arch)
        WHERE ?1 IN ('', arch) GROUP BY cells.id)
    SELECT text, count(DISTINCT first) FROM results JOIN same ON same.cell = results.cell
    JOIN texts ON texts.id = run GROUP BY run"""


def _unreadable(file: Path, why: str) -> TTMatrixError:
    hint = "Move it away, and ingest the reports again."
    return TTMatrixError("The evidence cannot be read or written", f"{file}: {why}", hint)


def _unusable(file: Path, error: sqlite3.OperationalError) -> TTMatrixError:
    """The error for a sound file that cannot be used."""
    # Errors that Python raises itself, such as a text that is none, have no code.
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_FULL:
        return TTMatrixError("The disk is full", f"{file}: nothing of this was stored", "Make room, and try again.")
    if code == sqlite3.SQLITE_BUSY:
        detail = f"{file}: another process has written for more than {_BUSY_SECONDS:g} s"
        return TTMatrixError("The evidence is in use", detail, "Wait for it to end, and try again.")
    return _unreadable(file, str(error))


def _stored(report: "JUnitReport") -> StoredReport:
    # An incomplete reading is behind every complete one: under another policy, the same file has more results.
    behind = CUT if report.cut else "" if report.complete else "2"
    # Tabs sort before a space, which is in the ranks of earlier stores whether a commit is named or not.
    commits = max((bool(one.commit) + bool(one.models_commit) for one in report.observations), default=0)
    between = "\t" * commits or " "
    rank = f"{behind}{int(not report.arch_given)}{int(not report.given)}{between}{report.run}\n{report.source}"
    return StoredReport(report.digest, rank, report.attempt, report.given, report.observations)
