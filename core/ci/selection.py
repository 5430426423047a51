# SPDX-License-Identifier: Apache-2.0
"""Which jobs select which rows of a matrix, stored in kilobytes: a few hundred sets of jobs cover all rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.matrix import NO_ARCH, FlagColumn
from core.model import Finding
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

    def of(self, row: int) -> tuple[Job, ...]:
        """The jobs that select a row under any of its functions."""
        mask = self.sets[self.codes[row]]
        return tuple(job for bit, job in enumerate(self.jobs) if mask >> bit & 1)

    def column(self, name: str, arch: str) -> FlagColumn:
        """Names of the jobs that select each row on the machine `arch` (NO_ARCH: on any); an empty name for none."""
        vocabulary = tuple(dict.fromkeys(self.names))
        wanted = [
            vocabulary.index(one) if arch in (NO_ARCH, job.runs_on) else None
            for job, one in zip(self.jobs, self.names, strict=True)
        ]
        none = 1 << len(vocabulary)
        masks = [_renamed(mask, wanted) or none for mask in self.sets]
        return FlagColumn((*vocabulary, ""), [masks[code] for code in self.codes])


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
