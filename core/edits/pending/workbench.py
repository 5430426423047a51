# SPDX-License-Identifier: Apache-2.0
"""The pending changes of one checkout: every decision goes to the journal, and every write to the files starts here."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from core.base.errors import TTMatrixError
from core.base.files import drop_leftovers
from core.base.text import counted
from core.edits.apply import Present
from core.edits.commit import CommitDraft, Delivered, Repository, deliver
from core.edits.operations import Operation, is_manifest, manifests_in
from core.edits.pending.change import Change, Decision, Pending, UndoStep, proposed
from core.edits.pending.conflict import Conflict, Take, conflicts, resolve
from core.edits.pending.events import (
    FilesCommitted,
    JournalEvent,
    Marked,
    Rebased,
    Redone,
    Reminded,
    Stepped,
    Undone,
    WriteAbandoned,
    WriteDone,
)
from core.edits.pending.journal import Journal
from core.edits.pending.rebase import files_about, rebase
from core.edits.pending.recovery import found_in_files, is_halfway, missing, recovery_notice, write_began, write_outcome
from core.edits.pending.reminders import outstanding
from core.edits.pending.state import PendingState
from core.edits.pending.writer_lock import is_left_behind, sole_writer
from core.edits.places import from_checkout, in_checkout, path_of
from core.edits.planning import EditPlan, FileChanged, Planner, write
from core.edits.texts import read_manifests, read_texts
from core.sources import Checkout, ExpectationFile, Schema, stamp_of

T = TypeVar("T")

_TRIES = 3
"""How often a write starts again because a file changed under it."""
_WAIT_SECONDS = 5.0
"""Seconds to wait for another writer: longer than any write takes, but a commit with hooks may take longer."""
_NAMED = 6
_SHORT = 10
"""How many places an error names at most."""


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The result of a write to the files."""

    files: tuple[Path, ...]
    changes: tuple[Sequence[Operation], ...]
    """The operations of each change that was written, with their files."""
    missing: tuple[Sequence[Operation], ...]
    """Those of `changes` that are not in the files afterwards, for example because somebody else wrote meanwhile."""


