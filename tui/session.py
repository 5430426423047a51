# SPDX-License-Identifier: Apache-2.0
"""What the screens share: the view of one checkout, the pending edits, the runs; built once, held here only."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.edits.conflicts import Conflict, conflicts
from core.edits.operations import Operation
from core.edits.pending import Change, Decision, Pending, evidence_of
from core.edits.reread import missing
from core.edits.values import Present
from core.edits.workbench import Workbench
from core.matrix.cache import Cache
from core.matrix.detail import Detail, describe
from core.matrix.index import Matrix
from core.matrix.learn import RUNS, learn
from core.matrix.prepare import FINDINGS, prepare
from core.matrix.query import Query
from core.matrix.saved_views import Kept, change_kept, read_kept
from core.matrix.scope import Facts, Learned
from core.matrix.selected import Selected
from core.matrix.view import View
from core.model import Finding
from core.runs.batches import left_over, newest_batch
from core.runs.estimate import Progress, progress, with_estimates
from core.runs.launch import launch_all, tend
from core.runs.launch_plan import LaunchPlan, Options, look_ahead, plan_launch
from core.runs.plan import as_batch, plan_again
from core.runs.preflight import refuse
from core.runs.record import RunRecord
from core.runs.store import RunStore
from core.settings import Paths, Settings
from core.sources.checkout import Checkout
from core.sources.expectations import read_expectations

if TYPE_CHECKING:
    from core.evidence.verdicts import Verdicts
    from core.matrix.ci import Ci
    from core.triage.perform import World


@dataclass
class Session:
    """One person looking at one checkout."""

    view: View
    paths: Paths
    settings: Settings
    store: RunStore
    bench: Workbench
    kept: Kept = field(default_factory=Kept)
    """The person's saved views and columns."""
    verdicts: "Verdicts | None" = None
    """What all results say of the cells, once somebody has wanted to know."""
    runs: list[RunRecord] = field(default_factory=list)
    """As of the last look at the store, newest first."""
    _ci: "Ci | None" = None
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)
    """What several threads want is worked out by the first; the others find what it has kept."""
    _examined: tuple[Matrix, tuple[Finding, ...]] | None = None
    _present: tuple[Matrix, Present] | None = None
    _conflicts: dict[int, tuple[Change, Present, Sequence[Conflict]]] = field(default_factory=dict)

    @classmethod
    def open(cls, matrix: Matrix, paths: Paths, settings: Settings, *, query: str = "", arch: str = "") -> "Session":
        """Start on `matrix`. Raises UsageError for a query or an arch that cannot be."""
        kept = read_kept(paths.views_file)
        view = View(matrix, Query.parse(query), arch)
        view.columns = kept.columns or view.columns
        bench = Workbench(matrix.checkout, paths.journal)
        view.marks |= bench.desk.marks & matrix.rows.keys()
        return cls(view, paths, settings, RunStore(paths.runs), bench, kept)

    def keep(self, change: Callable[[Kept], Kept]) -> Kept:
        """Change the person's saved views and columns. Raises TTMatrixError where that cannot be."""
        self.kept = change_kept(self.paths.views_file, change)
        return self.kept

    @property
    def matrix(self) -> Matrix:
        return self.view.matrix

    @property
    def checkout(self) -> Checkout:
        return self.matrix.checkout

    @property
    def sessions(self) -> Path:
        """Where the workflows on the checkout are kept."""
        from core.triage.session import sessions_directory

        return sessions_directory(self.paths.state, self.checkout.root)

    @property
    def pending(self) -> Pending:
        return self.bench.pending

    @property
    def uncommitted(self) -> tuple[Operation, ...]:
        """Operations written here and not committed yet."""
        return self.bench.desk.written

    def evidence(self, ids: Collection[int]) -> Mapping[str, tuple[str, ...]]:
        """What justifies the changes `ids` and all that is not committed yet, a line each, by test id."""
        wanted = (change for change in self.pending.changes if change.id in ids)
        return {**self.bench.desk.evidence, **evidence_of(wanted)}

    @property
    def present(self) -> Present:
        """The entries of the present matrix, as changes are held against them."""
        if self._present is None or self._present[0] is not self.matrix:
            self._present = self.matrix, Present(self.matrix.files)
        return self._present[1]

    def conflicts(self, change: Change) -> Sequence[Conflict]:
        """Where the files say something else by now than what a pending change was made against."""
        known = self._conflicts.get(change.id)
        if known is None or known[0] is not change or known[1] is not self.present:
            known = self._conflicts[change.id] = change, self.present, conflicts(change, self.present)
        return known[2]

    @property
    def open_changes(self) -> int:
        """How many pending changes are not rejected."""
        return sum(change.decision is not Decision.REJECTED for change in self.pending.changes)

    def edited_ids(self) -> frozenset[str]:
        """Ids that pending changes are about."""
        return frozenset(op.id for change in self.pending.changes for op in change.ops)

    @property
    def cache(self) -> Cache:
        return Cache(self.checkout, self.paths.cache / "index")

    def learn(self, matrix: Matrix, names: Iterable[str]) -> Learned:
        """Ask providers of facts about `matrix` (`core.matrix.learn`). Not for the app's own thread."""
        wanted = tuple(names)
        with self.one_at_a_time:
            # What results say of a test depends on its jobs.
            prepare(self.cache, matrix, dict.fromkeys("jobs" if name == RUNS else name for name in wanted))
            return learn(self.cache, matrix, wanted, self._judged)

    def _judged(self, matrix: Matrix) -> Facts:
        from core.evidence.gather import verdicts_on

        return verdicts_on(matrix, self.cache, self.paths, self.store.records()).facts()

    @property
    def selected(self) -> Selected | None:
        """Which scheduled CI jobs select which tests, once that has been learned."""
        facts = self.view.learned.get("jobs")
        return facts if isinstance(facts, Selected) else None

    def ci(self) -> "Ci":
        """The scheduled CI jobs, to ask what they would select. Takes a while: not for the app's own thread."""
        from core.matrix.ci import read_ci
        from core.matrix.model_infos import model_infos

        with self.one_at_a_time:
            known, matrix = self._ci, self.matrix
            if known is None or known.selector.collection.matrix is not matrix:
                known = self._ci = read_ci(matrix, model_infos(self.cache, matrix))
            return known

    def world(self) -> "World":
        """What workflows act upon. Takes a while the first time: not for the app's own thread."""
        from core.matrix.model_infos import model_infos
        from core.triage.perform import World

        with self.one_at_a_time:
            infos = model_infos(self.cache, self.matrix)
        return World(self.matrix, infos, self.settings, self.store, self.view.arch)

    def examine(self) -> tuple[Finding, ...]:
        """Everything that is wrong with the checkout. Takes seconds the first time: not for the app's own thread."""
        from core.matrix.doctor import examine

        with self.one_at_a_time:
            matrix, known = self.matrix, self._examined
            if known is None or known[0] is not matrix:
                prepare(self.cache, matrix, [FINDINGS])
                known = self._examined = (matrix, examine(self.cache, matrix))
            return known[1]

    def describe(self, id: str) -> Detail:
        return describe(self.matrix, id)

    def last_run(self, id: str) -> RunRecord | None:
        """The newest run of a test."""
        return next((record for record in self.runs if record.spec.test_id == id), None)

    def plan_launch(self, ids: Iterable[str], options: Options | None = None) -> LaunchPlan:
        """What running tests would do; CPU repros unless told otherwise. Not for the app's own thread.

        Raises TTMatrixError where there is no interpreter.
        """
        chosen = options or Options(arch=self.view.arch)
        return plan_launch(self.matrix, ids, self.settings, chosen, runs=self.store.root, records=self.runs)

    def plan_again(self, records: Iterable[RunRecord]) -> LaunchPlan:
        """The very same runs once more, as one batch. Not for the app's own thread."""
        again = [plan_again(record.spec, self.store.root) for record in records]
        return look_ahead(as_batch(with_estimates(again, self.runs, {})), self.settings, runs=self.store.root)

    def tend(self) -> None:
        """See to it that somebody serves the queue. Raises TTMatrixError where nobody can."""
        tend(self.store)

    def progress(self) -> Progress:
        """How far the batches with a run that has not ended have come."""
        return progress(self.runs, time.time())

    def plan_rest(self) -> LaunchPlan:
        """What failed or did not run in the newest batch, again. Raises UsageError where there is none."""
        records = self.store.records()
        return self.plan_again(left_over(records, newest_batch(records), failures=True, undone=True))

    def start(self, plan: LaunchPlan) -> list[RunRecord]:
        """Queue planned runs, detached from us. Raises TTMatrixError where something is in the way of all of them."""
        refuse(plan.obstacles)
        return launch_all(self.store, plan.specs, provenance=plan.provenance)

    def write(self, ids: Sequence[int]) -> "Reread":
        """Write those of the changes that are accepted, and look for them in the files.

        Raises TTMatrixError where nothing can be written.
        """
        # What was renamed elsewhere is followed before it is noted what is written.
        self.bench.rebase(self._read_again())
        changes = [change.placed() for change in self.pending.accepted() if change.id in ids]
        paths = self.bench.write(ids, self.matrix.schema)
        return self.reread(changes, [self.checkout.relative(path) for path in paths])

    def reread(self, changes: Sequence[Sequence[Operation]], files: Sequence[str] = ()) -> "Reread":
        """Look for `changes`, each given by its operations with their files, in the files as they are now."""
        lost = missing(changes, self._read_again())
        return Reread(len(changes), tuple(changes[at] for at in lost), tuple(files))

    def _read_again(self) -> Present:
        return Present(read_expectations(self.checkout, self.matrix.schema))


@dataclass(frozen=True, slots=True)
class Reread:
    """What is found in the files after a write."""

    total: int
    """How many changes were looked for."""
    missing: tuple[Sequence[Operation], ...]
    """The operations of those that are not there."""
    files: tuple[str, ...] = ()
    """The files that were written, relative to the checkout."""
