# SPDX-License-Identifier: Apache-2.0
"""What runs and reports have shown, as the screens ask for it. Nothing here is for the app's own thread."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from core import hosts, sessions
from core.errors import TTMatrixError, UsageError
from core.evidence import Results, evidence_store, policy_of, results_of, verdicts_on
from core.evidence.analysis import (
    BackendComparison,
    Between,
    Cluster,
    Comparison,
    IssueState,
    backends_of,
    between,
    compare,
    compare_backends,
    find_clusters,
    read_states,
    two_backends,
)
from core.evidence.proposals import Agenda, CaseEvidence, CellRuns, agenda, lacking, plan_reruns
from core.evidence.verdicts import Judgement, OpVerdicts, Verdicts
from core.history import ages, read_history
from core.matrix import Matrix
from core.ops import written_cases
from core.runs.planning import LaunchPlan
from core.sessions import SessionPlan
from tui.session import Session


@dataclass(frozen=True, slots=True)
class Gathered:
    """Failures that are one."""

    clusters: tuple[Cluster, ...]
    ages: Mapping[str, int]
    """For how many days the status of each entry has been the same."""
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

    def agenda(self, left_out: frozenset[str] = frozenset()) -> Agenda:
        """What is to be decided, judged without the machines in `left_out`."""
        ci = self._session.ci()
        with self._session.one_at_a_time:
            matrix, records = self._session.matrix, self._session.store.records()
            found = verdicts_on(matrix, self._session.cache, self._session.paths, records, left_out)
            since = self._ages(matrix)
        cases = self._of_cases(left_out) if found.of_cases else None
        return agenda(found, ci, cases=cases, ages=since)

    def _of_cases(self, left_out: frozenset[str]) -> CaseEvidence:
        """What results say of op cases, judged without the machines in `left_out`."""
        session = self._session
        results = self.results().without(left_out) if left_out else self.results()
        policy = policy_of(session.checkout, session.paths).policy
        verdicts = OpVerdicts(session.read_op_tests(), results.of_cases(), policy)
        rows = (verdicts.rows[id] for id in verdicts.judged)
        return CaseEvidence(verdicts, written_cases(session.checkout.root, rows))

    def verdicts(self) -> Verdicts:
        """What all results say of every cell."""
        return self._session.judge()

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

    def plan_session(self, ids: Iterable[str], hours: float, arch: str) -> tuple[SessionPlan, LaunchPlan]:
        """The runs of tests that fit into the time left on this machine, and what starts them.

        Raises UsageError where the arch of the machine is not known, TTMatrixError where none can be run here.
        """
        session = self._session
        here = [one for one in hosts.read_hosts(session.paths.hosts_file) if one.here]
        slots = sessions.session_slots(here, session.matrix.schema.archs, arch, hours, datetime.now(UTC))
        plan = sessions.plan_session(self.verdicts(), ids, slots, arch, session.runs, session.tree)
        cells = [(one.candidate.id, one.candidate.arch, one.candidate.runs) for one in plan.placed]
        return plan, self.plan_cells(cells)

    def results(self) -> Results:
        """All that is known of cells."""
        session = self._session
        return results_of(evidence_store(session.checkout, session.paths), session.store.records(), session.checkout)

    def compare(self, names: tuple[str, str] | None) -> Compared:
        """Two runs, or the last two, compared."""
        results = self.results()
        runs = results.runs()
        if names is None and len(runs) < 2:
            nothing = Between("", "")
            return Compared(runs, "", "", Comparison((), 0), nothing, nothing)
        before, after = names or (runs[1], runs[0])
        old, new = (results.of_run(name) for name in (before, after))
        return Compared(runs, before, after, compare(old, new), *between(self._session.checkout, old, new))

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
            found = find_clusters(self._session.matrix, self.results().newest())
            return Gathered(found, self._ages(self._session.matrix) or {}, read_states(self._session.paths.issues_file))
