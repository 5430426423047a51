# SPDX-License-Identifier: Apache-2.0
"""The state that all screens share: the view, marks, runs, pending changes, and the workspace of the checkout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import core.evidence as reported
import core.workspace as workspaces
from core import ci, doctor, edits, kinds, providers, runs, states, workflows
from core.base.errors import TTMatrixError
from core.edits import pending
from core.matrix.query import Query, VerdictColumns
from core.matrix.view import Saved, View, change_saved, read_saved
from core.runs import execution, planning
from core.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from core.base.settings import Paths, Settings
    from core.ci import Selected
    from core.domain.model import Finding
    from core.edits import Cited, Operation, Present
    from core.edits.pending import Change, Conflict, Pending, Workbench
    from core.evidence import CiRun, Observation, Page
    from core.evidence.analysis import Series
    from core.evidence.verdicts import Verdicts
    from core.hosts import Host
    from core.kinds import Kind
    from core.matrix import Matrix
    from core.matrix.query import Learned
    from core.runs import Age
    from core.runs.cluster import ClusterStatus
    from core.runs.planning import Course, LaunchPlan, Sources
    from core.runs.store import RunRecord, RunStore
    from core.sources import Checkout, OtherModels, Stamps
    from core.workflows import WorkflowContext
    from core.workspace import Evidence

# The first frame shows only the matrix: the rest comes from faces, which load it when it is used.


@dataclass
class Session:
    """One person looking at one checkout. Only the app's own thread changes it.

    A thread that is to work on the checkout takes `workspace`, or the evidence from `look`, when it begins. The rule
    for threads is in `Workspace`.
    """

    view: View
    workspace: Workspace
    """The reading of the checkout that `view` shows."""
    saved: Saved = field(default_factory=Saved)
    """The person's saved views and columns."""
    verdicts: Verdicts | None = None
    """The verdicts that the screens show; None until some screen has requested them."""
    last_started: str = ""
    """The first run of the batch that was started here last."""
    all_runs: list[RunRecord] = field(default_factory=list)
    """The runs of every checkout, as of the last look at the store (`tui.app.polling`), newest first."""
    runs: list[RunRecord] = field(default_factory=list)
    """The runs of this checkout, newest first."""
    course: Course | None = None
    """The course of those of their batches that go on; None: the store has not been read yet."""
    going: str = ""
    """Their progress in words; empty: none goes on."""
    ages: Mapping[str, Age] = field(default_factory=dict)
    """The age of a run's tree, by run id; a run of the present tree has none."""
    repository: str = ""
    """The first commit of the checkout; empty until git was asked."""
    branch: str = ""
    """The branch that is checked out, or the beginning of its commit; empty until it was read."""
    other_models: OtherModels | None = None
    """The commits, if other models are checked out than are recorded."""
    lease_text: str = ""
    """The time left on this machine, or on the first connected one whose lease ends; empty if no lease ends."""
    night: CiRun | None = None
    """The newest nightly that was read, as of the last look; None: none is known."""
    freshness: str = ""
    """How old it is, in words; empty until somebody has looked."""
    hosts: Sequence[Host] = ()
    """The machines in the hosts file."""
    cluster: ClusterStatus | None = None
    """The state of the connected hosts; None if none is to be connected."""
    read_only: bool = False
    """Whether editing, running and saving are refused here."""
    edited: frozenset[str] = frozenset()
    """The ids of the tests that pending changes edit."""
    marks_known: bool = False
    """Whether the marks of the last session have been read."""
    awaited_marks: set[str] = field(default_factory=set)
    """Marks of the last session on ids without a row: op cases that may still be read."""
    open_changes: int = 0
    """The number of pending changes that are not rejected."""
    _evidence: Evidence | None = None
    """The last look at the results of `workspace`."""
    _present: tuple[Matrix, Present] | None = None
    _conflicts: dict[int, tuple[Change, Present, Sequence[Conflict]]] = field(default_factory=dict)

    @classmethod
    def open(cls, matrix: Matrix, paths: Paths, settings: Settings, *, query: str = "", arch: str = "") -> Session:
        """Start on `matrix`. Raises UsageError for an invalid query or an unknown arch."""
        saved = read_saved(paths.views_file)
        view = View(matrix, Query.parse(query), arch)
        view.columns_of |= saved.columns
        return cls(view, Workspace.on(matrix, paths, settings), saved)

    # The checkout

    @property
    def matrix(self) -> Matrix:
        """The tests of models, without the other rows of `view.matrix`."""
        return self.workspace.matrix

    @property
    def checkout(self) -> Checkout:
        return self.workspace.checkout

    @property
    def paths(self) -> Paths:
        return self.workspace.paths

    @property
    def settings(self) -> Settings:
        return self.workspace.settings

    @settings.setter
    def settings(self, changed: Settings) -> None:
        self.workspace.settings = changed

    @property
    def store(self) -> RunStore:
        return self.workspace.store

    @property
    def bench(self) -> Workbench:
        """The pending changes with their journal. Read by a thread first: `workspace.bench`."""
        return self.workspace.bench

    def replace(self, workspace: Workspace, learned: Learned) -> None:
        """Show another reading of the checkout, of which `learned` is known already."""
        # A profile may have been added meanwhile.
        workspace.settings = self.settings
        self.workspace, self._evidence = workspace, None
        self.view.replace_matrix(workspace.whole_table, learned)
        self.take_awaited()

    def look(self) -> Evidence:
        """The evidence of all results: the same object until there are more. Not for the app's own thread."""
        workspace = self.workspace
        with workspace.lock:
            found = self._evidence = workspaces.look(workspace, self._evidence)
        if self.workspace is not workspace:
            # It was replaced meanwhile: only this thread goes on with the old one.
            self._evidence = None
        return found

    @property
    def ci(self) -> Evidence:
        """The results for what needs no verdicts, runs of CI: it waits for nothing that is being worked out."""
        return workspaces.Evidence(self.workspace)

    def compute_columns(self, workspace: Workspace, names: Iterable[str]) -> Learned:
        """The columns of these providers (`core.providers.base`). Not for the app's own thread."""
        wanted = tuple(names)
        with workspace.lock:
            # The results of a test depend on its jobs.
            needed = dict.fromkeys("jobs" if name == providers.RUNS else name for name in wanted)
            doctor.prepare(workspace.cache, workspace.whole_table, needed)
            evidence = self.look() if workspace is self.workspace else workspaces.look(workspace)
            found = evidence.columns(workspace.whole_table, wanted)
            if "jobs" in needed:
                # Jobs depend on them, and the detail of a test shows what they say.
                _ = workspace.model_infos
            if isinstance(results := found.get(providers.RUNS), VerdictColumns):
                # Queries read these in the app's own thread.
                _ = results.case_verdicts, results.alone, results.known_numbers
            return found

    def read_findings(self) -> tuple[Finding, ...]:
        """Everything that is wrong with the checkout; takes seconds the first time. Not for the app's own thread."""
        workspace = self.workspace
        with workspace.lock:
            if workspace.known(Workspace.findings) is None:
                doctor.prepare(workspace.cache, workspace.matrix, [doctor.FINDINGS])
            return workspace.findings

    @property
    def selected(self) -> Selected | None:
        """The scheduled CI jobs that select each test; None until that is known."""
        facts = self.view.learned.get("jobs")
        return facts if isinstance(facts, ci.Selected) else None

    def performance_of(self, id: str) -> Sequence[Series]:
        """Times, throughput and memory of a test over time, from its runs here and the reports that were read."""
        return self.workspace.performance_of(id, self.runs)

    # Rows

    def kind_of(self, id: str) -> Kind | None:
        """The kind of the row with an id; None if the view has no row with it."""
        rows = self.view.matrix
        return kinds.by_name(rows.kind_of(rows.rows[id])) if id in rows.rows else None

    def has_entry(self, id: str) -> bool:
        """Whether a row is of a kind whose rows have entries, with loaders and a history."""
        kind = self.kind_of(id)
        return kind is not None and kind.written is kinds.Written.ENTRY

    def runs_as_test(self, id: str) -> bool:
        """Whether a row is run with the options of tests of models: on an arch, alone or before its lease ends."""
        kind = self.kind_of(id)
        return kind is not None and kind.launch is kinds.Launch.TEST

    def page_of(self, ids: Sequence[str], arch: str = "") -> Page:
        """The page of the newest job of these tests: on an arch, if there is one. Not for the app's own thread."""
        return reported.page_of(self.newest_of(ids, arch))

    def newest_of(self, ids: Sequence[str], arch: str = "") -> Sequence[Observation]:
        """The newest results of rows of all kinds: on an arch, if there are any. Not for the app's own thread."""
        rows = self.look().newest_of(ids)
        for id in ids:
            if (kind := self.kind_of(id)) is not None:
                rows += kind.results(id, self.workspace)
        return [row for row in rows if arch and row.arch == arch] or rows

    def place_of(self, id: str) -> tuple[str, int]:
        """The file of a row that is no test of a model, relative to the checkout, and its first line there."""
        rows = self.view.matrix
        row = rows.rows[id]
        return rows.columns["file"][row], rows.line_of(row)

    # Marks

    def restore_marks(self) -> None:
        """Mark the tests that were marked when the app was left, if they have rows. Done once."""
        if not self.marks_known:
            self.marks_known = True
            self.awaited_marks = {*self.bench.state.marks}
            self.take_awaited()

    def take_awaited(self) -> None:
        """Mark the awaited tests that have rows by now."""
        found = self.awaited_marks & self.view.matrix.rows.keys()
        self.view.marks |= found
        self.awaited_marks -= found

    def take_marks_elsewhere(self) -> None:
        """Repeat the marking and unmarking of another instance on this checkout."""
        added, removed = self.bench.marks_elsewhere()
        if self.marks_known:
            self.view.marks -= removed
            self.awaited_marks = (self.awaited_marks - removed) | added
            self.take_awaited()

    def save(self, change: Callable[[Saved], Saved]) -> Saved:
        """Change the person's saved views and columns. Raises TTMatrixError if they cannot be saved."""
        self.check_writable()
        self.saved = change_saved(self.paths.views_file, change)
        return self.saved

    # Pending changes

    @property
    def pending(self) -> Pending:
        return self.bench.pending

    def count_changes(self) -> None:
        """Count the pending changes again."""
        found = self._open_changes()
        self.edited = frozenset(op.id for change in found for op in change.ops)
        self.open_changes = len(found)

    def open_changes_of(self, ids: Collection[str]) -> int:
        """The number of changes of these tests that wait to be decided or written."""
        wanted = self.edited.intersection(ids)
        return sum(any(op.id in wanted for op in change.ops) for change in self._open_changes()) if wanted else 0

    def _open_changes(self) -> Sequence[Change]:
        return [change for change in self.pending.changes if change.decision is not pending.Decision.REJECTED]

    @property
    def uncommitted(self) -> tuple[Operation, ...]:
        """Operations that were written here and are not committed yet."""
        return self.bench.state.written

    def evidence(self, ids: Collection[int]) -> Mapping[str, Sequence[Cited]]:
        """The results that justify the changes `ids` and everything that is not committed yet, by test id."""
        wanted = (change for change in self.pending.changes if change.id in ids)
        return {**self.bench.state.evidence, **pending.evidence_of(wanted)}

    def causes(self, ids: Collection[int]) -> Mapping[str, str]:
        """The causes of the changes `ids` and of everything that is not committed yet, by test id."""
        wanted = (change for change in self.pending.changes if change.id in ids)
        return {**self.bench.state.causes, **pending.causes_of(wanted)}

    @property
    def present(self) -> Present:
        """The entries of the present matrix and the op cases of pending changes, to compare changes with.

        Manifests are read again with each matrix.
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
        """The fields that have changed in the files since a pending change was made."""
        known = self._conflicts.get(change.id)
        if known is None or known[0] is not change or known[1] is not self.present:
            known = self._conflicts[change.id] = change, self.present, pending.conflicts(change, self.present)
        return known[2]

    def check_writable(self) -> None:
        """Raise TTMatrixError if the app is open read-only. Commands are refused before (`tui.effects`)."""
        if self.read_only:
            raise TTMatrixError("The app is open read-only", "Nothing was changed.")

    def write(self, ids: Sequence[int]) -> Reread:
        """Write the accepted ones of these changes, and look for them in the files.

        Raises TTMatrixError if nothing can be written.
        """
        self.check_writable()
        done = self.bench.write(ids, self.matrix.schema, self.matrix.files)
        return Reread(len(done.changes), done.missing, tuple(map(self.checkout.relative, done.files)))

    def reread(self, changes: Sequence[Sequence[Operation]], files: Sequence[str] = ()) -> Reread:
        """Look for `changes`, each given by its operations with their files, in the files as they are now."""
        lost = self.bench.missing(changes, self.matrix.schema)
        return Reread(len(changes), lost, tuple(files))

    # Runs

    def of_checkout(self, records: list[RunRecord]) -> list[RunRecord]:
        """The runs among `records` that belong to this checkout."""
        return runs.of_checkout(records, self.checkout.root, self.repository)

    def read_ages(self) -> Aged:
        """The ages of the runs of this checkout. Asks git: not for the app's own thread."""
        workspace = self.workspace
        # Before the commits are read: what changes meanwhile is noticed at the next look.
        heads = workspace.head_stamps
        own = workspace.own_runs(self.all_runs)
        return Aged(workspace.tree.heads().repository, runs.ages(own, workspace.matrix.entries, workspace.tree), heads)

    def last_run(self, id: str) -> RunRecord | None:
        """The newest run of a test."""
        return next((record for record in self.runs if record.spec.test_id == id), None)

    def tend(self) -> None:
        """Make sure that a scheduler serves the queue. Raises TTMatrixError if none can be started."""
        execution.tend(self.store)

    def plan_rows(self, kind: Kind, ids: Iterable[str]) -> LaunchPlan:
        """Runs of rows of one kind that need no choice, with what is in their way. Not for the app's own thread."""
        place = self.workspace.place
        source = kinds.Source(
            place.cache, self.workspace.settings, place.store.root, arch=self.view.arch, records=self.runs
        )
        return kind.plan(ids, source)

    def sources(self, ids: Sequence[str]) -> Sources:
        """The downloads of CPU repros of `ids`, each with its source. Not for the app's own thread."""
        python = planning.find_interpreter(self.checkout.root, self.settings)
        return planning.sources_of(self.checkout, python, ids, starting=True)

    # Workflows

    @property
    def sessions(self) -> Path:
        """The directory of the workflow sessions of the checkout."""
        return workflows.sessions_directory(self.paths.state, self.checkout.root)

    def pull_request(self, revision: str) -> str:
        """The text of a pull request from commits that are made. Not for the app's own thread.

        Raises TTMatrixError if `revision` names no commit that changes anything.
        """
        return states.pull_request_elsewhere(self.workspace.states, revision).markdown

    def pending_text(self) -> str:
        """The text of a pull request from the pending changes and what was written here, before the commit.

        Not for the app's own thread. Raises TTMatrixError if nothing would be committed.
        """
        changes = self.pending.to_commit()
        operations = (*self.uncommitted, *(op for change in changes for op in change.ops))
        evidence = self.evidence([change.id for change in changes])
        return states.pending_text_elsewhere(self.workspace.states, operations, evidence)

    def world(self) -> WorkflowContext:
        """The checkout as workflows see it. Takes a while the first time: not for the app's own thread."""
        return self.look().world(self.view.arch)


class Aged(NamedTuple):
    """The ages of the runs of a checkout."""

    repository: str
    """The first commit of the checkout."""
    ages: Mapping[str, Age]
    heads: Stamps
    """The stamps of the files that change when another commit is checked out."""


class Reread(NamedTuple):
    """The changes that are found in the files after a write."""

    total: int
    """The number of changes that were looked for."""
    missing: tuple[Sequence[Operation], ...]
    """The operations of each change that is not there."""
    files: tuple[str, ...] = ()
    """The files that were written, relative to the checkout."""
