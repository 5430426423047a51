# SPDX-License-Identifier: Apache-2.0
"""Which jobs select which rows of a matrix, stored in kilobytes: a few hundred sets of jobs cover all rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from core.domain.model import Finding
from core.matrix import NO_ARCH, FlagColumn
from core.sources.ci import Job


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """The tests that all scheduled jobs select from one matrix."""

    jobs: tuple[Job, ...]
    names: tuple[str, ...]
    """The name of each job in queries; jobs that share a name are queried together."""
    sets: tuple[int, ...]
    """Sets of jobs, as bit masks over `jobs`."""
    codes: Sequence[int]
    """One index into `sets` per row."""
    findings: tuple[Finding, ...] = ()
    """Mistakes in the files that define the jobs."""
    other_jobs: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """The jobs of rows that are no model tests, by id, each with its name in queries and its machine."""

    def of(self, row: int) -> tuple[Job, ...]:
        """The jobs that select a row under any of its functions."""
        mask = self.sets[self.codes[row]]
        return tuple(job for bit, job in enumerate(self.jobs) if mask >> bit & 1)

    def column(self, name: str, arch: str) -> FlagColumn:
        """Names of the jobs that select each row on the machine `arch` (NO_ARCH: on any); an empty name for none."""
        others = {one: None for jobs in set(self.other_jobs.values()) for one, _ in jobs}
        vocabulary = tuple(dict.fromkeys((*self.names, *sorted(others))))
        wanted = [
            vocabulary.index(one) if arch in (NO_ARCH, job.runs_on) else None
            for job, one in zip(self.jobs, self.names, strict=True)
        ]
        none = 1 << len(vocabulary)
        masks = [_renamed(mask, wanted) or none for mask in self.sets]
        return FlagColumn((*vocabulary, ""), [masks[code] for code in self.codes])

    def others(self, name: str, arch: str) -> Mapping[str, tuple[str, ...]]:
        """As `column`, for rows that are no model tests."""
        return {id: _names_on(jobs, arch) for id, jobs in self.other_jobs.items()}


@cache
def _names_on(jobs: tuple[tuple[str, str], ...], arch: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, runs_on in jobs if arch in (NO_ARCH, runs_on))) or ("",)


def _renamed(mask: int, bits: Sequence[int | None]) -> int:
    """The set in which bit `i` of `mask` becomes bit `bits[i]`; bits that map to None are dropped."""
    renamed = 0
    for at, bit in enumerate(bits):
        if bit is not None and mask >> at & 1:
            renamed |= 1 << bit
    return renamed


def job_name(job: "Job") -> str:
    """A job in one line: its preset, name and machine; the test mark distinguishes jobs that share all three."""
    return f"{job.file}: {job.name} on {job.runs_on} ({job.test_mark})"