class Workbench:
    """A person's decisions about one checkout. Every method that changes something records an event in the journal."""

    def __init__(self, checkout: Checkout, directory: Path, *, patient: bool = True) -> None:
        """Read the journal of `checkout` in `directory`, and finish an interrupted write.

        Without `patient`, decisions do not wait for another instance: while one holds the journal, they are only in
        memory, and `catch_up` or `flush` saves them.
        """
        self.checkout = checkout
        self.planner = Planner()
        """Caches the last plans: pass it on wherever the same operations are planned."""
        self._written = EditPlan((), ())
        """The last plan that was written."""
        self._stamps: Mapping[str, object] = {}
        """Stamps of the files that were written last, by path."""
        self._known: Sequence[ExpectationFile] = ()
        """Files that a caller has parsed: a file with the same text is not parsed again."""
        name = hashlib.sha256(os.fsencode(checkout.root.resolve())).hexdigest()[:16]
        self._journal = Journal(directory / f"{name}.jsonl", checkout.root, wait=None if patient else 0)
        self._marks = self.state.marks
        self._manifests: tuple[Pending, frozenset[str]] = Pending(), frozenset()
        """The manifests that these changes are about: every line of a list of changes asks for them."""
        self.finished: tuple[str, ...] = ()
        """Commits of a killed ttmatrix, found when its remains were removed."""
        self._recover()

    @property
    def state(self) -> PendingState:
        return self._journal.state

    @property
    def pending(self) -> Pending:
        return self.state.pending

    @property
    def problem(self) -> TTMatrixError | None:
        """Why changes cannot be saved at present; None: they are saved."""
        return self._journal.problem

    def notices(self) -> list[str]:
        """Messages that should be shown once."""
        found = list(self._journal.notices)
        self._journal.notices.clear()
        return found

    def catch_up(self) -> bool:
        """Read what other instances did; returns whether there was anything."""
        return self._journal.catch_up()

    def flush(self) -> None:
        """Save what was decided, before the app ends. Waits up to 2 s for another instance."""
        self._journal.flush()

    # Decisions

    def propose(self, operations: Sequence[Operation], note: str, present: Present) -> None:
        """Add a change of `operations`, which were made against `present`."""
        present = self.complete(present, operations)
        self.rebase(present)
        self._step(lambda pending: pending.proposal(proposed(operations, note, present)))

    def decide(self, decision: Decision, ids: Collection[int]) -> None:
        """Give changes one decision, as one undo step."""
        self._step(lambda pending: pending.decision(decision, ids))

    def propose_decided(self, decision: Decision, changes: Sequence[Change], present: Present) -> None:
        """Give changes one decision, as one undo step; those that are not pending yet are added, others replaced."""
        self.rebase(self.complete(present, [op for one in changes for op in one.ops]))
        new = [replace(one, decision=decision) for one in changes if not one.id]
        known = [replace(one, decision=decision) for one in changes if one.id]

        def step(pending: Pending) -> UndoStep:
            edited = [one for one in known if not pending.same_change(one)]
            same = {one.id for one in known} - {one.id for one in edited}
            replaced = (edit for one in edited for edit in pending.replacement(one.id, one).edits)
            return UndoStep((*pending.proposal(*new).edits, *replaced, *pending.decision(decision, same).edits))

        self._step(step)

    def replace(self, id: int, new: Change | None) -> None:
        """Replace a change by another one, or remove it."""
        self._step(lambda pending: pending.replacement(id, new))

    def resolve(self, id: int, chosen: Collection[Conflict], take: Take) -> None:
        """Decide conflicts of a change."""
        change = self.pending.change(id)
        if change is not None and chosen:
            self.replace(id, resolve(change, chosen, take))

    def note(self, issue: str, ids: Collection[int]) -> None:
        """Note with changes that they are to be undone once an issue is closed, as one undo step; empty: no more."""
        self._step(lambda pending: pending.noting(issue, ids))

    def remind(self, changes: Sequence[Change], present: Present) -> None:
        """Note the way back of changes of `present` that are about to be written, for those that name an issue."""
        wanted = [one for one in changes if one.restore]
        present = self.complete(present, [op for one in wanted for op in one.ops])
        noted = tuple(
            replace(proposed(one.ops, one.note, present), restore=one.restore, facts=one.facts) for one in wanted
        )
        self._journal.record(lambda _: Reminded(added=noted) if noted else None)

    def forget(self, issue: str) -> None:
        """Drop the notes about an issue, `owner/repository#number`."""
        self._journal.record(lambda state: Reminded(removed=(issue,)) if _is_noted(issue, state) else None)

    def reminders(self, present: Present) -> tuple[Change, ...]:
        """The ways back to what entries were before, each with the issue that it waits for, as far as they lead."""
        known = self.state.reminders
        return outstanding(known, self.complete(present, [op for one in known for op in one.placed()]))

    def undo(self) -> None:
        """Undo the last step; for a write, propose the inverse."""
        self._journal.record(lambda state: Undone() if state.pending.past else None)

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self._journal.record(lambda state: Redone() if state.pending.future else None)

    def mark(self, marks: Collection[str]) -> None:
        """Save which tests are marked here. Marks of other instances do not change."""
        now, before = frozenset(marks), self._marks
        if now != before:
            self._journal.record(lambda _: Marked(now - before, before - now), durable=False)
            self._marks = now

    def marks_elsewhere(self) -> tuple[frozenset[str], frozenset[str]]:
        """What other instances have marked and unmarked, as far as `catch_up` has read, since this was asked last."""
        now, before = self.state.marks, self._marks
        self._marks = now
        return now - before, before - now

    # The files

    def complete(
        self, present: Present, operations: Sequence[Operation] = (), manifests: Collection[str] = ()
    ) -> Present:
        """`present` with the manifests of op tests added: `manifests`, and those of pending changes and `operations`.

        The index does not hold the text of manifests. A manifest that is in `present` already is not read again.
        """
        pending, (changes, about) = self.pending, self._manifests
        if changes is not pending:
            about = frozenset(filter(is_manifest, files_about(pending)))
            self._manifests = pending, about
        wanted = {*about, *manifests_in(operations), *manifests}
        names = wanted - present.entries.keys()
        return present.with_files(read_manifests(self.checkout.test_config, sorted(names))) if names else present

    def rebase(self, present: Present) -> Rebased | None:
        """Rebase all pending changes onto `present`; returns the changes made."""
        present = self.complete(present)
        event = self._journal.record(lambda state: rebase(state, present))
        return event if isinstance(event, Rebased) else None

    def conflicts(self, present: Present) -> dict[int, tuple[Conflict, ...]]:
        """The conflicts of every change that has some, by its id."""
        present = self.complete(present)
        found = ((change.id, conflicts(change, present)) for change in self.pending.changes)
        return {id: some for id, some in found if some}

    def plan(self, operations: Sequence[Operation], schema: Schema, known: Sequence[ExpectationFile] = ()) -> EditPlan:
        """Plan operations on the files as they are now.

        The plan is cached: a write and a commit of the same operations do not make it again. `known` are files as the
        index parsed them, for this call and later ones.
        """
        self._known = known or self._known
        return self.planner.plan_files(self.checkout.test_config, operations, schema, self._known)

    def write(self, ids: Collection[int], schema: Schema, known: Sequence[ExpectationFile] = ()) -> WriteResult:
        """Write the accepted ones of the changes, and check that they are in the files.

        Under the lock they are compared with the files, so that changes by others stay. `known`: see `plan`. Raises
        TTMatrixError, with nothing written, on a conflict or if an operation cannot be applied.
        """
        self._known = known or self._known
        with self.alone("writing expectations"):
            for _ in range(_TRIES - 1):
                try:
                    return self._write(ids, schema)
                except FileChanged:
                    continue
            return self._write(ids, schema)

    @contextmanager
    def alone(self, doing: str, *, wait: float | None = None) -> Iterator[None]:
        """Be the only writer in the checkout (`writer_lock.sole_writer`); notices report what was removed for that."""
        with sole_writer(self.checkout.root, doing, wait=_WAIT_SECONDS if wait is None else wait) as bases:
            for base in bases:
                self._tell_of_commit(base)
            self._finish_write()
            yield

    def wrote(self, paths: Collection[str]) -> bool:
        """Whether all of these files are as our last write left them, so that the writer itself reads them again."""
        return bool(paths) and all(path in self._stamps and stamp_of(path) == self._stamps[path] for path in paths)

    def write_plan(self, planned: EditPlan) -> tuple[Path, ...]:
        """Write a plan that is not about pending changes, and return the paths of the files.

        The caller must have been the sole writer since before it planned.
        """
        return self._carry_out(planned, (), WriteAbandoned(), self._write_files)

    def deliver_plan(
        self, planned: EditPlan, drafts: Sequence[CommitDraft], schema: Schema, *, verify: bool = True, python: str = ""
    ) -> Delivered:
        """As `write_plan`, and commit `drafts`, all or nothing; the caller must be the sole writer."""
        return self._carry_out(
            planned, (), WriteAbandoned(), self._delivering(drafts, schema, verify=verify, python=python)
        )

    def deliver(
        self,
        ids: Collection[int],
        seen: EditPlan,
        drafts: Sequence[CommitDraft],
        schema: Schema,
        *,
        verify: bool = True,
        python: str = "",
    ) -> Delivered:
        """Write the accepted ones of the changes and commit `drafts`, all or nothing.

        Raises TTMatrixError if the result would differ from `seen`, and for everything that can stop a commit.
        """
        with self.alone("committing"):
            changes, planned = self._planned(ids, schema)
            if planned.diff() != seen.diff():
                raise TTMatrixError(
                    "The files have changed since you looked", hint="Leave, and look at the diff again."
                )
            done = _written(changes, planned)
            work = self._delivering(drafts, schema, verify=verify, python=python)
            delivered = self._carry_out(planned, done.ids, done, work)
        self._journal.record(lambda state: FilesCommitted(state.uncommitted))
        return delivered

    def look_at_git(self) -> None:
        """Drop files from the list of uncommitted ones if they are committed by now, also by hand."""
        files = self.state.uncommitted
        if not files:
            return
        try:
            paths = Repository(self.checkout.root).as_committed([in_checkout(file) for file in files])
        except TTMatrixError:
            return  # Without git there are no commits.
        if paths:
            self._journal.record(lambda _: FilesCommitted(tuple(map(from_checkout, paths))))

    @property
    def uncommitted(self) -> tuple[Path, ...]:
        """Files written here and not committed yet."""
        return tuple(path_of(self.checkout.test_config, file) for file in self.state.uncommitted)

    def missing(self, changes: Sequence[Sequence[Operation]], schema: Schema) -> tuple[Sequence[Operation], ...]:
        """Those of `changes`, each given by its operations with their files, that the files do not say now."""
        own = (edit for edit in self._written.files if not is_manifest(edit.file))
        written = (ExpectationFile(edit.file, edit.after, edit.new) for edit in own)
        manifests = manifests_in(op for one in changes for op in one)
        texts = read_texts(self.checkout.test_config, schema, (*self._known, *written), manifests)
        return tuple(changes[at] for at in missing(changes, Present(texts.parsed(schema))))

    def _write(self, ids: Collection[int], schema: Schema) -> WriteResult:
        changes, planned = self._planned(ids, schema)
        done = _written(changes, planned)
        paths = self._carry_out(planned, done.ids, done, self._write_files)
        operations = tuple(change.placed() for change in changes)
        return WriteResult(paths, operations, self.missing(operations, schema))

    def _write_files(self, planned: EditPlan) -> tuple[Path, ...]:
        return write(planned, self.checkout.test_config)

    def _delivering(
        self, drafts: Sequence[CommitDraft], schema: Schema, *, verify: bool, python: str
    ) -> Callable[[EditPlan], Delivered]:
        return lambda planned: deliver(
            self.checkout, planned, drafts, schema, verify=verify, python=python, planner=self.planner
        )

    def _planned(self, ids: Collection[int], schema: Schema) -> tuple[Sequence[Change], EditPlan]:
        """The accepted changes, with their plan for the present files."""
        manifests = manifests_in(op for change in self.pending.changes for op in change.placed())
        texts = read_texts(self.checkout.test_config, schema, self._known, manifests)
        present = self.complete(Present(texts.parsed(schema)))
        self.rebase(present)
        changes = [change for change in self.pending.accepted() if change.id in ids]
        _refuse_conflicts([found for change in changes for found in conflicts(change, present)])
        planned = self.planner.plan(texts, [op for change in changes for op in change.ops], schema)
        _refuse_rejected(planned)
        return changes, planned

    def _carry_out(
        self, planned: EditPlan, ids: tuple[int, ...], done: JournalEvent, work: Callable[[EditPlan], T]
    ) -> T:
        beginning = write_began(planned, ids)
        if planned.files:
            self._journal.record(lambda _: beginning)
        try:
            result = work(planned)
        except TTMatrixError:
            # The next start reports what could not be restored.
            if not is_halfway(found_in_files(beginning, self.checkout.test_config)):
                self._journal.record(lambda _: WriteAbandoned())
            raise
        self._written = planned
        # Before anybody reads the checkout again: a later write gives the files another stamp.
        paths = (os.fspath(path_of(self.checkout.test_config, edit.file)) for edit in planned.files)
        self._stamps = {path: stamp_of(path) for path in paths}
        if planned.files or ids:
            self._journal.record(lambda _: done)
        return result

    def _recover(self) -> None:
        """Finish or undo an interrupted write and commit, unless another process is working on it."""
        if self.state.writing is None and not is_left_behind(self.checkout.root):
            return
        try:
            with self.alone("recovering an interrupted write", wait=0):
                return
        except TTMatrixError:
            return

    def _finish_write(self) -> None:
        """Record how far a write came whose process is gone: only the sole writer may, and then nobody else writes."""
        if self.state.writing is None:
            return
        told: list[str] = []

        def outcome(state: PendingState) -> JournalEvent | None:
            told.clear()
            if state.writing is None:
                return None
            for one in state.writing.files:
                drop_leftovers(path_of(self.checkout.test_config, one.file))
            found = found_in_files(state.writing, self.checkout.test_config)
            told.append(recovery_notice(state.writing, found))
            return write_outcome(state.writing, found, state.pending.changes)

        self._journal.record(outcome)
        self._journal.notices.extend(told)

    def _tell_of_commit(self, base: str) -> None:
        """Report how far an interrupted commit on `base` came: git may have continued by itself."""
        with suppress(TTMatrixError):  # The commit may be gone by now.
            self.finished += Repository(self.checkout.root).made_since(base)
        made = " and ".join(one[:_SHORT] for one in self.finished)
        said = f"git finished {made} by itself" if made else "no commit was made"
        self._journal.notices.append(f"A commit was interrupted: {said}. Its lock on the index is removed.")

    def _step(self, wanted: Callable[[Pending], UndoStep]) -> None:
        def intent(state: PendingState) -> JournalEvent | None:
            step = wanted(state.pending)
            return Stepped(step) if step.edits else None

        self._journal.record(intent)


def _is_noted(issue: str, state: PendingState) -> bool:
    return any(one.restore == issue for one in state.reminders)


def _written(changes: Sequence[Change], planned: EditPlan) -> WriteDone:
    return WriteDone(tuple(change.id for change in changes), tuple(edit.file for edit in planned.files))


def _refuse_conflicts(found: Sequence[Conflict]) -> None:
    if found:
        places = "\n".join(f"{one.file}: {one.id}: {'.'.join(one.path) or 'the entry'}" for one in found[:_NAMED])
        raise TTMatrixError(
            f"{len(found)} of the fields were changed elsewhere too",
            f"{places}\nNothing was written.",
            "Take one side of each in the review.",
        )


def _refuse_rejected(planned: EditPlan) -> None:
    if planned.rejected:
        reasons = "\n".join(f"{one.op.id}: {one.why}" for one in planned.rejected[:_NAMED])
        count = len(planned.rejected)
        raise TTMatrixError(
            f"{counted(count, 'operation')} cannot be done", reasons, "Nothing was written. Reject those changes."
        )
