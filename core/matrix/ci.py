# SPDX-License-Identifier: Apache-2.0
"""What CI runs by itself of a checkout: the scheduled jobs, and which tests they select now or would select."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.matrix.index import Matrix
from core.matrix.jobs import Selector, gained_and_lost
from core.matrix.jobs_read import read_selector
from core.matrix.markers import groups
from core.model import Entry, Finding
from core.sources.model_info import ModelInfos
from core.sources.presets import Job
from core.sources.presets_jobs import read_jobs, scheduled


@dataclass(frozen=True, slots=True)
class Ci:
    """The scheduled jobs of a checkout over one matrix."""

    jobs: tuple[Job, ...]
    selector: Selector
    findings: tuple[Finding, ...] = ()

    def of(self, id: str) -> tuple[Job, ...]:
        """The scheduled jobs that select a test."""
        return tuple(dict.fromkeys(job for job, _ in self.selector.jobs(self.jobs, id)))

    def under(self, entries: Mapping[str, Entry]) -> "Ci":
        """The same, if `entries` were the ones that count."""
        return replace(self, selector=self.selector.with_entries(entries))

    def gained_and_lost(self, after: "Ci", id: str) -> tuple[list[Job], list[Job]]:
        """The jobs a test gains and loses from here to `after`."""
        return gained_and_lost(self.selector, after.selector, self.jobs, id)


def read_ci(matrix: Matrix, infos: ModelInfos) -> Ci:
    """Read the presets and workflows of the checkout. What is broken in them becomes findings."""
    jobs, job_findings = read_jobs(matrix.checkout)
    selector, selector_findings = read_selector(matrix, groups(infos.known))
    return Ci(scheduled(jobs), selector, (*job_findings, *selector_findings))


def job_name(job: Job) -> str:
    """A job in one line: its preset, name and machine; the marks tell apart those that share all three."""
    return f"{job.file}: {job.name} on {job.runs_on} ({job.test_mark})"
