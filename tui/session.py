# SPDX-License-Identifier: Apache-2.0
"""What the screens share: the view of one checkout, the pending edits, the runs; built once, only here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import core.evidence.analysis as analysis
import core.matrix
from core import ci, doctor, edits, evidence, handwritten, history, ops, providers, runs, states, workflows
from core.edits import pending
from core.errors import TTMatrixError
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Facts, Learned, Query
from core.matrix.view import Saved, View, change_saved, read_saved
from core.runs import execution, planning, store
from core.settings import Paths, Settings
from core.sources import Checkout, stamp_of
from tui.per_matrix import PerMatrix

if TYPE_CHECKING:
    from core.ci import Ci, Selected
    from core.edits import Cited, Operation, Present
    from core.edits.pending import Change, Conflict, Pending, Workbench
    from core.evidence import PerfReport
    from core.evidence.analysis import Series
    from core.evidence.verdicts import Verdicts
    from core.handwritten import Known
    from core.history import Timeline, Week
    from core.hosts import Host
    from core.matrix import Detail
    from core.model import Finding
    from core.ops import OpTests
    from core.runs import Age, TreeReader
    from core.runs.cluster import ClusterStatus
    from core.runs.planning import LaunchPlan, Sources
    from core.runs.store import RunRecord, RunStore
    from core.sources import Stamps
    from core.sources.downloads import Fetched
    from core.states import States
    from core.workflows import WorkflowContext

T = TypeVar("T")

# The first frame shows the matrix, and only that: what else there is comes from faces, which load it when it is used.


@dataclass
class Session:
    """One person looking at one checkout."""

    view: View
    paths: Paths
    settings: Settings
    saved: Saved = field(default_factory=Saved)
    """The person's saved views and columns."""
    verdicts: Verdicts | None = None
    """What all results say of the cells, once somebody has wanted to know."""
    last_started: str = ""
    """The first run of what was started here last."""
    all_runs: list[RunRecord] = field(default_factory=list)
    """Of every checkout, as of the last look at the store (`tui.app.polling`), newest first."""
    runs: list[RunRecord] = field(default_factory=list)
    """Those of this checkout."""
    ages: Mapping[str, Age] = field(default_factory=dict)
    """How far the tree of a run is from the present one, by run id; what shows the present tree has none."""
    repository: str = ""
    """The first commit of the checkout, once git was asked; empty before."""
    lease_text: str = ""
    """How long the person still has this machine, or the first of those that are up; empty: for good."""
    hosts: Sequence[Host] = ()
    """Those of the hosts file."""
    cluster: ClusterStatus | None = None
    """How those are that are up; None: none is to be."""
    read_only: bool = False
    """Whether nothing is to be edited, run or saved here."""
    edited: frozenset[str] = frozenset()
    """Ids that pending changes are about."""
    marks_known: bool = False
    """Whether what was marked when the app was left has been read."""
    awaited_marks: set[str] = field(default_factory=set)
    """Marks of before on ids that have no row: op cases may still be read."""
    open_changes: int = 0
    """How many pending changes are not rejected."""
    one_at_a_time: threading.RLock = field(default_factory=threading.RLock)
    """What several threads want is worked out by the first; the others find what it has saved."""
    _bench: Workbench | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _fetched: tuple[Matrix, dict[str, Fetched]] | None = None
    _reports: tuple[object, Sequence[PerfReport]] | None = None
    """The stamp of the reports of performance, and they."""
    _present: tuple[Matrix, Present] | None = None
    _conflicts: dict[int, tuple[Change, Present, Sequence[Conflict]]] = field(default_factory=dict)

    @classmethod
    def open(cls, matrix: Matrix, paths: Paths, settings: Settings, *, query: str = "", arch: str = "") -> Session:
        """Start on `matrix`. Raises UsageError for a query or an arch that cannot be."""
        saved = read_saved(paths.views_file)
        view = View(matrix, Query.parse(query), arch)
        view.columns_of |= saved.columns
        return cls(view, paths, settings, saved)

    @cached_property
    def store(self) -> RunStore:
        return store.RunStore(self.paths.runs)

    @property
    def bench(self) -> Workbench:
        """The pending changes with their journal."""
        return self._bench or self.open_bench()

    def open_bench(self) -> Workbench:
        """Read the journal, unless that is done. Not for the app's own thread."""
        with self._opening:
            if self._bench is None:
                # The app's own thread decides: it must not wait for another instance.
                self._bench = pending.Workbench(self.checkout, self.paths.journal, patient=False)
            return self._bench

    def restore_marks(self) -> None:
        """Mark again what was marked when the app was left, as far as its rows are there. Done once."""
        if not self.marks_known:
            self.marks_known = True
            self.awaited_marks = {*self.bench.state.marks}
            self.take_awaited()

    def take_awaited(self) -> None:
        """Mark what was waiting for rows that are there now."""
        found = self.awaited_marks & self.view.matrix.rows.keys()
        self.view.marks |= found
        self.awaited_marks -= found

    def take_marks_elsewhere(self) -> None:
        """Mark and unmark what another instance on this checkout has marked and unmarked."""
        added, removed = self.bench.marks_elsewhere()
        if self.marks_known:
            self.view.marks -= removed
            self.awaited_marks = (self.awaited_marks - removed) | added
            self.take_awaited()

    def count_changes(self) -> None:
        """Take in what the pending changes are now."""
        found = self._open_changes()
        self.edited = frozenset(op.id for change in found for op in change.ops)
        self.open_changes = len(found)

    def open_changes_of(self, ids: Collection[str]) -> int:
        """How many changes of these tests wait to be decided or written."""
        wanted = self.edited.intersection(ids)
        return sum(any(op.id in wanted for op in change.ops) for change in self._open_changes()) if wanted else 0

    def _open_changes(self) -> Sequence[pending.Change]:
        return [change for change in self.pending.changes if change.decision is not pending.Decision.REJECTED]

    def save(self, change: Callable[[Saved], Saved]) -> Saved:
        """Change the person's saved views and columns. Raises TTMatrixError where that cannot be."""
        self.check_writable()
        self.saved = change_saved(self.paths.views_file, change)
        return self.saved

    @property
    def matrix(self) -> Matrix:
        """The tests of models, without what `view.matrix` has behind them."""
        return self.view.matrix.model_tests

    def is_model(self, id: str) -> bool:
        """Whether an id is that of a test of a model."""
        return id in self.matrix.rows

    def kind_of(self, id: str) -> str:
        """The kind of the row with an id; empty: the view has none with it."""
        rows = self.view.matrix
        return rows.kind_of(rows.rows[id]) if id in rows.rows else ""

    def is_of(self, kind: str) -> Callable[[str], bool]:
        """Whether an id is that of a row of that kind."""
        return lambda id: self.kind_of(id) == kind

    @cached_property
    def op_tests(self) -> PerMatrix[OpTests]:
        """All op cases in full."""
        return self._of_rows(lambda rows: ops.read_op_tests(rows.checkout.root, self.settings.ops_dirs))

    @cached_property
    def handwritten(self) -> PerMatrix[Known]:
        """All hand-written tests in full, with the jobs of CI that run them."""
        return self._of_rows(lambda _: handwritten.read_known(self.cache))

    @cached_property
    def placeholder_tests(self) -> PerMatrix[tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]]:
        """By placeholder the ids of the tests of its model."""
        return self._of_models(_placeholder_tests)

    @cached_property
    def ci(self) -> PerMatrix[Ci]:
        """The scheduled CI jobs, to ask what they would select."""
        return self._of_models(lambda matrix: _read_ci(self.cache, matrix))

    @cached_property
    def findings(self) -> PerMatrix[tuple[Finding, ...]]:
        """Everything that is wrong with the checkout; takes seconds the first time."""
        return self._of_models(lambda matrix: _examine(self.cache, matrix, self.settings.ops_dirs))

    def _of_rows(self, work: Callable[[Matrix], T]) -> PerMatrix[T]:
        return PerMatrix(lambda: self.view.matrix, self.one_at_a_time, work)

    def _of_models(self, work: Callable[[Matrix], T]) -> PerMatrix[T]:
        return PerMatrix(lambda: self.matrix, self.one_at_a_time, work)

    def fetched_of(self, id: str) -> Fetched | None:
        """What the loader of a test fetches, as of the present matrix; None until that is read."""
        known = self._fetched
        return known[1].get(id) if known is not None and known[0] is self.matrix else None

    def read_fetched(self, id: str) -> None:
        """Find out from code what the loader of a test fetches. Not for the app's own thread."""
        matrix = self.matrix
        found = core.matrix.fetched_of(matrix, id)
        known = self._fetched
        if known is None or known[0] is not matrix:
            known = matrix, {}
        known[1][id] = found
        if matrix is self.matrix:
            self._fetched = known

    def plan_handwritten(self, ids: Iterable[str]) -> LaunchPlan:
        """Runs of hand-written tests, with what is in their way. Not for the app's own thread."""
        known = self.handwritten.read().by_id
        tests = [known[id] for id in ids if id in known]
        return handwritten.plan_handwritten_runs(
            self.checkout, tests, self.settings, runs=self.store.root, arch=self.view.arch, records=self.runs
        )

    def place_of(self, id: str) -> tuple[str, int]:
        """The file of what is no test of a model, relative to the checkout, and the line at which it starts."""
        rows = self.view.matrix
        row = rows.rows[id]
        return rows.columns["file"][row], rows.line_of(row)

    @property
    def checkout(self) -> Checkout:
        return self.matrix.checkout

    @property
    def sessions(self) -> Path:
        """Where the workflow sessions of the checkout are stored."""
        return workflows.sessions_directory(self.paths.state, self.checkout.root)

    @property
    def pending(self) -> Pending:
        return self.bench.pending

    @property
    def uncommitted(self) -> tuple[Operation, ...]:
        """Operations written here and not committed yet."""
        return self.bench.state.written

    def evidence(self, ids: Collection[int]) -> Mapping[str, Sequence[Cited]]:
        """What justifies the changes `ids` and all that is not committed yet, by test id."""
        wanted = (change for change in self.pending.changes if change.id in ids)
        return {**self.bench.state.evidence, **pending.evidence_of(wanted)}

    def causes(self, ids: Collection[int]) -> Mapping[str, str]:
        """What the changes `ids` and all that is not committed yet follow from, by test id."""
        wanted = (change for change in self.pending.changes if change.id in ids)
        return {**self.bench.state.causes, **pending.causes_of(wanted)}

    @property
    def present(self) -> Present:
        """The entries of the present matrix, as changes are compared with them, and the op cases of pending changes.

        Manifests are read again when the matrix was.
        """
        rows = self.view.matrix
        if self._present is None or self._present[0] is not rows:
            self._present = rows, edits.Present(self.matrix.files)
        self._present = rows, self.bench.complete(self._present[1])
        return self._present[1]

    def present_with(self, manifests: Collection[str]) -> Present:
        """The same with these manifests, as they are now. Reads them: not for the app's own thread."""
        return self.bench.complete(edits.Present(self.matrix.files), manifests=manifests)

    def conflicts(self, change: Change) -> Sequence[Conflict]:
        """Where the files say something else by now than what a pending change was made against."""
        known = self._conflicts.get(change.id)
        if known is None or known[0] is not change or known[1] is not self.present:
            known = self._conflicts[change.id] = change, self.present, pending.conflicts(change, self.present)
        return known[2]

    @property
    def cache(self) -> Cache:
        return Cache(self.checkout, self.paths.cache / "index")

    def compute_columns(self, matrix: Matrix, names: Iterable[str]) -> Learned:
        """Ask providers of facts about `matrix` (`core.providers.base`). Not for the app's own thread."""
        wanted = tuple(names)
        with self.one_at_a_time:
            # What results say of a test depends on its jobs.
            names = dict.fromkeys("jobs" if name == providers.RUNS else name for name in wanted)
            doctor.prepare(self.cache, matrix, names)
            return providers.compute_columns(self.cache, matrix, wanted, self._judged)

    def _judged(self, matrix: Matrix) -> Facts:
        own = runs.own_runs(self.store.ended(), self.tree)
        reports = evidence.performance_store(self.checkout, self.paths).read()
        found = analysis.with_numbers(self._verdicts_on(matrix).facts(), own, reports)
        # The query asks for these on the app's own thread.
        _ = found.case_verdicts, found.known_numbers
        return found

    def performance_of(self, id: str) -> Sequence[Series]:
        """Times, throughput and memory of a test over time, from its runs here and the reports that were read."""
        file = evidence.performance_store(self.checkout, self.paths)
        stamp = stamp_of(file.file)
        if self._reports is None or self._reports[0] != stamp:
            self._reports = stamp, file.read()
        own = [one for one in self.runs if one.spec.test_id == id]
        return analysis.series_of(own, [one for one in self._reports[1] if one.test_id == id])

    def _verdicts_on(self, matrix: Matrix) -> Verdicts:
        records = self.store.ended()
        return evidence.verdicts_on(matrix, self.cache, self.paths, records, op_tests=self.op_tests.read)

    def judge(self) -> Verdicts:
        """What all results say of every cell and op case. Not for the app's own thread."""
        with self.one_at_a_time:
            found = self._verdicts_on(self.matrix)
            # The detail of a test asks for these on the app's own thread.
            _ = found.gaps
            if found.on_cases:
                _ = found.on_cases.judged
            return found

    @property
    def selected(self) -> Selected | None:
        """Which scheduled CI jobs select which tests, once that has been learned."""
        facts = self.view.learned.get("jobs")
        return facts if isinstance(facts, ci.Selected) else None

    def pull_request(self, revision: str) -> str:
        """The text of a pull request from commits that are made. Not for the app's own thread.

        Raises TTMatrixError where `revision` names no commit that changes anything.
        """
        return states.pull_request_elsewhere(self.states, revision).markdown

    @property
    def states(self) -> States:
        """Reads the checkout at other commits, without its work tree."""
        return states.States(self.cache, self.settings.ops_dirs)

    def world(self) -> WorkflowContext:
        """What workflows act upon. Takes a while the first time: not for the app's own thread."""
        with self.one_at_a_time:
            infos = providers.model_infos(self.cache, self.matrix)
        stand_in = evidence.policy_of(self.checkout, self.paths).policy.cpu_counts_as_device
        return workflows.WorkflowContext(
            self.matrix, infos, self.settings, self.store, self.view.arch, stand_in=stand_in
        )

    def sources(self, ids: Sequence[str]) -> Sources:
        """What CPU repros of `ids` fetch, and from where. Not for the app's own thread."""
        python = planning.find_interpreter(self.checkout.root, self.settings)
        return planning.sources_of(self.checkout, python, ids, starting=True)

    def read_weeks(self) -> tuple[Week, ...]:
        """Twelve weeks of entries, from git. Raises TTMatrixError where git knows nothing.

        Not for the app's own thread.
        """
        with self.one_at_a_time:
            return history.weeks(history.read_history(self.cache, self.matrix), time.time())

    def history_of(self, id: str) -> tuple[Timeline, ...]:
        """The timelines of the entries that have or had this id. As `read_weeks`."""
        with self.one_at_a_time:
            return history.read_history(self.cache, self.matrix).of(id)

    def describe(self, id: str) -> Detail:
        return core.matrix.describe(self.matrix, id)

    @cached_property
    def tree(self) -> TreeReader:
        return runs.TreeReader(self.checkout)

    def of_checkout(self, records: list[RunRecord]) -> list[RunRecord]:
        """Those of `records` that belong to this checkout."""
        return runs.of_checkout(records, self.checkout.root, self.repository)

    def read_ages(self) -> Aged:
        """How old the runs of this checkout are. Asks git: not for the app's own thread."""
        # Before the commits are read: what changes meanwhile is noticed at the next look.
        heads = {str(file): stamp_of(file) for file in self.tree.head_files()}
        own = runs.own_runs(self.all_runs, self.tree)
        return Aged(self.tree.heads().repository, runs.ages(own, self.matrix.entries, self.tree), heads)

    def last_run(self, id: str) -> RunRecord | None:
        """The newest run of a test."""
        return next((record for record in self.runs if record.spec.test_id == id), None)

    def tend(self) -> None:
        """See to it that somebody serves the queue. Raises TTMatrixError where nobody can."""
        execution.tend(self.store)

    def check_writable(self) -> None:
        """Raise TTMatrixError where the app is open read-only. Commands are refused before (`tui.effects`)."""
        if self.read_only:
            raise TTMatrixError("The app is open read-only", "Nothing was changed.")

    def write(self, ids: Sequence[int]) -> Reread:
        """Write those of the changes that are accepted, and look for them in the files.

        Raises TTMatrixError where nothing can be written.
        """
        self.check_writable()
        done = self.bench.write(ids, self.matrix.schema, self.matrix.files)
        return Reread(len(done.changes), done.missing, tuple(map(self.checkout.relative, done.files)))

    def reread(self, changes: Sequence[Sequence[Operation]], files: Sequence[str] = ()) -> Reread:
        """Look for `changes`, each given by its operations with their files, in the files as they are now."""
        lost = self.bench.missing(changes, self.matrix.schema)
        return Reread(len(changes), lost, tuple(files))


def _placeholder_tests(matrix: Matrix) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    return edits.planned_tests(matrix)


def _read_ci(cache: Cache, matrix: Matrix) -> Ci:
    return ci.read_ci(matrix, providers.model_infos(cache, matrix))


def _examine(cache: Cache, matrix: Matrix, ops_dirs: Sequence[str]) -> tuple[Finding, ...]:
    doctor.prepare(cache, matrix, [doctor.FINDINGS])
    return doctor.examine(cache, matrix, ops_dirs)


class Aged(NamedTuple):
    """What the runs of a checkout are worth now."""

    repository: str
    """Its first commit."""
    ages: Mapping[str, Age]
    heads: Stamps
    """Of the files that change when another commit is checked out."""


class Reread(NamedTuple):
    """What is found in the files after a write."""

    total: int
    """How many changes were looked for."""
    missing: tuple[Sequence[Operation], ...]
    """The operations of those that are not there."""
    files: tuple[str, ...] = ()
    """The files that were written, relative to the checkout."""
