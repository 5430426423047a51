# SPDX-License-Identifier: Apache-2.0
"""The workspace: what the files of one checkout say, beside its matrix."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import core.edits.pending as pending
import core.evidence.analysis as analysis
import core.matrix as matrices
import core.matrix.cache as caches
import core.runs.store as store
from core import ci, doctor, edits, evidence, handwritten, history, issues, ops, providers, runs, sources, states
from core.base.settings import Paths, Settings
from core.matrix import Universe
from core.sources import Checkout
from core.workspace.lasting import Lasting, once

if TYPE_CHECKING:
    from core.ci import Ci, Selected
    from core.doctor import Blame
    from core.domain.model import Finding
    from core.edits.pending import Change, Workbench
    from core.evidence import PerfReport
    from core.evidence.analysis import Series
    from core.evidence.nightly import Night as Nightly
    from core.handwritten import Known
    from core.history import History
    from core.issues import IssueState
    from core.matrix import Detail, Matrix
    from core.matrix.cache import Cache
    from core.ops import OpTests
    from core.runs import TreeReader
    from core.runs.store import RunRecord, RunStore
    from core.sources import Lacking, ModelInfos, Stamps
    from core.sources.downloads import Fetched
    from core.states import States


class Place(Lasting):
    """What stays when the matrix is replaced: the checkout, and what is stored about it."""

    def __init__(self, checkout: Checkout, paths: Paths, *, patient: bool) -> None:
        super().__init__(threading.RLock())
        self.checkout = checkout
        self.paths = paths
        self.one_at_a_time = threading.RLock()
        """The lock of everything that is worked out about the checkout."""
        self._patient = patient

    @once
    def cache(self) -> "Cache":
        """What is cached of the checkout between starts."""
        return caches.Cache(self.checkout, self.paths.cache / "index")

    @once
    def store(self) -> "RunStore":
        """The runs of all checkouts."""
        return store.RunStore(self.paths.runs)

    @once
    def tree(self) -> "TreeReader":
        """Reads the state of the checkout that results belong to."""
        return runs.TreeReader(self.checkout)

    @once
    def head_files(self) -> Sequence[Path]:
        """The files that change when another commit is checked out."""
        return self.tree.head_files()

    @once
    def bench(self) -> "Workbench":
        """The pending changes with their journal."""
        return pending.Workbench(self.checkout, self.paths.journal, patient=self._patient)


Index = Callable[["Cache", Universe], "Matrix"]


def read_index(cache: "Cache", universe: Universe) -> "Matrix":
    """The index of a checkout, without saving it."""
    return cache.index(universe)[0]


class Workspace(Lasting):
    """One reading of a checkout: its matrix, and what follows from that and from its files.

    Everything is worked out when it is first asked for, once, and stays for as long as the workspace does. When the
    checkout is read again, `replaced` makes another workspace and nobody asks the old one any more.

    The rule for threads, also for `Evidence`:

    - Any thread may ask, except the app's own, which asks `known` only: that never waits. One lock serves all
      workspaces of a checkout and all evidence on them. So one thread at a time works, and the others find what it has
      worked out or cached on the disk.
    - The matrix and all answers are shared and never change. `Place` is shared by successive workspaces: its objects
      lock themselves, or are used under the lock.
    - A thread takes a workspace when it begins and keeps to it. Its late answer goes into that workspace. If this has
      been replaced meanwhile, the answer can neither replace a newer one nor be read by anybody else.
    - Nothing here refers back to a workspace, and a workspace does not refer to evidence: the last thread that lets go
      of an old workspace frees it, with its matrix.
    """

    def __init__(
        self,
        checkout: Checkout,
        paths: Paths,
        settings: Settings,
        *,
        index: Index = read_index,
        patient: bool = True,
        place: Place | None = None,
    ) -> None:
        """`index` reads a matrix. Without `patient`, decisions do not wait for another instance (`Workbench`)."""
        self.place = place or Place(checkout, paths, patient=patient)
        super().__init__(self.place.one_at_a_time)
        self.settings = settings
        self._index = index
        self._history: tuple[Stamps, History] | None = None
        self._reports: tuple[object, Sequence[PerfReport]] | None = None
        self.newest_night: tuple[object, Nightly] | None = None
        """The newest nightly, with the state of all that it was read from; under `night_lock`."""
        self.night_lock = threading.Lock()
        self._fetched: dict[str, Fetched] = {}

    @classmethod
    def on(cls, rows: "Matrix", paths: Paths, settings: Settings) -> "Workspace":
        """A workspace on a matrix that has been read, with the rows that it has behind its model tests."""
        return cls(rows.checkout, paths, settings, patient=False)._with(rows)

    def replaced(self, rows: "Matrix") -> "Workspace":
        """The workspace on another reading of the same checkout. This one keeps its answers."""
        if rows is self.known(Workspace.whole_table):
            return self
        place = self.place
        return Workspace(place.checkout, place.paths, self.settings, index=self._index, place=place)._with(rows)

    def _with(self, rows: "Matrix") -> "Workspace":
        self.__dict__.update(matrix=rows.model_tests, table=rows, whole_table=rows)
        return self

    @property
    def checkout(self) -> Checkout:
        return self.place.checkout

    @property
    def paths(self) -> Paths:
        return self.place.paths

    @property
    def cache(self) -> "Cache":
        return self.place.cache

    @property
    def store(self) -> "RunStore":
        return self.place.store

    @property
    def tree(self) -> "TreeReader":
        return self.place.tree

    @property
    def bench(self) -> "Workbench":
        return self.place.bench

    # Rows

    @once
    def matrix(self) -> "Matrix":
        """The model tests: the matrix of the validator's universe."""
        return self._index(self.cache, Universe.VALIDATOR)

    @once
    def table(self) -> "Matrix":
        """`matrix` with a row per op case after the model tests, if the checkout has op manifests."""
        directories = self.settings.ops_dirs
        # Without them, nothing of op cases is loaded.
        return ops.with_ops(self.cache, self.matrix, directories) if self.checkout.has_any(directories) else self.matrix

    @once
    def whole_table(self) -> "Matrix":
        """`table` with a row per hand-written test at its end."""
        return handwritten.with_handwritten(self.cache, self.table)

    def index(self, universe: Universe) -> "Matrix":
        """The matrix of a universe."""
        return self.matrix if universe is Universe.VALIDATOR else self._index(self.cache, universe)

    # What the files say

    @once
    def model_infos(self) -> "ModelInfos":
        """Names and groups of all models."""
        return providers.model_infos(self.cache, self.matrix)

    @once
    def selected(self) -> "Selected":
        """Which scheduled CI jobs select which tests."""
        return providers.selected_jobs(self.cache, self.matrix)

    @once
    def other_jobs(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Name and machine of the scheduled jobs of each row that is no test of a model."""
        return providers.other_jobs(self.cache, self.whole_table)

    @once
    def ci(self) -> "Ci":
        """The scheduled CI jobs, to ask what they would select."""
        return ci.read_ci(self.matrix, self.model_infos)

    @once
    def findings(self) -> "tuple[Finding, ...]":
        """Everything that is wrong with the checkout; takes seconds."""
        found = doctor.examine(self.cache, self.matrix, self.settings.ops_dirs)
        return doctor.ordered([*found, *doctor.closed_issue_findings(self.blames, self.issue_states)])

    @once
    def blames(self) -> "Sequence[Blame]":
        """The places that expect a failure because of issues."""
        return doctor.blames(self.cache, self.matrix)

    @property
    def issue_states(self) -> "Mapping[str, IssueState]":
        """What was known of issues when they were last looked up, by name."""
        return issues.read_states(self.paths.issues_file)

    @once
    def op_tests(self) -> "OpTests":
        """All op cases in full, from the directories that the settings name."""
        return ops.read_op_tests(self.checkout.root, self.settings.ops_dirs)

    @once
    def handwritten(self) -> "Known":
        """All hand-written tests in full, with the jobs of CI that run them."""
        return handwritten.read_known(self.cache)

    @once
    def placeholder_tests(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """By placeholder the ids of the tests of its model, and for one without tests the nearest models."""
        return edits.planned_tests(self.matrix, self.model_infos)

    @once
    def lacking(self) -> "Lacking":
        """The files that git tracks and the work tree lacks."""
        return sources.read_lacking(self.checkout)

    @once
    def states(self) -> "States":
        """Reads the checkout at other commits, without its work tree."""
        return states.States(self.cache, self.settings.ops_dirs, self.issue_states)

    @property
    def history(self) -> "History":
        """The entries over git history, read again after a commit. Raises TTMatrixError if git has none."""
        with self.lock:
            stamps = self.head_stamps
            if self._history is None or self._history[0] != stamps:
                self._history = stamps, history.read_history(self.cache, self.matrix)
            return self._history[1]

    @property
    def head_stamps(self) -> "Stamps":
        """The files that change when another commit is checked out, as they are now."""
        return {str(file): sources.stamp_of(file) for file in self.place.head_files}

    @property
    def branch(self) -> str:
        """The branch that is checked out, or the beginning of the commit; empty: there is no repository.

        Does not wait for what is being worked out.
        """
        files = self.place.head_files
        return runs.branch_in(files[0]) if files else ""

    @property
    def pin_stamps(self) -> "Stamps":
        """Those that change when other models are checked out or recorded."""
        index = [file.with_name("index") for file in self.place.head_files[:1]]
        return {**self.head_stamps, **{str(file): sources.stamp_of(file) for file in index}}

    def fetched(self, id: str) -> "Fetched":
        """What the loader of a test downloads, found in its code."""
        with self.lock:
            if id not in self._fetched:
                self._fetched[id] = matrices.fetched_of(self.matrix, id)
            return self._fetched[id]

    def known_fetched(self, id: str) -> "Fetched | None":
        """The same if it has been found already. Never waits."""
        return self._fetched.get(id)

    def describe(self, id: str) -> "Detail":
        """All that the files say about a model test, with what its loader raises."""
        _ = self.model_infos
        return self.described(id)

    def described(self, id: str) -> "Detail":
        """The same without what would have to be worked out. Never waits."""
        found, infos = matrices.describe(self.matrix, id), self.known(Workspace.model_infos)
        failure = providers.failure_of(infos, id) if infos else None
        if failure is None or any(one.id == failure.id for one in found.findings):
            return found
        return replace(found, findings=(*found.findings, failure))

    def ids_of_model(self, name: str) -> list[str]:
        """The ids of the tests of all models with that `model_info.name`."""
        return providers.ids_of_model(self.matrix, self.model_infos, name)

    @property
    def reminders(self) -> "tuple[Change, ...]":
        """The ways back of entries that are to be as before once an issue is closed, as far as they lead."""
        return self.bench.reminders(edits.Present(self.matrix.files))

    # Runs and performance

    @property
    def performance_reports(self) -> "Sequence[PerfReport]":
        """The reports of performance that were read, those of now. Waits for no other thread."""
        known = evidence.performance_store(self.checkout, self.paths)
        stamp = sources.stamp_of(known.file)
        read = self._reports
        if read is None or read[0] != stamp:
            read = self._reports = stamp, known.read()
        return read[1]

    def performance_of(self, id: str, records: "Iterable[RunRecord]") -> "Sequence[Series]":
        """Times, throughput and memory of a test over time, from `records` and from reports. Waits for no thread."""
        own = [one for one in records if one.spec.test_id == id]
        return analysis.series_of(own, [one for one in self.performance_reports if one.row_id == id])

    @property
    def run_records(self) -> "list[RunRecord]":
        """The runs of the checkout as they are now, newest first."""
        return self.own_runs(self.store.records())

    def own_runs(self, records: "Iterable[RunRecord]") -> "list[RunRecord]":
        """Those of `records` that belong to this checkout."""
        return runs.own_runs(list(records), self.tree)
