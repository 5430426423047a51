# SPDX-License-Identifier: Apache-2.0
"""When each cell was last mentioned by a report, even if only as skipped, and which runs its jobs have made since."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from core.domain.model import Function
from core.evidence.observation import Ending
from core.evidence.store_rows import BROKEN, CUT, HAS_RUN, NOT_RUN, as_stored, as_text, read_shapes


class Mention(NamedTuple):
    """The newest report of one cell."""

    test_id: str
    arch: str
    at: float
    """In seconds since the epoch."""


class JobRun(NamedTuple):
    """One run of one CI job with results."""

    job: str
    run: str
    earliest: float
    """When its first result was made, in seconds since the epoch."""
    reports: int
    """One for each parallel group."""
    truncated: bool = False
    """Whether a file of them ends too early."""


def read_mentions(connection: sqlite3.Connection, functions: Collection[Function]) -> Iterator[Mention]:
    """The last mention of every cell of these functions."""
    names = json.dumps(sorted(functions))
    for test, arch, *times in connection.execute(_MENTIONS, (names,)):
        yield Mention(as_text(test), as_text(arch), max(at for at in times if at is not None))


def read_jobs_of(
    connection: sqlite3.Connection, cells: Iterable[tuple[str, str, float]]
) -> Iterator[tuple[tuple[str, str], str]]:
    """The CI job of the mention at a moment of each of these cells, by id and arch."""
    for test, arch, at in cells:
        for (job,) in connection.execute(_JOB_AT, (as_stored(test), as_stored(arch), at)):
            yield (test, arch), as_text(job)


def read_job_runs(connection: sqlite3.Connection) -> Iterator[JobRun]:
    """Every run of every CI job that has results."""
    names: dict[int, str] = {}
    truncated = {tuple(row) for row in connection.execute(_TRUNCATED)}
    rows = connection.execute(_RUNS).fetchall()
    wanted = json.dumps([*{id for row in rows for id in row[:2]}])
    names.update((id, as_text(text)) for id, text in connection.execute(_NAMES, (wanted,)))
    for job, run, earliest, reports in rows:
        if names[job]:
            yield JobRun(names[job], names[run], earliest, reports, (job, run) in truncated)


def count_reported(connection: sqlite3.Connection, run: str) -> Iterator[tuple[str, int]]:
    """How many cells each job reports in a run."""
    for job, count in connection.execute(_REPORTED, (as_stored(run),)):
        yield as_text(job), count


def read_ended(connection: sqlite3.Connection, job: str, run: str) -> Iterator[tuple[str, Ending, str]]:
    """The tests that ended their process or were stopped in a run of a job, in the order of its reports."""
    ended = {id: one.ending for id, one in read_shapes(connection).items() if one.ending in ENDED}
    for test, shape, reason in connection.execute(_ENDED, (as_stored(run), as_stored(job), json.dumps([*ended]))):
        yield as_text(test), ended[shape], as_text(reason)


def read_cut_behind(connection: sqlite3.Connection, job: str, run: str) -> str:
    """The last test of the truncated report of a run of a job; empty: no report is truncated."""
    found = connection.execute(_CUT_BEHIND, (as_stored(run), as_stored(job))).fetchone()
    return as_text(found[0]) if found else ""


ENDED = (Ending.CRASHED, Ending.HUNG)
"""What may take others down with it."""


_KINDS = (HAS_RUN, NOT_RUN, BROKEN)
# A look-up for each kind: grouping all results takes a second for a million.
_LAST = ", ".join(
    f"(SELECT max(at) FROM results WHERE cell = cells.id AND kind = {kind}) AS at{kind}" for kind in _KINDS
)
_MENTIONS = f"""SELECT * FROM (SELECT test, arch, {_LAST} FROM cells WHERE function IN (SELECT value FROM json_each(?)))
    WHERE coalesce({", ".join(f"at{kind}" for kind in _KINDS)}) IS NOT NULL"""
_JOB_AT = f"""SELECT DISTINCT jobs.text FROM cells JOIN results ON results.cell = cells.id
    AND results.kind IN {_KINDS} AND results.at = ?3
    JOIN sessions ON sessions.id = results.session JOIN texts AS jobs ON jobs.id = sessions.job
    WHERE cells.test = ?1 AND cells.arch = ?2 AND jobs.text <> ''"""
_RUNS = "SELECT job, run, min(earliest), count(DISTINCT report) FROM sessions GROUP BY run, job"
_NAMES = "SELECT id, text FROM texts WHERE id IN (SELECT value FROM json_each(?))"
_IS_CUT = f"rank >= '{CUT}' AND rank < '{chr(ord(CUT) + 1)}'"
_TRUNCATED = f"SELECT DISTINCT job, run FROM reports JOIN sessions ON sessions.report = reports.id WHERE {_IS_CUT}"
_REPORTED = f"""SELECT jobs.text, count(DISTINCT results.cell) FROM results
    JOIN sessions ON sessions.id = results.session JOIN texts AS jobs ON jobs.id = sessions.job
    WHERE results.run = (SELECT id FROM texts WHERE text = ?1) AND results.kind IN {_KINDS} GROUP BY jobs.text"""
_OF_JOB = """sessions ON sessions.id = results.session AND sessions.job = (SELECT id FROM texts WHERE text = ?2)
    JOIN cells ON cells.id = results.cell"""
_ENDED = f"""SELECT cells.test, results.shape, reasons.text FROM results JOIN {_OF_JOB}
    JOIN texts AS reasons ON reasons.id = results.reason WHERE results.run = (SELECT id FROM texts WHERE text = ?1)
    AND results.kind = {HAS_RUN} AND results.attempts IS NOT 0
    AND results.shape IN (SELECT value FROM json_each(?3)) ORDER BY results.session, results.number"""
_CUT_BEHIND = f"""SELECT cells.test FROM results JOIN {_OF_JOB} JOIN reports ON reports.id = sessions.report
    WHERE results.run = (SELECT id FROM texts WHERE text = ?1) AND {_IS_CUT}
    ORDER BY results.session DESC, results.number DESC LIMIT 1"""
