# SPDX-License-Identifier: Apache-2.0
"""What runs and reports have shown, as the screens ask for it. Nothing here is for the app's own thread."""

import time
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from core import hosts, sessions
from core.edits import Present
from core.errors import TTMatrixError, UsageError
from core.evidence import Observation, Results, evidence_store, policy_of, results_of, verdicts_on
from core.evidence.analysis import (
    BackendComparison,
    Between,
    Cluster,
    Commits,
    Comparison,
    IssueState,
    SinceLine,
    backends_of,
    between,
    broken_together,
    commits_between,
    commits_of,
    compare,
    compare_backends,
    courses_of,
    due_notes,
    find_clusters,
    last_failures,
    measure_results,
    nights,
    read_states,
    since_lines,
    two_backends,
)
from core.evidence.progress import ProgressReader
from core.evidence.proposals import (
    Agenda,
    AgendaReader,
    CaseEvidence,
    CellRuns,
    InboxItem,
    Progress,
    Shared,
    lacking,
    plan_reruns,
    shared_by,
)
from core.evidence.verdicts import MODEL_TESTS, Judgement, OpVerdicts, Verdicts, results_that_count
from core.history import ages, read_history
from core.matrix import Matrix
from core.ops import written_cases
from core.providers import model_infos
from core.runs.planning import LaunchPlan
from core.sessions import Accuracy, SessionPlan
from core.sources import ModelInfos
from tui.session import Session
from tui.view_models import NO_OP_RESULTS, OpReport, Series

