# SPDX-License-Identifier: Apache-2.0
"""What CI runs by itself of a checkout: the scheduled jobs, and which tests they select now or would select."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.matrix.columns import packed
from core.matrix.jobs import Selector, gained_and_lost
from core.matrix.jobs_read import read_selector
from core.matrix.jobs_scope import covers_models
from core.matrix.markers import groups
from core.matrix.matrix import Matrix
from core.matrix.selected import Selected
from core.model import Entry, Finding
from core.sources.model_info import ModelInfos
from core.sources.presets import Job
from core.sources.presets_jobs import Jobs, read_jobs, scheduled


@dataclass(frozen=True, slots=True)
class Ci:
    """The scheduled jobs of a checkout over one matrix."""

    jobs: Jobs
    """Only those that run by themselves, with what makes them."""
    selector: Selector
    findings: tuple[Finding, ...] = ()

    def under(self, entries: Mapping[str, Entry]) -> "Ci":
        """The same, if `entries` were the ones that count."""
        return replace(self, selector=self.selector.with_entries(entries))

    def gained_and_lost(self, after: "Ci", id: str) -> tuple[list[Job], list[Job]]:
        """The jobs a test gains and loses from here to `after`."""
        return gained_and_lost(self.selector, after.selector, tuple(self.jobs), id)


def read_ci(matrix: Matrix, infos: ModelInfos) -> Ci:
    """Read the presets and workflows of the checkout. What is broken in them becomes findings."""
    jobs, job_findings = read_jobs(matrix.checkout)
    selector, selector_findings = read_selector(matrix, groups(infos.known))
    return Ci(scheduled(jobs), selector, (*job_findings, *selector_findings))


def selected(ci: Ci) -> Selected:
    """Evaluate every job that can select a test of the matrix."""
    jobs = {job: triggers for job, triggers in ci.jobs.items() if covers_models(job.dir)}
    masks = [0] * len(ci.selector.collection.matrix.ids)
    for bit, job in enumerate(jobs):
        for item in ci.selector.items(job):
            masks[item.row] |= 1 << bit
    sets = {mask: code for code, mask in enumerate(dict.fromkeys(masks))}
    names = tuple(
        f"{job.file}: {job.name} on {job.runs_on}, {' '.join(dict.fromkeys(one.cadence for one in triggers))}"
        for job, triggers in jobs.items()
    )
    return Selected(tuple(jobs), names, tuple(sets), packed((sets[mask] for mask in masks), len(sets)), ci.findings)
