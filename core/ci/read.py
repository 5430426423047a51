# SPDX-License-Identifier: Apache-2.0
"""The scheduled jobs of CI for a checkout, and which tests they select now or with other entries."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from core.ci.jobs import Selector, covers_models, gained_and_lost
from core.ci.markers import GroupOf, collect, groups
from core.ci.selection import Selected
from core.domain.model import Entry, Finding
from core.matrix import Matrix, packed
from core.sources import ModelInfos
from core.sources.ci import Job, Jobs, Trigger, cadence_text, read_durations, read_jobs, read_skip_prefixes, scheduled


def read_selector(matrix: Matrix, group_of: GroupOf) -> tuple[Selector, tuple[Finding, ...]]:
    """A selector over the tests of `matrix` and its entries.

    Counts and groups match CI only if the matrix holds the collected universe; which jobs select a test does not depend
    on that.
    """
    prefixes, prefix_findings = read_skip_prefixes(matrix.checkout)
    durations, duration_findings = read_durations(matrix.checkout)
    collection = collect(matrix, group_of, prefixes)
    return Selector(collection, matrix.entries, durations), (*prefix_findings, *duration_findings)


@dataclass(frozen=True, slots=True)
class Ci:
    """The scheduled jobs of a checkout over one matrix."""

    jobs: Jobs
    """Only scheduled jobs, with the files that define them."""
    selector: Selector
    findings: tuple[Finding, ...] = ()

    def under(self, entries: Mapping[str, Entry]) -> "Ci":
        """The same jobs with `entries` in place of the present ones."""
        return replace(self, selector=self.selector.with_entries(entries))

    def gained_and_lost(self, after: "Ci", id: str) -> tuple[list[Job], list[Job]]:
        """The jobs that a test gains and loses from this state to `after`."""
        return gained_and_lost(self.selector, after.selector, tuple(self.jobs), id)

    def archs_left(self, after: "Ci", ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The archs on which tests leave CI from this state to `after`, by id; without the tests that stay.

        A scheduled job selects the test there now, and none would then: after a promotion no job may select it, see
        docs/rules.md 3.6.
        """
        named = any(job.contains for job in self.jobs)
        known: dict[Hashable, tuple[str, ...]] = {}
        left: dict[str, tuple[str, ...]] = {}
        for id in ids:
            # A few hundred kinds cover all tests.
            kind = id if named else (self.selector.kind(id), after.selector.kind(id))
            if kind not in known:
                known[kind] = self._archs_left(after, id)
            if known[kind]:
                left[id] = known[kind]
        return left

    def _archs_left(self, after: "Ci", id: str) -> tuple[str, ...]:
        had, has = ({job.runs_on for job, _ in one.selector.jobs(self.jobs, id)} for one in (self, after))
        archs = dict.fromkeys((*self.selector.collection.matrix.schema.archs, *sorted(had)))
        return tuple(arch for arch in archs if arch in had - has)


def read_ci(matrix: Matrix, infos: ModelInfos) -> Ci:
    """Read the presets and workflows of the checkout. Mistakes in them become findings."""
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
    names = tuple(query_name(job, triggers) for job, triggers in jobs.items())
    return Selected(tuple(jobs), names, tuple(sets), packed((sets[mask] for mask in masks), len(sets)), ci.findings)


def query_name(job: Job, triggers: Iterable[Trigger]) -> str:
    """The name of a job in queries; jobs that share it are queried together."""
    return f"{job.file}: {job.name} on {job.runs_on}, {cadence_text(triggers)}"
