# SPDX-License-Identifier: Apache-2.0
"""The evidence on a workspace: what all results say of its tests, and the questions asked of them."""

import math
import time
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import core.evidence.analysis as analysis
import core.evidence.github as github
import core.evidence.nightly as nightly
import core.evidence.progress as progress
import core.evidence.proposals as proposals
import core.evidence.verdicts as verdicts
from core import evidence, history, issues, ops, providers, sessions, workflows
from core.base.checked_numbers import day_of
from core.base.errors import TTMatrixError
from core.base.settings import Paths
from core.matrix import KINDS, row_kind
from core.sources import Checkout, Git, ci, may_bring, stamp_of
from core.workspace.lasting import Lasting, once
from core.workspace.workspace import Workspace

if TYPE_CHECKING:
    from core.evidence import CiJob, CiRun, Observation, Page, Results
    from core.evidence.analysis import (
        BackendComparison,
        BackendNumbers,
        Between,
        CellCourse,
        CellFailure,
        Cluster,
        Commits,
        Comparison,
        Due,
        Night,
        SinceLine,
    )
    from core.evidence.github import Lookups
    from core.evidence.nightly import Night as Nightly, PresetRow, Versions
    from core.evidence.progress import ProgressReader
    from core.evidence.proposals import CaseEvidence, CellRuns, InboxItem, Progress, Shared, Worklist, WorklistReader
    from core.evidence.verdicts import Judgement, OpVerdicts, Policy, Verdicts
    from core.issues import IssueState
    from core.matrix import Matrix
    from core.matrix.query import Learned, VerdictColumns
    from core.runs.planning import LaunchPlan
    from core.runs.store import RunRecord
    from core.sessions import Accuracy, SessionPlan, Slot
    from core.workflows import WorkflowContext

_STRIP = 30
"""So many results of a cell are in its strip."""


class JobTests(NamedTuple):
    """The tests of one job of CI."""

    row: "PresetRow | None"
    """The row of a preset that it is, at the head of its run."""
    expected: tuple[str, ...] | None
    """Ids of the tests that it should have run; None: `unknown` says why that is not known."""
    reported: tuple[str, ...]
    unknown: str

    @property
    def without_result(self) -> tuple[str, ...]:
        """What it should have run, and did not report."""
        known = {*self.reported}
        return tuple(id for id in self.expected or () if id not in known)


@dataclass(frozen=True, slots=True)
class CellSince:
    """Since when a cell ends as it does, and what happened then."""

    course: "CellCourse"
    together: int
    """How many other cells began to fail in the same run; 0 for one that passes."""
    commits: "tuple[Commits, ...]"

    @property
    def lines(self) -> "list[SinceLine]":
        """The same for a person."""
        return list(analysis.since_lines(self.course, self.together, self.commits))


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """Two runs compared."""

    before: str
    after: str
    comparison: "Comparison"
    commits: "Between"
    models: "Between"


@dataclass(frozen=True, slots=True)
class CasesCompared:
    """Op cases on two backends."""

    backends: tuple[str, ...]
    """The backends on which any of them has a result."""
    comparison: "BackendComparison"


class _Judges(Protocol):
    def all_judged(
        self, on: Workspace, results: "Results", policy: "Policy"
    ) -> "Mapping[str, Sequence[Judgement]]": ...

    def row_ids(self, on: Workspace, found: "Sequence[Observation]") -> Sequence[str]: ...