_STRIP = 30
"""So many results of a cell are in its strip."""
_HOURS = 2.0
"""A session, where nobody says how long."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Failures that are one."""

    clusters: tuple[Cluster, ...]
    now: float
    """The moment to which ages are counted, in seconds since the epoch."""
    issues: Mapping[str, IssueState]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs compared; without names there are no two."""

    runs: tuple[str, ...]
    """All that are known, the last one first."""
    before: str
    after: str
    comparison: Comparison
    commits: Between
    models: Between


@dataclass(frozen=True, slots=True)
class ComparedCases:
    """Op cases on two backends; without a comparison there are no two."""

    ids: tuple[str, ...]
    backends: tuple[str, ...]
    """All on which any of them has a result."""
    comparison: BackendComparison | None
    problem: str = ""
    """Why there is none."""


class Knowledge:
    """The evidence of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def agenda(self, reader: AgendaReader, left_out: frozenset[str] = frozenset()) -> Generator[Progress, None, Agenda]:
        """What is to be decided, judged without the machines in `left_out`; step by step."""
        ci = self._session.ci.read()
        with self._session.one_at_a_time:
            matrix, records = self._session.matrix, self._session.store.ended()
            found = verdicts_on(matrix, self._session.cache, self._session.paths, records, left_out)
            since = self._ages(matrix)
        cases = self._of_cases(left_out) if found.of_cases else None
        reminders = self._session.bench.reminders(Present(matrix.files))
        due = due_notes(reminders, read_states(self._session.paths.issues_file))
        return (yield from reader.read(found, ci, cases=cases, ages=since, due=due))

    def _of_cases(self, left_out: frozenset[str]) -> CaseEvidence:
        """What results say of op cases, judged without the machines in `left_out`."""
        session = self._session
        results = self.results().without(left_out) if left_out else self.results()
        policy = policy_of(session.checkout, session.paths).policy
        verdicts = OpVerdicts(session.op_tests.read(), results.of_cases(), policy)
        rows = (verdicts.rows[id] for id in verdicts.judged)
        return CaseEvidence(verdicts, written_cases(session.checkout.root, rows))

    def series(self, ids: Collection[str], left_out: Collection[str] = ()) -> Series:
        """The newest results of every cell of these tests, also those from before their behaviour changed."""
        policy = policy_of(self._session.checkout, self._session.paths).policy
        results = self.results().without({*policy.ignored_hosts, *left_out})
        found: dict[tuple[str, str], list[Observation]] = {}
        for _, recent in results.recent(ids, MODEL_TESTS, _STRIP, 0, count_older=False):
            for row in recent.rows:
                found.setdefault(row.cell, []).append(row)
        return found

    def shared(self, items: Sequence[InboxItem], left_out: Collection[str] = ()) -> tuple[Shared, Sequence[Commits]]:
        """What tests with one cause have in common, and the commits since which it is so."""
        found = shared_by(items, self.results().without(left_out))
        if found.before is None or found.first is None:
            return found, ()
        return found, commits_between(found.before, found.first, self._session.checkout)

    def verdicts(self) -> Verdicts:
        """What all results say of every cell."""
        return self._session.judge()

    def _without_cases(self) -> Verdicts:
        """As `verdicts`, for model tests only: nothing is judged before it is asked for."""
        session = self._session
        with session.one_at_a_time:
            return verdicts_on(session.matrix, session.cache, session.paths, session.store.ended())

    def since(self, id: str, archs: Collection[str]) -> list[SinceLine]:
        """Since when a test ends as it does on each of these archs, the commits between, and the drift of its PCC."""
        if not archs:
            return []
        checkout, verdicts = self._session.checkout, self._without_cases()
        series = {arch: one for arch, one in verdicts.series(id).items() if arch in archs}
        lines: list[SinceLine] = []
        for one in courses_of(series, verdicts.absent(id, series)):
            started = one.failing and one.before is not None
            together = broken_together(one.since, verdicts.counting.turned_in(one.since.run)) if started else 0
            lines += since_lines(one, together, commits_of(one, checkout))
        return lines

    def op_report(self, since: float, left_out: Collection[str] = ()) -> OpReport:
        """What `ttmatrix ops report` says of each backend, and the results of each day from `since` on."""
        results = self.results().without(left_out) if left_out else self.results()
        if not results.has_cases:
            return NO_OP_RESULTS
        rows = self._session.op_tests.read().rows
        found = results.of_cases()
        seen = results_that_count({row.id: row for row in rows}, found)
        numbers = measure_results(rows, seen, enabled_ops=self._session.settings.enabled_ops)
        return OpReport(numbers, nights(found, since))

    def progress_reader(self) -> ProgressReader:
        """How things went: what `ttmatrix report` says, of as many periods as are asked for."""
        session, matrix = self._session, self._session.matrix
        found = self.verdicts()
        with session.one_at_a_time:
            try:
                entries = read_history(session.cache, matrix)
            except TTMatrixError:
                entries = None

        def infos() -> ModelInfos:
            with session.one_at_a_time:
                return model_infos(session.cache, matrix)

        return ProgressReader(evidence_store(session.checkout, session.paths), found, infos, entries)

    def _ages(self, matrix: Matrix) -> Mapping[str, int] | None:
        """For how many days the status of each entry has been the same; None where git cannot tell."""
        try:
            return ages(read_history(self._session.cache, matrix), time.time())
        except TTMatrixError:
            return None

    def plan_lacking(self, judgements: Iterable[Judgement]) -> LaunchPlan:
        """Device runs that fill what is not known of cells. Raises TTMatrixError where none can be run here."""
        policy = policy_of(self._session.checkout, self._session.paths).policy
        return self.plan_cells(lacking(judgements, policy.minimum_runs))

    def plan_cells(self, wanted: Iterable[CellRuns]) -> LaunchPlan:
        """Device runs of cells, as often as wanted. Raises TTMatrixError where none can be run here."""
        session = self._session
        return plan_reruns(session.matrix, wanted, session.settings, session.store.root, session.store.records())

    def plan_session(self, ids: Iterable[str], hours: float | None, arch: str) -> tuple[SessionPlan, Accuracy]:
        """The runs of tests that fit into so many hours on the machines, and how good earlier estimates were.

        Without `hours` until the leases end, or two hours where none does. Raises UsageError where no arch is known.
        """
        session = self._session
        known = hosts.read_hosts(session.paths.hosts_file)
        if hours is None and not any(one.expires for one in known):
            hours = _HOURS
        slots = sessions.session_slots(
            known, session.matrix.schema.archs, arch, hours, datetime.fromtimestamp(time.time(), UTC)
        )
        plan = sessions.plan_session(self.verdicts(), ids, slots, arch, session.runs, session.tree)
        return plan, sessions.accuracy(session.runs, "device")

    def results(self) -> Results:
        """All that is known of cells."""
        session = self._session
        counts = policy_of(session.checkout, session.paths).policy.cpu_counts_as_device
        store = evidence_store(session.checkout, session.paths)
        return results_of(store, session.store.ended(), session.checkout, cpu_counts=counts)

    def compare(self, names: tuple[str, str] | None) -> Compared:
        """Two runs, or the last two, compared; of a run without another one, the run before it is the other."""
        results = self.results()
        runs = results.runs()
        if names and not names[0]:
            names = _with_neighbour(names[1], runs)
        if names is None and len(runs) < 2:
            nothing = Between("", "")
            return Compared(runs, "", "", Comparison((), 0), nothing, nothing)
        before, after = names or (runs[1], runs[0])
        old, new = (results.of_run(name) for name in (before, after))
        verdicts = cache(self._without_cases)
        found = compare(old, new, lambda row: verdicts().is_gone(row, after))
        return Compared(runs, before, after, found, *between(self._session.checkout, old, new))

    def compare_cases(self, ids: tuple[str, ...], names: tuple[str, str] | None) -> ComparedCases:
        """Op cases on two backends, or on eager and another one, by their last results."""
        last = self.results().last_of_cases()
        known = backends_of(last, ids)
        try:
            return ComparedCases(ids, known, compare_backends(last, ids, two_backends(names or (), known)))
        except UsageError as error:
            return ComparedCases(ids, known, None, error.detail)

    def clusters(self) -> Gathered:
        """Failures that are one, with what is known of their age and issues."""
        with self._session.one_at_a_time:
            ignored = policy_of(self._session.checkout, self._session.paths).policy.ignored_hosts
            found = find_clusters(self._session.matrix, last_failures(self.results().without(ignored)))
            return Gathered(found, time.time(), read_states(self._session.paths.issues_file))


def _with_neighbour(run: str, runs: Sequence[str]) -> tuple[str, str] | None:
    """A run behind the one before it, the first of all before the next one; `runs` are the last one first."""
    at = runs.index(run) if run in runs else len(runs)
    if at + 1 < len(runs):
        return runs[at + 1], run
    return (run, runs[at - 1]) if 0 < at < len(runs) else None
