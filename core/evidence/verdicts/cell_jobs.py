# SPDX-License-Identifier: Apache-2.0
"""The CI jobs that select a cell, and the runs of them that have left results."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.ci import Selected
from core.evidence.reports import arch_in
from core.evidence.store_mentions import JobRun
from core.evidence.verdicts.gaps import Cell
from core.matrix import Matrix
from core.sources.ci import Job


class CellJobs:
    """The jobs of the cells of one matrix. Without `selected`, no job is known."""

    def __init__(self, matrix: Matrix, selected: Selected | None, job_runs: Iterable[JobRun]) -> None:
        self.selected = selected
        self._rows = matrix.rows
        self._runs = _runs_by_job(job_runs) if selected else {}
        archs = matrix.schema.archs
        self._names_of_job = [_names_of(job, self._runs, archs) for job in selected.jobs] if selected else []
        self._scheduled: dict[tuple[int, str], tuple[bool | None, int]] = {}
        self._names: dict[tuple[int, str], Collection[str]] = {}

    def names(self, cell: Cell) -> Collection[str]:
        """The names, in reports, of the jobs that select a cell."""
        row = self._rows.get(cell[0])
        if row is None or self.selected is None:
            return ()
        key = self.selected.codes[row], cell[1]
        if key not in self._names:
            found = (self._names_of_job[at] for at in _selecting(self.selected, *key))
            self._names[key] = frozenset().union(*found)
        return self._names[key]

    def scheduled(self, row: int, arch: str) -> tuple[bool | None, int]:
        """Whether a job selects the cell, and how many runs of such jobs have produced results."""
        if self.selected is None:
            return None, 0
        key = self.selected.codes[row], arch
        if key not in self._scheduled:
            jobs = _selecting(self.selected, *key)
            runs = {run for at in jobs for name in self._names_of_job[at] for run in self._runs[name]}
            self._scheduled[key] = bool(jobs), len(runs)
        return self._scheduled[key]


def _selecting(selected: Selected, code: int, arch: str) -> list[int]:
    """The places of the CI jobs on `arch` among those of one selection."""
    mask = selected.sets[code]
    return [at for at, job in enumerate(selected.jobs) if mask >> at & 1 and job.runs_on == arch]


def _runs_by_job(job_runs: Iterable[JobRun]) -> Mapping[str, set[str]]:
    """The runs in which each CI job has produced results."""
    found: dict[str, set[str]] = {}
    for one in job_runs:
        found.setdefault(one.job, set()).add(one.run)
    return found


def _names_of(job: Job, names: Iterable[str], archs: Sequence[str]) -> frozenset[str]:
    """The artefacts of `job` among `names`: they are named after its runner and its mark (docs/rules.md 3.4)."""
    mark = "-" + job.test_mark.replace(" ", "_")
    return frozenset(name for name in names if name.endswith(mark) and arch_in(name, archs) == job.runs_on)
