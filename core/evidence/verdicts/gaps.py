# SPDX-License-Identifier: Apache-2.0
"""Cells without a newest result, and why: gone from the reports of their job, or the job itself is the cause.

A job may not have run since, may no longer select the test (the checkout says so), or may have been cut: it died, a
report ends too early, a group left none, or most of its tests are gone at once. All of these are about the job, not
about a test.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from core.base.text import counted
from core.domain.model import Function
from core.evidence.ci_runs import DeadJob
from core.evidence.observation import Ending
from core.evidence.results import Results
from core.evidence.series import Gap, gap_words, is_cut
from core.evidence.store_mentions import JobRun

Cell = tuple[str, str]
"""Test id and arch."""


class Absence(StrEnum):
    """Why a cell is not in the newest reports."""

    MISSING = "missing"
    """Its job ran, selects it, and reports others."""
    NOT_SELECTED = "not selected"
    """Its job no longer selects it."""
    JOB_NOT_RUN = "job not run"
    """Its job has not run since."""
    JOB_CUT = "job cut"
    """Its job ran and was cut."""


class Absent(NamedTuple):
    """Why a cell is not in the newest reports, with the words for it."""

    kind: Absence
    why: str


class Missing(NamedTuple):
    """A cell that is gone from the reports of its job."""

    id: str
    arch: str
    since: str
    """The first run that lacks it."""
    runs: int
    mentioned: float
    """When a report last mentioned it, in seconds since the epoch."""


class _Runs(NamedTuple):
    """The runs of one job, oldest first."""

    earliest: Sequence[float]
    names: Sequence[str]

    def after(self, at: float) -> Sequence[str]:
        """The runs that began after a moment."""
        return self.names[bisect_right(self.earliest, at) :]


_NO_RUNS = _Runs((), ())


class Gaps:
    """What is absent from the reports in `results`. `jobs_of` gives the names of the CI jobs that select a cell now."""

    def __init__(
        self, results: Results, functions: Collection[Function], jobs_of: Callable[[Cell], Collection[str]]
    ) -> None:
        self._results, self._jobs_of = results, jobs_of
        self._all, self._whole, self.cut = _by_job(results.job_runs)
        """`cut` says of each run of a job that was cut what is missing of it, by job and run."""
        self._mentioned = {(one.test_id, one.arch): one.at for one in results.mentions(functions)}
        self._named: dict[tuple[str, str], str] = {}
        self.cells = self._gone()
        """The cells that are missing."""

    def _gone(self) -> Mapping[Cell, Gap]:
        newest = {job: one.earliest[-1] for job, one in self._whole.items() if one.earliest}
        last = max(newest.values(), default=0.0)
        asked = [
            (cell, at)
            for cell, at in self._mentioned.items()
            if at < last and any(newest.get(job, at) > at for job in self._jobs_of(cell))
        ]
        jobs = self._results.jobs_of((*cell, at) for cell, at in asked)
        gone: dict[Cell, tuple[str, Sequence[str]]] = {}
        for cell, at in asked:
            # The job that had it: one that selects it since yesterday has not lost it.
            job = jobs.get(cell, "")
            if job in newest and job in self._jobs_of(cell) and (after := self._whole[job].after(at)):
                gone[cell] = job, after
        lost = Counter((job, after[-1]) for job, after in gone.values())
        others = self._results.reported(lost)
        for pair, count in lost.items():
            if is_cut(count, others[pair]):
                self.cut[pair] = f"{count} of its tests are gone at once"
        return {
            cell: Gap(len(after), after[0], others[job, after[-1]], self._mentioned[cell])
            for cell, (job, after) in gone.items()
            if (job, after[-1]) not in self.cut and others[job, after[-1]]
        }

    def absent(self, cell: Cell) -> Absent | None:
        """Why the newest reports do not mention a cell; None: they do, or nothing is known of its job."""
        at = self._mentioned.get(cell)
        if at is None or at >= self._newest:
            return None
        if gap := self.cells.get(cell):
            return Absent(Absence.MISSING, gap_words(gap._replace(suspect=self.suspect(cell))))
        job = self._job(cell)
        if not job:
            return None
        if job not in self._jobs_of(cell):
            return Absent(Absence.NOT_SELECTED, f"{job} no longer selects it")
        after = self._all.get(job, _NO_RUNS).after(at)
        dead = self._dead.get(job)
        if dead is not None and dead.at > at and (not after or dead.run == after[-1]):
            return Absent(Absence.JOB_CUT, f"{job} was cut in {dead.run}: it {dead.words}")
        if not after:
            return Absent(Absence.JOB_NOT_RUN, f"{job} has not run since")
        why = self.cut.get((job, after[-1]), "nothing else of it is there")
        last = self._last_before_cut(job, after[-1])
        return Absent(Absence.JOB_CUT, f"{job} was cut in {after[-1]}: {why}{f' behind {last}' if last else ''}")

    def suspect(self, cell: Cell) -> str:
        """What the reports of its job name as the cause of a gap, in words; empty: nothing.

        What crashed or hung in the first run without the cell, or where a truncated report before it ends.
        """
        gap, job = self.cells.get(cell), self._job(cell)
        if gap is None or not job:
            return ""
        between = self._all[job].after(self._mentioned[cell])
        return next(filter(None, (self._named_in(job, run) for run in between)), "")

    @cached_property
    def _dead(self) -> Mapping[str, DeadJob]:
        """The newest run of each job that died."""
        return {one.job: one for one in self._results.dead_jobs}

    @cached_property
    def _newest(self) -> float:
        reported = max((one.earliest[-1] for one in self._all.values()), default=0.0)
        return max((reported, *(one.at for one in self._dead.values())))

    def _job(self, cell: Cell) -> str:
        """The job that had a cell last; empty: unknown."""
        return self._results.jobs_of([(*cell, self._mentioned[cell])]).get(cell, "")

    def _named_in(self, job: str, run: str) -> str:
        if (job, run) not in self._named:
            last = self._last_before_cut(job, run)
            cut = f"; the truncated report of {run} ends behind {last}" if last else ""
            self._named[job, run] = _ended_words(self._results.ended_in(job, run), run) or cut
        return self._named[job, run]

    def _last_before_cut(self, job: str, run: str) -> str:
        """The last test of a truncated report; empty: none is truncated."""
        return self._results.cut_behind(job, run) if (job, run) in self.cut else ""


def _ended_words(ended: Sequence[tuple[str, Ending, str]], run: str) -> str:
    """`NET crashed in the same job in nightly-3: worker died; 2 others did`"""
    if not ended:
        return ""
    # The last one: a job that lost too many workers gives up.
    id, ending, reason = ended[-1]
    others = f"; so did {counted(len(ended) - 1, 'other test')}" if len(ended) > 1 else ""
    return f"; {id} {ending.words} in its job in {run}{f': {reason}' if reason else ''}{others}"


_COMPARED = 5
"""A run has as many reports as the most among so many runs before it, unless it was cut."""


def _by_job(
    found: Iterable[JobRun],
) -> tuple[Mapping[str, _Runs], Mapping[str, _Runs], dict[tuple[str, str], str]]:
    """The runs of each job, the whole ones among them, and what is missing of the others."""
    by_job: dict[str, list[JobRun]] = {}
    for one in sorted(found, key=attrgetter("earliest", "run")):
        by_job.setdefault(one.job, []).append(one)
    cut: dict[tuple[str, str], str] = {}
    for job, some in by_job.items():
        reports = [one.reports for one in some]
        # Most jobs have as many reports in each run.
        several = max(reports) > min(reports)
        for at, one in enumerate(some):
            most = max(reports[max(0, at - _COMPARED) : at], default=0) if several else 0
            if one.reports < most:
                cut[job, one.run] = f"{one.reports} of {most} reports"
            elif one.truncated:
                cut[job, one.run] = "a report is truncated"
    whole = {job: [one for one in some if (job, one.run) not in cut] for job, some in by_job.items()} if cut else by_job
    return _as_runs(by_job), _as_runs(whole), cut


def _as_runs(by_job: Mapping[str, Sequence[JobRun]]) -> Mapping[str, _Runs]:
    return {job: _Runs([one.earliest for one in some], [one.run for one in some]) for job, some in by_job.items()}
