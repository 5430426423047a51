# SPDX-License-Identifier: Apache-2.0
"""The runs of CI and their jobs in an evidence store, beside the results that they have left."""

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict

from core.base.files import parsed, typed
from core.evidence.ci_runs import CiJob, CiRun, DeadJob, Death, JobReport, JobState, latest_attempts
from core.evidence.store import EvidenceStore


class CiStore:
    """Reads and writes runs and jobs. Raises TTMatrixError as the store does."""

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    def add(self, run: CiRun, jobs: Iterable[CiJob] = ()) -> None:
        """Store a run, and its jobs; what was known of them is replaced."""
        with self._store.writing() as connection:
            values = run.id, run.workflow, run.name, json.dumps(asdict(run))
            connection.execute("INSERT OR REPLACE INTO ci_runs VALUES (?, ?, ?, ?)", values)
            rows = ((job.id, run.id, json.dumps(asdict(job))) for job in jobs)
            connection.executemany("INSERT OR REPLACE INTO ci_jobs VALUES (?, ?, ?)", rows)

    def add_reports(self, reports: Iterable[tuple[int, JobReport]]) -> None:
        """Note what jobs have left; what several artefacts of one hold is added up."""
        with self._store.writing() as connection:
            connection.executemany(
                "INSERT INTO ci_reports VALUES (?, ?, ?, ?, ?) ON CONFLICT (job) DO UPDATE SET"
                " reports = reports + excluded.reports, tests = tests + excluded.tests, cut = max(cut, excluded.cut),"
                " performance = performance + excluded.performance",
                [(job, *report) for job, report in reports],
            )

    def forget_reports(self, jobs: Collection[int]) -> None:
        """What these jobs have left is read again."""
        if jobs:
            with self._store.writing() as connection:
                connection.executemany("DELETE FROM ci_reports WHERE job = ?", [(job,) for job in jobs])

    def add_death(self, job: int, death: Death) -> None:
        """Note how a job ended."""
        with self._store.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO ci_deaths VALUES (?, ?)", (job, json.dumps(death)))

    def runs(self) -> list[CiRun]:
        """All runs that have ended, the newest first."""
        return [run for run in self._runs() if not run.is_running]

    def running(self) -> list[CiRun]:
        """Those that had not ended when GitHub was last asked, the newest first."""
        return [run for run in self._runs() if run.is_running]

    def _runs(self) -> list[CiRun]:
        with self._store.reading() as connection:
            found = [typed(parsed(text), CiRun) for (text,) in connection.execute("SELECT fields FROM ci_runs")]
        return sorted(found, key=lambda run: (run.created, run.id), reverse=True)

    def run(self, id: int) -> CiRun | None:
        """One run; None: it is not known."""
        with self._store.reading() as connection:
            found = connection.execute("SELECT fields FROM ci_runs WHERE id = ?", (id,)).fetchone()
            return typed(parsed(found[0]), CiRun) if found else None

    def jobs(self, run: int) -> list[JobState]:
        """The jobs of a run, of all attempts, each with what it has left."""
        with self._store.reading() as connection:
            rows = connection.execute(_JOBS, (run,)).fetchall()
        return [
            JobState(
                typed(parsed(fields), CiJob),
                None if tests is None else JobReport(reports, tests, bool(cut), performance),
                typed(parsed(death), Death) if death else None,
            )
            for fields, reports, tests, cut, performance, death in rows
        ]

    def deaths(self) -> list[DeadJob]:
        """The jobs with tests whose newest attempt died, the oldest first."""
        with self._store.reading() as connection:
            found = connection.execute("SELECT DISTINCT run FROM ci_jobs JOIN ci_deaths ON job = id").fetchall()
        dead = []
        for (id,) in found:
            run, states = self.run(id), {state.job.id: state for state in self.jobs(id)}
            for job in latest_attempts(state.job for state in states.values()):
                death = states[job.id].death
                if run is not None and death is not None and job.parts.mark:
                    dead.append(DeadJob(job.parts.key, run.name, run.created, death))
        return sorted(dead, key=lambda one: one.at)


_JOBS = """SELECT ci_jobs.fields, reports, tests, cut, performance, ci_deaths.fields FROM ci_jobs
    LEFT JOIN ci_reports ON ci_reports.job = ci_jobs.id LEFT JOIN ci_deaths ON ci_deaths.job = ci_jobs.id
    WHERE run = ? ORDER BY ci_jobs.id"""
