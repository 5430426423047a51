# SPDX-License-Identifier: Apache-2.0
"""Cells that are gone from the reports of their job: its newest runs report other tests and not them.

Not to be confused with a job that did not run (it has no newer run), that no longer selects the test (the checkout
says so), or that was cut (a group left no report, or most of its tests are gone at once: that is about the job).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from core.evidence.results import Results
from core.evidence.series import Gap
from core.evidence.store_mentions import JobRun
from core.model import Function

LEAST_CUT = 10
"""Fewer tests that are gone at once may each be gone for a reason of their own."""

Cell = tuple[str, str]
"""Test id and arch."""


class _Runs(NamedTuple):
    """The runs of one job, oldest first."""

    earliest: Sequence[float]
    names: Sequence[str]

    def after(self, at: float) -> Sequence[str]:
        """The runs that began after a moment."""
        return self.names[bisect_right(self.earliest, at) :]


class Gaps(NamedTuple):
    """What is gone."""

    cells: Mapping[Cell, Gap]
    cut: Collection[tuple[str, str]]
    """The runs of jobs that lack the report of a group or most of their tests, by job and run."""


def find_gaps(results: Results, functions: Collection[Function], jobs_of: Callable[[Cell], Collection[str]]) -> Gaps:
    """The cells that are gone. `jobs_of` gives the names of the CI jobs that select a cell now."""
    runs, cut = _by_job(results.job_runs())
    newest = max((one.earliest[-1] for one in runs.values() if one.earliest), default=0.0)
    behind = {(one.test_id, one.arch): one.at for one in results.mentions(functions) if one.at < newest}
    asked = [
        (cell, at) for cell, at in behind.items() if any(runs[job].after(at) for job in jobs_of(cell) if job in runs)
    ]
    last = results.jobs_of((*cell, at) for cell, at in asked)
    gone: dict[Cell, tuple[str, Sequence[str]]] = {}
    for cell, at in asked:
        # The job that had it: one that selects it since yesterday has not lost it.
        job = last.get(cell, "")
        if job in runs and job in jobs_of(cell) and (after := runs[job].after(at)):
            gone[cell] = job, after
    lost = Counter((job, after[-1]) for job, after in gone.values())
    others = results.reported(lost)
    cut |= {pair for pair, count in lost.items() if count >= LEAST_CUT and count > others[pair]}
    return Gaps(
        {
            cell: Gap(len(after), after[0], others[job, after[-1]])
            for cell, (job, after) in gone.items()
            if (job, after[-1]) not in cut and others[job, after[-1]]
        },
        cut,
    )


_COMPARED = 5
"""A run has as many reports as the most among so many runs before it, unless it was cut."""


def _by_job(found: Iterable[JobRun]) -> tuple[Mapping[str, _Runs], set[tuple[str, str]]]:
    """The whole runs of each job, and those that lack reports."""
    by_job: dict[str, list[JobRun]] = {}
    cut: set[tuple[str, str]] = set()
    for one in sorted(found, key=lambda one: (one.earliest, one.run)):
        before = by_job.setdefault(one.job, [])
        if one.reports < max((earlier.reports for earlier in before[-_COMPARED:]), default=0):
            cut.add((one.job, one.run))
        before.append(one)
    whole = {job: [one for one in some if (job, one.run) not in cut] for job, some in by_job.items()}
    return {job: _Runs([one.earliest for one in some], [one.run for one in some]) for job, some in whole.items()}, cut