class Evidence(Lasting):
    """One look at all results of a workspace: verdicts, and answers to questions asked of many results.

    The rule for threads is that of `Workspace`. `look` takes in new results.
    """

    def __init__(self, workspace: Workspace, *, as_of: float | None = None, left_out: Collection[str] = ()) -> None:
        """Later results than `as_of`, in seconds since the epoch, and those of the machines `left_out` do not count."""
        super().__init__(workspace.lock)
        self.workspace = workspace
        self.as_of = as_of
        self.left_out = frozenset(left_out)
        self._narrower: Evidence | None = None
        """The last answer of `without`."""

    def without(self, hosts: Collection[str]) -> "Evidence":
        """The same look without the results of these machines."""
        if self.left_out.issuperset(hosts):
            return self
        with self.lock:
            found = self._narrower
            if found is None or found.left_out != self.left_out.union(hosts):
                found = Evidence(self.workspace, as_of=self.as_of, left_out=self.left_out.union(hosts))
                # Not another look.
                found.__dict__.update(policy=self.policy, ended_runs=self.ended_runs)
                self._narrower = found
            return found

    @once
    def stamp(self) -> object:
        """A value that changes whenever another look could show something else."""
        file, heads = evidence.evidence_store(*self._place).file, self.workspace.head_stamps
        return stamp_of(file), heads, self.policy, [one.spec.run_id for one in self.ended_runs]

    @property
    def now(self) -> float:
        """The moment that ages are counted to, in seconds since the epoch."""
        return time.time() if self.as_of is None else self.as_of

    @property
    def _place(self) -> tuple[Checkout, Paths]:
        return self.workspace.checkout, self.workspace.paths

    # Results, and what they mean

    @once
    def ended_runs(self) -> "list[RunRecord]":
        """The runs of the checkout that have ended, newest first: what evidence and numbers are made of."""
        return self.workspace.own_runs(self.workspace.store.ended())

    @once
    def policy(self) -> "Policy":
        """The policy of the checkout. Raises TTMatrixError if it has a mistake."""
        return evidence.policy_of(*self._place).policy

    @once
    def results(self) -> "Results":
        """All results of the checkout's cells, from CI reports and from runs here."""
        known, counts = evidence.evidence_store(*self._place), self.policy.cpu_counts_as_device
        found = evidence.results_of(known, self.ended_runs, self.workspace.checkout, cpu_counts=counts)
        found = found if self.as_of is None else found.until(self.as_of)
        return found.without(self.left_out)

    @once
    def results_beside(self) -> "Results":
        """All results of tests beside the matrix, which have no entries: hand-written tests, benchmarks, unit tests."""
        found = evidence.handwritten_results(*self._place, self.ended_runs)
        found = found if self.as_of is None else found.until(self.as_of)
        return found.without({*self.left_out, *self.policy.ignored_hosts})

    @once
    def judged_beside(self) -> "Mapping[str, Sequence[Judgement]]":
        """What these results mean for the rows that they are of, by id."""
        judges = (cast(_Judges, row_kind(name)) for name in KINDS)
        found = (one.all_judged(self.workspace, self.results_beside, self.policy) for one in judges)
        return {id: judged for some in found for id, judged in some.items() if judged}

    @once
    def _cases(self) -> "_Cases":
        return _Cases(self.workspace, self.results, self.policy)

    @property
    def op_verdicts(self) -> "OpVerdicts":
        """The verdicts on op cases, by backend."""
        return self._cases.verdicts

    @once
    def verdicts(self) -> "Verdicts":
        """The verdicts on every cell; those on op cases when they are first asked for."""
        # Only the verdicts on all that is known now are needed again.
        now = self.as_of is None and not self.left_out
        saved = evidence.saved_verdicts(*self._place) if now else None
        cases = self._cases
        found = self.workspace.matrix, self.results, self.policy, self.workspace.selected, saved
        return verdicts.Verdicts(*found, lambda: cases.verdicts)

    @once
    def all_verdicts(self) -> "Verdicts":
        """The same with all that a screen asks of them in the app's own thread."""
        _ = self.verdicts.gaps
        if self.verdicts.on_cases:
            _ = self.verdicts.on_cases.judged
        return self.verdicts

    @property
    def issue_states(self) -> "Mapping[str, IssueState]":
        """What is known of issues, by name; none was closed after the day that counts."""
        states = self.workspace.issue_states
        return states if self.as_of is None else issues.states_on(states, day_of(self.as_of))

    @property
    def due(self) -> "Sequence[Due]":
        """The notes that an entry is to be as before whose issue is closed."""
        return analysis.due_notes(self.workspace.reminders, self.issue_states)

    @property
    def ages(self) -> Mapping[str, int] | None:
        """For how many days the status of each entry has been the same; None if git cannot tell."""
        try:
            return history.ages(self.workspace.history, self.now)
        except TTMatrixError:
            return None

    # Columns

    def columns(self, on: "Matrix", names: Iterable[str]) -> "Learned":
        """The columns of these providers about the rows of `on`, a matrix of the checkout."""
        wanted = tuple(names)
        with self.lock:
            ages = providers.HISTORY if self.as_of is not None else ""
            asked = [one for one in wanted if one != ages]
            found = providers.compute_columns(self.workspace.cache, on, asked, self.judged)
            # The provider itself counts ages to the present.
            past = {ages: providers.history_columns(self.workspace.history, self.now)} if ages in wanted else {}
            return {**found, **past}

    def judged(self, on: "Matrix") -> "VerdictColumns":
        """What results say of the rows of a matrix of model tests, with the newest performance numbers."""
        with self.lock:
            mine = on is self.workspace.matrix
            own = self if mine else Evidence(self.workspace.replaced(on), as_of=self.as_of, left_out=self.left_out)
            runs = [one for one in self.ended_runs if (one.started or 0.0) <= self._end]
            reports = [one for one in self.workspace.performance_reports if one.when <= self._end]
            facts = replace(own.verdicts.facts(), judge_alone=own._words_beside)
            return analysis.with_numbers(facts, runs, reports)

    def _words_beside(self) -> Mapping[str, Mapping[str, str]]:
        return {id: {one.arch: str(one.verdict) for one in judged} for id, judged in self.judged_beside.items()}

    @property
    def _end(self) -> float:
        return math.inf if self.as_of is None else self.as_of

    # Questions

    def since(self, id: str, archs: Collection[str] = ()) -> list[CellSince]:
        """Since when a test ends as it does on each of these archs, or on all, and the commits between."""
        with self.lock:
            known = self.verdicts
            series = {arch: one for arch, one in known.series(id).items() if not archs or arch in archs}
            found = [(one, self._together(one)) for one in analysis.courses_of(series, known.absent(id, series))]
        return [CellSince(*one, analysis.commits_of(one[0], self.workspace.checkout)) for one in found]

    def since_of(self, rows: "Iterable[Observation]", archs: Collection[str] = ()) -> list[CellSince]:
        """The same of a row beside the matrix, from its results."""
        found: dict[str, list[Observation]] = {}
        for row in sorted(rows, key=lambda row: row.when):
            if not row.profile and (not archs or row.arch in archs):
                found.setdefault(row.arch, []).append(row)
        series = {arch: evidence.Series(some) for arch, some in found.items()}
        return [
            CellSince(one, 0, analysis.commits_of(one, self.workspace.checkout)) for one in analysis.courses_of(series)
        ]

    def _together(self, one: "CellCourse") -> int:
        if not one.failing or one.before is None:
            return 0
        return analysis.broken_together(one.since, self.verdicts.counting.turned_in(one.since.run))

    def last_two_runs(self, arch: str = "") -> tuple[str, str] | None:
        """The last two runs with results of model tests, else the last two, the earlier one first; None: too few."""
        for cases in (False, True):
            found = self.results.runs(arch, cases=cases)
            if len(found) > 1:
                return found[1], found[0]
        return None

    def with_neighbour(self, run: str) -> tuple[str, str] | None:
        """A run after the one before it of its sort; the first of all before the next one. None: there is no other."""
        of_tests = frozenset(self.results.runs(cases=False))
        runs = [one for one in self.results.runs() if (one in of_tests) is (run in of_tests)]
        at = runs.index(run) if run in runs else len(runs)
        if at + 1 < len(runs):
            return runs[at + 1], run
        return (run, runs[at - 1]) if 0 < at < len(runs) else None

    def compare(self, before: str, after: str, arch: str = "") -> RunsCompared:
        """Two runs, cell by cell, on one arch or on all, and the commits between them."""
        old, new = ([row for row in self.results.of_run(name) if arch in ("", row.arch)] for name in (before, after))
        with self.lock:
            found = analysis.compare(old, new, lambda row: self.verdicts.is_gone(row, after))
        return RunsCompared(before, after, found, *analysis.between(self.workspace.checkout, old, new))

    def compare_cases(self, ids: Sequence[str], names: Sequence[str] = ()) -> CasesCompared:
        """The last results of op cases on two backends, by default on eager and the one with most results.

        Raises UsageError if there are no two.
        """
        last = self.results.last_of_cases()
        known = analysis.backends_of(last, ids)
        return CasesCompared(known, analysis.compare_backends(last, ids, analysis.two_backends(names, known)))

    def newest_of(self, ids: Collection[str]) -> "list[Observation]":
        """The newest results of tests and op cases, at least one of each cell that has any."""
        known = self.workspace.matrix.rows
        models = [id for id in ids if id in known]
        found = self.results.recent(models, verdicts.MODEL_TESTS, 1, 1, count_older=False)
        rows = [row for _, recent in found for row in recent.rows]
        return [*rows, *(row for id in ids if id not in known for row in self.results.of_test(id))]

    def job_of(self, rows: "Iterable[Observation]") -> "tuple[CiRun, int, Observation] | None":
        """The run and the job of the newest of some results that names one, with that result; None: none does."""
        runs = {run.name: run for run in self.ci_runs}
        for row in sorted(rows, key=lambda row: row.when, reverse=True):
            job = evidence.job_id(row.source)
            if job is not None and row.run in runs:
                return runs[row.run], job, row
        return None

    def pages(self, cells: "Iterable[tuple[str, str, str]]") -> Mapping[tuple[str, str, str], str]:
        """The pages of the jobs of cells, each given by its id, arch and run; without those that have none."""
        by_run: dict[str, set[tuple[str, str]]] = {}
        for id, arch, run in cells:
            by_run.setdefault(run, set()).add((id, arch))
        rows = (row for run, wanted in by_run.items() for row in self.results.of_run(run) if row.cell in wanted)
        return {(*row.cell, row.run): page for row in rows if (page := evidence.page_of([row]).url)}

    def page_of_run(self, name: str) -> "Page":
        """The page of a run of CI."""
        found = next((one.url for one in self.ci_runs if one.name == name), "")
        return evidence.Page(found) if found else evidence.page_of(self.results.of_run(name))

    @property
    def ci_runs(self) -> "list[CiRun]":
        """The runs of CI that are known, newest first."""
        return evidence.CiStore(evidence.evidence_store(*self._place)).runs()

    def night(self, run: "CiRun", base: "CiRun | None" = None, *, looked: "Lookups | None" = None) -> "Nightly":
        """A run of CI against `base`, or against the run before it of its workflow. Waits only for the matrix.

        `looked` may ask GitHub for versions that no clone here knows.
        """
        matrix, place = self.workspace.matrix, self._place
        stores = evidence.evidence_store(*place), evidence.handwritten_store(*place)
        source = nightly.Source(
            evidence.CiStore(stores[0]),
            stores,
            lambda: self.workspace.performance_reports,
            partial(self.between, looked=looked),
            matrix.schema.archs,
            lambda cells: nightly.known_of(cells, stores, matrix.entries.get),
            partial(ci.presets_at, self.workspace.checkout),
        )
        return nightly.read_night(source, run, base)

    def newest_night(self) -> "Nightly | None":
        """The newest nightly, read once for all who ask until there is more; None: none is known."""
        run = nightly.newest_night(self.ci_runs)
        if run is None:
            return None
        workspace, place = self.workspace, self._place
        stores = evidence.evidence_store(*place), evidence.handwritten_store(*place)
        files = (*(one.file for one in stores), evidence.performance_store(*place).file, self.lookups_file)
        stamp = run, *map(stamp_of, files)
        # The screen may ask while it is read ahead.
        with workspace.night_lock:
            known = workspace.newest_night
            if known is None or known[0] != stamp:
                known = workspace.newest_night = stamp, self.night(run)
            return known[1]

    def between(self, before: str, after: str, looked: "Lookups | None" = None) -> "Versions":
        """What lies between two commits of tt-xla: from clones, and what GitHub has said before."""
        looked = looked or github.Lookups(self.lookups_file)
        repository = next((one.repository for one in self.ci_runs if one.repository), "")
        return nightly.versions_between(self.workspace.checkout, looked, repository, before, after)

    @property
    def lookups_file(self) -> Path:
        """Where is stored what GitHub has said of commits."""
        file = evidence.store_file(self.workspace.paths.evidence, self.workspace.checkout.root)
        return file.with_name(f"{file.stem}-github-versions.json")

    def job_tests(self, run: "CiRun", job: "CiJob") -> "JobTests":
        """What a job of CI should have run, at the commit of its run, and what it reported."""
        stores = evidence.evidence_store(*self._place), evidence.handwritten_store(*self._place)
        rows = (row for store in stores for row in store.of_run(run.name))
        reported = tuple(dict.fromkeys(row.test_id for row in rows if evidence.job_id(row.source) == job.id))
        presets = ci.presets_at(self.workspace.checkout, run.commit)
        if presets is None:
            lacking = may_bring(Git(self.workspace.checkout.root), run.commit)
            return JobTests(None, None, reported, f"the clone does not have the head of the run{lacking}")
        found = nightly.row_of(job.parts, presets)
        if found is None:
            return JobTests(None, None, reported, "no preset has its row at the head of the run")
        try:
            planned = self.workspace.states.at(run.commit).planned.get(found.row, ())
        except TTMatrixError as error:
            return JobTests(found, None, reported, f"{error.title}: {error.detail}")
        ids = dict.fromkeys(id for id, group in planned if None in (group, found.group) or group == found.group)
        return JobTests(found, tuple(ids), reported, "")

    @once
    def clusters(self) -> "tuple[Cluster, ...]":
        """Clusters of failures with the same cause, over all cells."""
        failures = analysis.last_failures(self.results.without(self.policy.ignored_hosts))
        return analysis.find_clusters(self.workspace.matrix, [*failures, *self._failures_beside()])

    def _failures_beside(self) -> "Sequence[CellFailure]":
        """Those of tests beside the matrix, with the ids of their rows: reports name a benchmark by its test."""
        found = [*analysis.last_failures(self.results_beside)]
        for name in KINDS if found else ():
            ids = cast(_Judges, row_kind(name)).row_ids(self.workspace, [one.row for one in found])
            found = [one.named(id) for one, id in zip(found, ids, strict=True)]
        return sorted(found, key=lambda one: one.row.when)

    @once
    def case_evidence(self) -> "CaseEvidence | None":
        """What results say of op cases; None without any."""
        if not self.results.has_cases:
            return None
        found = self.op_verdicts
        rows = (found.rows[id] for id in found.judged)
        return proposals.CaseEvidence(found, ops.written_cases(self.workspace.checkout.root, rows))

    def worklist_steps(self, reader: "WorklistReader") -> "Generator[Progress, None, Worklist]":
        """What is to be decided, step by step: `reader` knows what it has worked out before."""
        with self.lock:
            known, jobs, cases, ages, due = self.verdicts, self.workspace.ci, self.case_evidence, self.ages, self.due
        return (yield from reader.read(known, jobs, cases=cases, ages=ages, due=due))

    def strips(self, ids: Collection[str]) -> "Mapping[tuple[str, str], list[Observation]]":
        """The newest results of every cell of these tests, also those from before their behaviour changed."""
        results = self.results.without(self.policy.ignored_hosts)
        found: dict[tuple[str, str], list[Observation]] = {}
        for _, recent in results.recent(ids, verdicts.MODEL_TESTS, _STRIP, 0, count_older=False):
            for row in recent.rows:
                found.setdefault(row.cell, []).append(row)
        return found

    def shared(self, items: "Sequence[InboxItem]") -> "tuple[Shared, Sequence[Commits]]":
        """What tests with one cause have in common, and the commits since which it is so."""
        found = proposals.shared_by(items, self.results)
        if found.before is None or found.first is None:
            return found, ()
        return found, analysis.commits_between(found.before, found.first, self.workspace.checkout)

    def case_numbers(self) -> "list[BackendNumbers]":
        """The numbers of all op cases with results, by backend."""
        with self.lock:
            rows = self.workspace.op_tests.rows
            seen = verdicts.results_that_count({row.id: row for row in rows}, self.results.of_cases())
            return analysis.measure_results(rows, seen, enabled_ops=self.workspace.settings.enabled_ops)

    def nights(self, since: float) -> "Mapping[str, Sequence[Night]]":
        """The results of op cases on each day from a moment on, in seconds since the epoch."""
        return analysis.nights(self.results.of_cases(), since)

    def progress_reader(self) -> "ProgressReader":
        """How things went, to be asked for periods. Without git history it tells of no entries over time."""
        store = evidence.evidence_store(*self._place)
        store = store if self.as_of is None else store.until(self.as_of)
        with self.lock:
            try:
                entries = self.workspace.history
            except TTMatrixError:
                entries = None
            return progress.ProgressReader(store, self.verdicts, lambda: self.workspace.model_infos, entries)

    def world(self, arch: str) -> "WorkflowContext":
        """The checkout as workflows see it."""
        workspace = self.workspace
        return workflows.WorkflowContext(
            workspace.matrix,
            workspace.model_infos,
            workspace.settings,
            workspace.store,
            arch,
            stand_in=self.policy.cpu_counts_as_device,
        )

    # Runs that would show more

    def plan_lacking(self, judgements: "Iterable[Judgement]") -> "LaunchPlan":
        """Device runs that fill what is not known of cells. Raises TTMatrixError if none can be run here."""
        return self.plan_cells(proposals.lacking(judgements, self.policy.minimum_runs))

    def plan_cells(self, wanted: "Iterable[CellRuns]") -> "LaunchPlan":
        """Device runs of cells, as often as wanted. Raises TTMatrixError if none can be run here."""
        workspace = self.workspace
        root = workspace.store.root
        return proposals.plan_reruns(workspace.matrix, wanted, workspace.settings, root, workspace.run_records)

    def plan_session(
        self, ids: Iterable[str], slots: "Sequence[Slot]", arch: str, days: float | None = None
    ) -> "tuple[SessionPlan, Accuracy]":
        """The runs of tests that fit into slots, and how good earlier estimates were.

        Newer results than `days` are recent; None: than a week.
        """
        workspace = self.workspace
        with self.lock:
            known, recent = workspace.run_records, sessions.RECENT_DAYS if days is None else days
            plan = sessions.plan_session(self.verdicts, ids, slots, arch, known, workspace.tree, recent)
            return plan, sessions.accuracy(known, "device")


class _Cases(Lasting):
    """The verdicts on op cases, apart from `Evidence`: verdicts that referred back to it would be a cycle."""

    def __init__(self, workspace: Workspace, results: "Results", policy: "Policy") -> None:
        super().__init__(workspace.lock)
        self._workspace = workspace
        self._results = results
        self._policy = policy

    @once
    def verdicts(self) -> "OpVerdicts":
        return verdicts.OpVerdicts(self._workspace.op_tests, self._results.of_cases(), self._policy)


def look(workspace: Workspace, known: Evidence | None = None) -> Evidence:
    """The evidence on a workspace as of now: `known` if another look would show the same."""
    fresh = Evidence(workspace)
    # Of the moment before results are read: results that arrive meanwhile are noticed at the next look.
    stamp = fresh.stamp
    return known if known is not None and known.workspace is workspace and known.stamp == stamp else fresh
