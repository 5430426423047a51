# SPDX-License-Identifier: Apache-2.0
"""What the screens share: the view of one checkout, the pending edits, the runs; built once, held here only."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.edits.pending import Decision, Pending
from core.matrix.cache import Cache
from core.matrix.ci import Ci, read_ci
from core.matrix.detail import Detail, describe
from core.matrix.doctor import examine
from core.matrix.index import Matrix
from core.matrix.model_infos import model_infos
from core.matrix.query import Query
from core.matrix.view import View
from core.model import Finding
from core.runs.batches import left_over, newest_batch
from core.runs.estimate import Progress, progress, with_estimates
from core.runs.launch import launch_all, tend
from core.runs.plan import as_batch, plan_again, plan_test
from core.runs.record import RunRecord
from core.runs.spec import RunSpec
from core.runs.store import RunStore
from core.settings import Paths, Settings
from core.sources.checkout import Checkout


@dataclass
class Session:
    """One person looking at one checkout."""

    view: View
    paths: Paths
    settings: Settings
    store: RunStore
    pending: Pending = field(default_factory=Pending)
    uncommitted: tuple[Path, ...] = ()
    """Files written here and not committed yet."""
    runs: list[RunRecord] = field(default_factory=list)
    """As of the last look at the store, newest first."""
    _ci: Ci | None = None

    @classmethod
    def open(cls, matrix: Matrix, paths: Paths, settings: Settings, *, query: str = "", arch: str = "") -> "Session":
        """Start on `matrix`. Raises UsageError for a query or an arch that cannot be."""
        view = View(matrix, Query.parse(query), arch)
        return cls(view, paths, settings, RunStore(paths.runs))

    @property
    def matrix(self) -> Matrix:
        return self.view.matrix

    @property
    def checkout(self) -> Checkout:
        return self.matrix.checkout

    @property
    def open_changes(self) -> int:
        """How many pending changes are not rejected."""
        return sum(change.decision is not Decision.REJECTED for change in self.pending.changes)

    def edited_ids(self) -> frozenset[str]:
        """Ids that pending changes are about."""
        return frozenset(op.id for change in self.pending.changes for op in change.ops)

    def ci(self) -> Ci:
        """The scheduled CI jobs of the present matrix. Takes a second the first time: not for the app's own thread."""
        known, matrix = self.known_ci, self.matrix
        if known is None:
            infos = model_infos(Cache(matrix.checkout, self.paths.cache / "index"), matrix)
            known = self._ci = read_ci(matrix, infos)
        return known

    @property
    def known_ci(self) -> Ci | None:
        """The scheduled CI jobs, if `ci` has worked them out for the present matrix."""
        known = self._ci
        return known if known is not None and known.selector.collection.matrix is self.matrix else None

    def examine(self) -> tuple[Finding, ...]:
        """Everything that is wrong with the checkout. Takes seconds: not for the app's own thread."""
        return examine(self.matrix, self.ci())

    def describe(self, id: str) -> Detail:
        return describe(self.matrix, id)

    def last_run(self, id: str) -> RunRecord | None:
        """The newest run of a test."""
        return next((record for record in self.runs if record.spec.test_id == id), None)

    def plan(self, id: str) -> RunSpec:
        """A CPU repro of `id`. Raises TTMatrixError where it cannot be run, with the reason."""
        return plan_test(self.matrix, id, self.settings, runs=self.store.root, arch=self.view.arch)

    def tend(self) -> None:
        """See to it that somebody serves the queue. Raises TTMatrixError where nobody can."""
        tend(self.store)

    def progress(self) -> Progress:
        """How far the batches with a run that has not ended have come."""
        return progress(self.runs, time.time())

    def start_rest(self) -> list[RunRecord]:
        """Start again what failed or did not run in the newest batch. Raises UsageError where there is none."""
        records = self.store.records()
        left = left_over(records, newest_batch(records), failures=True, undone=True)
        return self.start([plan_again(record.spec, self.store.root) for record in left])

    def start(self, specs: Sequence[RunSpec]) -> list[RunRecord]:
        """Queue planned runs, detached from us."""
        return launch_all(self.store, as_batch(with_estimates(specs, self.runs, {})))
