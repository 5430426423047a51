# SPDX-License-Identifier: Apache-2.0
"""One run of a workflow against the run before: jobs, failures by area and cause, performance, versions."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from core.domain.areas import AREAS
from core.evidence.ci_runs import CiJob, CiRun, JobState, latest_attempts, runs_of_workflow
from core.evidence.nightly.areas import area_of_job
from core.evidence.nightly.cells import (
    Group,
    Key,
    Kind,
    NightCell,
    Rows,
    cause_of,
    groups_of,
    is_unheard,
    kind_of,
    pcc_drop,
    rows_of,
)
from core.evidence.nightly.choice import is_nightly
from core.evidence.nightly.known import Known
from core.evidence.nightly.preset_rows import PresetRow, row_of
from core.evidence.nightly.speed import Speed, silent_in, speeds_of
from core.evidence.nightly.versions import Versions
from core.evidence.observation import RAN, Ending, Observation
from core.evidence.perf_reports import PerfReport
from core.evidence.reports import arch_in
from core.evidence.store import EvidenceStore
from core.evidence.store_ci import CiStore
from core.sources.ci import Preset

_NEVER = ("skipped", "neutral")
"""How a job ended that was not to run."""
_LOOKED_BACK = 5
"""So many runs before the base are looked at for what the base does not report."""
_LEAST_FAILURES, _ALONE, _ELSEWHERE = 3, 0.5, 0.2
"""A machine fails alone if it fails so many tests, that share of all that it ran, and others at most the last share."""


class LostJob(NamedTuple):
    """A job that did not leave all that it should have, with the cells that lack a result because of it."""

    state: JobState
    area: str
    cells: tuple[Key, ...]

    @property
    def lost(self) -> bool:
        """Whether it ended without a whole report; else that could only not be read."""
        state, report = self.state, self.state.report
        told = state.death or self.skipped or (report and (report.cut or report.is_empty))
        return bool(told) or not state.job.parts.has_tests

    @property
    def skipped(self) -> bool:
        """Whether something before it failed, so that it never began."""
        return self.state.job.conclusion in _NEVER


class Machine(NamedTuple):
    """A machine that fails where others do not."""

    name: str
    failed: int
    ran: int
    elsewhere: float
    """The share of failures on the other machines."""


@dataclass(frozen=True)
class Source:
    """Where all of it is read."""

    ci: CiStore
    stores: Sequence[EvidenceStore]
    """Those of model tests and of hand-written tests."""
    performance: Callable[[], Iterable[PerfReport]]
    versions: Callable[[str, str], Versions]
    archs: Sequence[str]
    known: Callable[[Sequence[NightCell]], Mapping[Key, Known]]
    """What is known of failing cells."""
    presets: Callable[[str], Sequence[Preset] | None]
    """The presets at a commit; None: the clone does not have it."""

    def rows(self, run: CiRun) -> Rows:
        """The results of a run, with its jobs."""
        jobs = {state.job.id: state.job for state in self.ci.jobs(run.id)}
        return rows_of(chain.from_iterable(store.of_run(run.name) for store in self.stores), jobs)


@dataclass(frozen=True)
class Night:
    """One run as a morning report."""

    run: CiRun
    base: CiRun | None
    """The run that it is compared with; None: there is none of this workflow before it."""
    skipped: tuple[str, ...]
    """Runs between both that were passed over, because they have no results."""
    others: tuple[str, ...]
    """Earlier runs that cells were compared with which the base does not report."""
    jobs: tuple[JobState, ...]
    """The newest attempt of each job."""
    lost: tuple[LostJob, ...]
    absent: tuple[str, ...]
    """Jobs of the base that this run does not have, by runner and mark."""
    removed: tuple[str, ...]
    """Those of them whose rows the presets do not have any more."""
    absent_cells: tuple[Key, ...]
    groups: tuple[Group, ...]
    passed: int
    ran: int
    retried: tuple[NightCell, ...]
    """What passed only when it was repeated, in its session or by an attempt of its job."""
    drops: tuple[tuple[NightCell, float], ...]
    """What fails no more than before, with a PCC that fell, and by how much."""
    machines: tuple[Machine, ...]
    unheard: int
    """Results of which nothing is known: signal 0 of pytest-forked."""
    speeds: tuple[Speed, ...]
    silent: tuple[str, ...]
    """Benchmarks, with their archs, of which the base has numbers and this run has none."""
    versions: Versions | None
    archs: Mapping[int, str]
    """The arch of each job that has one."""
    known: Mapping[Key, Known]
    """What is known of what fails."""
    preset_rows: Mapping[int, PresetRow | None] | None
    """The row of each job with a mark, at the commit of the run; None: no preset there has one. Nothing at all: the
    clone does not have the commit."""

    @cached_property
    def test_jobs(self) -> tuple[JobState, ...]:
        """The jobs that should leave a report, without those that were skipped."""
        return tuple(one for one in self.jobs if one.job.parts.has_tests and one.job.conclusion != "skipped")

    @property
    def reported(self) -> int:
        """How many of them left a whole one."""
        without = {one.state.job.id for one in self.lost}
        return sum(one.job.id not in without for one in self.test_jobs)

    def count(self, kind: Kind) -> int:
        """How many tests are of a kind; archs count once."""
        return len({cell.id for group in self.groups if group.kind is kind for cell in group.cells})

    def of_kind(self, *kinds: Kind) -> tuple[Group, ...]:
        return tuple(group for group in self.groups if group.kind in kinds)

    @property
    def not_run(self) -> int:
        """Cells that lack a result because of their job."""
        return sum(len(one.cells) for one in self.lost) + len(self.absent_cells)

    def has_no_row(self, job: CiJob) -> bool:
        """Whether a job is of no row of a preset at the head of the run, as far as that is known."""
        return self.preset_rows is not None and self.preset_rows.get(job.id, job) is None

    @property
    def is_bad(self) -> bool:
        """Whether there is a new failure, or a group was lost."""
        gone = set(self.absent) - set(self.removed)
        return bool(self.of_kind(Kind.NEW) or gone) or any(one.lost for one in self.lost)


def read_night(source: Source, run: CiRun, base: CiRun | None = None) -> Night:
    """A run against `base`; without one, against the newest run of its workflow before it that has results.

    What somebody runs on a branch is compared with a nightly, and no nightly with it.
    """
    now = source.rows(run)
    runs = [one for one in source.ci.runs() if _order(one) < _order(run)]
    earlier = [one for one in runs_of_workflow(runs, run.workflow) if one.is_regular or one.branch == run.branch]
    # A workflow that was renamed is another one to GitHub.
    earlier = earlier or ([one for one in runs if one.is_regular and is_nightly(one)] if is_nightly(run) else [])
    skipped: list[str] = []
    before = Rows({}, {})
    if base is not None:
        before = source.rows(base)
    else:
        for one in earlier:
            before = source.rows(one)
            if before.by_key:
                base = one
                break
            skipped.append(one.name)
    older = [one for one in earlier if base is not None and _order(one) < _order(base)]
    past = _Past(source, before, base, older[:_LOOKED_BACK])
    return _Reading(source, run, now, past).night(tuple(skipped), [one.name for one in earlier])


def _order(run: CiRun) -> tuple[float, int]:
    return run.created, run.id


class _Past:
    """What cells did before: in the base, else in the newest run before it that reports them."""

    def __init__(self, source: Source, before: Rows, base: CiRun | None, older: Sequence[CiRun]) -> None:
        self.base, self.before = base, before
        self.others: set[str] = set()
        self._source, self._older = source, list(older)
        self._loaded: list[Rows] = [before]

    def of(self, key: Key) -> Observation | None:
        """The last result of a cell that says something."""
        at = 0
        while True:
            if at == len(self._loaded):
                if not self._older:
                    return None
                self._loaded.append(self._source.rows(self._older.pop(0)))
            row = self._loaded[at].by_key.get(key)
            if row is not None and (row.ending in RAN or row.ending is Ending.BROKEN) and not is_unheard(row):
                if at:
                    self.others.add(row.run)
                return row
            at += 1

    def job(self, row: Observation) -> CiJob | None:
        """The job of a result."""
        return next(filter(None, (rows.job(row) for rows in self._loaded)), None)

    @property
    def expected(self) -> Mapping[Key, Observation]:
        """The cells that a run should report, with their last results: those of the base, and of the runs before it
        whose jobs the base has lost.
        """
        found = dict(self.before.by_key)
        reported = {row.job for row in found.values()}
        for rows in self._loaded[1:]:
            found |= {key: row for key, row in rows.by_key.items() if key not in found and row.job not in reported}
        return {key: row for key, row in found.items() if row.ending is not Ending.NOT_RUN}


@dataclass
class _Reading:
    """One run being read."""

    source: Source
    run: CiRun
    now: Rows
    past: _Past

    def night(self, skipped: tuple[str, ...], earlier: Sequence[str]) -> Night:
        states = {state.job.id: state for state in self.source.ci.jobs(self.run.id)}
        jobs = tuple(states[job.id] for job in latest_attempts(state.job for state in states.values()))
        cells = [one for key, row in self.now.by_key.items() if (one := self._cell(key, row))]
        lost, absent, removed, absent_cells, missing = self._without(jobs)
        base = self.past.base
        failing = [cell for cell in cells if cell.kind is not Kind.FIXED]
        performance = [*self.source.performance()]
        return Night(
            run=self.run,
            base=base,
            skipped=skipped,
            others=tuple(sorted(self.past.others)),
            jobs=jobs,
            lost=lost,
            absent=absent,
            removed=removed,
            absent_cells=absent_cells,
            groups=groups_of([*cells, *missing]),
            passed=sum(row.ending is Ending.PASSED for row in self.now.by_key.values()),
            ran=sum(row.ending in RAN for row in self.now.by_key.values()),
            retried=tuple(self._retried()),
            drops=tuple(self._drops()),
            machines=tuple(self._machines()),
            unheard=sum(map(is_unheard, self.now.by_key.values())),
            speeds=tuple(speeds_of(self.run.name, earlier, performance)),
            silent=tuple(silent_in(self.run.name, base.name, performance)) if base else (),
            versions=self.source.versions(base.commit, self.run.commit) if base else None,
            archs={one.job.id: arch for one in jobs if (arch := self._arch(one.job))},
            known=self.source.known(failing),
            preset_rows=self._preset_rows(jobs),
        )

    def _preset_rows(self, jobs: Sequence[JobState]) -> Mapping[int, PresetRow | None] | None:
        presets = self.source.presets(self.run.commit)
        if presets is None:
            return None
        return {one.job.id: row_of(one.job.parts, presets) for one in jobs if one.job.parts.mark}

    def _arch(self, job: CiJob) -> str:
        """The arch of a job: that of the machine that was asked for, else the one in its mark."""
        return next(
            (arch for text in (job.parts.runner, job.parts.mark) if (arch := arch_in(text, self.source.archs))), ""
        )

    def _cell(self, key: Key, row: Observation) -> NightCell | None:
        was = self.past.of(key)
        kind = kind_of(was, row)
        return NightCell(kind, row, was, key[1], self.now.machine(row)) if kind else None

    def _retried(self) -> Iterator[NightCell]:
        for key, row in self.now.by_key.items():
            again = row.attempts > 1 or key in self.now.repeated
            if row.ending is Ending.FLAKY or (row.ending is Ending.PASSED and again):
                yield NightCell(Kind.FIXED, row, None, key[1], self.now.machine(row))

    def _drops(self) -> Iterator[tuple[NightCell, float]]:
        for key, row in self.now.by_key.items():
            was = self.past.of(key)
            if drop := pcc_drop(was, row):
                yield NightCell(Kind.PERSISTING, row, was, key[1], self.now.machine(row)), drop

    def _machines(self) -> Iterator[Machine]:
        """Machines that fail, against what is expected, where others do not: by runner, else by the name in reports."""
        yield from (list(self._alone(self.now.machine)) or self._alone(lambda row: row.host))

    def _alone(self, name_of: Callable[[Observation], str]) -> Iterator[Machine]:
        """Machines that fail, each against failures of the same causes elsewhere: two may be ill, each in its way."""
        ran = Counter[str]()
        causes: dict[str, Counter[str]] = {}
        for row in self.now.by_key.values():
            if row.ending in RAN and (machine := name_of(row)):
                ran[machine] += 1
                if not row.as_expected and row.ending is not Ending.FLAKY:
                    causes.setdefault(machine, Counter())[cause_of(row)] += 1
        for name, mine in sorted(causes.items(), key=lambda one: (-one[1].total(), one[0])):
            others = ran.total() - ran[name]
            alike = sum(some[cause] for other, some in causes.items() if other != name for cause in mine)
            elsewhere = alike / others if others else 1.0
            if mine.total() >= _LEAST_FAILURES and mine.total() / ran[name] >= _ALONE and elsewhere <= _ELSEWHERE:
                yield Machine(name, mine.total(), ran[name], elsewhere)

    def _without(
        self, jobs: Sequence[JobState]
    ) -> tuple[tuple[LostJob, ...], tuple[str, ...], tuple[str, ...], tuple[Key, ...], list[NightCell]]:
        """Jobs that left too little with their cells, jobs that are not there with theirs, and single missing cells."""
        told = {job.id for row in self.now.by_key.values() if (job := self.now.job(row))}
        found = {one.job.id: (one, list[Key]()) for one in jobs if _left_too_little(one, one.job.id in told)}
        waiting = [one for one, _ in found.values()]
        keys = {one.job.parts.key for one in jobs if one.job.parts.mark}
        absent: dict[str, list[Key]] = {}
        removed: set[str] = set()
        missing = []
        for key, row in self.past.expected.items():
            if key in self.now.by_key:
                continue
            if lost := self._culprit(row, waiting, keys):
                found[lost.job.id][1].append(key)
            elif row.job and jobs and row.job not in keys:
                absent.setdefault(row.job, []).append(key)
                if len(absent[row.job]) == 1 and self._is_removed(row):
                    removed.add(row.job)
            else:
                missing.append(NightCell(Kind.MISSING, row, row, key[1], ""))
        lost_jobs = [LostJob(state, area_of_job(state.job.parts), tuple(cells)) for state, cells in found.values()]
        # What was not to run, and has no cells, is no loss.
        lost_jobs = [one for one in lost_jobs if one.cells or not one.skipped]
        lost_jobs.sort(key=lambda one: (not one.lost, AREAS.index(one.area), -len(one.cells), one.state.job.name))
        cells = tuple(key for some in absent.values() for key in some)
        return tuple(lost_jobs), tuple(sorted(absent)), tuple(sorted(removed)), cells, missing

    def _is_removed(self, row: Observation) -> bool:
        """Whether the row of the job of a result has gone from the presets since."""
        before, base = self.past.job(row), self.past.base
        if before is None or base is None:
            return False
        was, now = (self.source.presets(one.commit) for one in (base, self.run))
        return bool(was and now is not None and row_of(before.parts, was) and not row_of(before.parts, now))

    def _culprit(self, row: Observation, lost: Sequence[JobState], keys: Collection[str]) -> JobState | None:
        """The job that should have reported a cell, among those that left too little."""
        before = self.past.job(row)
        alike = [one for one in lost if one.job.parts.mark and one.job.parts.key == row.job]
        named = [one for one in alike if before is not None and one.job.name == before.name]
        if alike or before is None or row.job in keys:
            return next(iter(named or alike), None)
        # It has another mark by now, or another runner of the same arch.
        same = before.parts.caller, before.parts.row, self._arch(before)
        return next(
            (one for one in lost if (one.job.parts.caller, one.job.parts.row, self._arch(one.job)) == same), None
        )


def _left_too_little(one: JobState, told: bool) -> bool:
    """Whether a job left no whole report: it failed without one, or its report could not be read, or has no tests.

    `told`: some result is known of it.
    """
    parts, report = one.job.parts, one.report
    if not parts.has_tests:
        return one.job.failed and not parts.caller.startswith("fail-")
    if report is None:
        return bool(parts.mark) or one.job.conclusion not in _NEVER
    if parts.benchmark:
        return report.cut or not report.performance
    return report.cut or not report.reports or not (report.tests or told)
