# SPDX-License-Identifier: Apache-2.0
"""When each cell was last mentioned by a report, even if only as skipped, and which runs its jobs have made since."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from core.evidence.store_rows import BROKEN, HAS_RUN, NOT_RUN, as_stored, as_text
from core.model import Function


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
    for job, run, earliest, reports in connection.execute(_RUNS):
        yield JobRun(as_text(job), as_text(run), earliest, reports)


def count_reported(connection: sqlite3.Connection, job: str, run: str) -> int:
    """How many cells a run of a job reports."""
    return int(connection.execute(_REPORTED, (as_stored(run), as_stored(job))).fetchone()[0])


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
_RUNS = """SELECT jobs.text, runs.text, min(earliest), count(DISTINCT report) FROM sessions
    JOIN texts AS jobs ON jobs.id = job JOIN texts AS runs ON runs.id = run WHERE jobs.text <> '' GROUP BY run, job"""
_REPORTED = f"""SELECT count(DISTINCT results.cell) FROM results JOIN sessions ON sessions.id = results.session
    JOIN texts AS jobs ON jobs.id = sessions.job
    WHERE results.run = (SELECT id FROM texts WHERE text = ?1) AND results.kind IN {_KINDS} AND jobs.text = ?2"""
