# SPDX-License-Identifier: Apache-2.0
"""Changes that wait for a person's decision, and the steps that led to them, as immutable values."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from core.edits.apply import Fields, Key, Present, key_after
from core.edits.facts import CellFacts, Cited, grade_line, with_gates
from core.edits.operations import Operation


class Decision(StrEnum):
    """What a person said about a change."""

    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class BaseEntry:
    """An entry as it was when a change to it was proposed; later edits by others are compared with it."""

    file: str
    id: str
    fields: Fields | None
    """None: the entry did not exist."""

    @property
    def key(self) -> Key:
        return self.file, self.id


@dataclass(frozen=True, slots=True)
class Change:
    """Operations that are accepted or rejected together."""

    ops: tuple[Operation, ...]
    note: str = ""
    """Why it is proposed, for a person to read."""
    decision: Decision = Decision.UNDECIDED
    bases: tuple[BaseEntry, ...] = ()
    """One for every entry that `ops` touch and that existed before them."""
    id: int = 0
    """Assigned when it is proposed, and never reused in the same checkout; 0: not proposed yet."""
    evidence: tuple[str, ...] = ()
    """What justifies it, a line each; the commit message cites these unless there are facts."""
    facts: tuple[CellFacts, ...] = ()
    """What its results show, as they were when it was proposed; `cited` is up to date."""
    restore: str = ""
    """The issue, `owner/repository#number`, after whose end the entry is to be as before; empty: none was noted."""
    cause: str = ""
    """What it shares with other changes that follow from the same results; commits can be split by it."""
    grade: int | None = None
    """How much its evidence weighs, from 1 to MOST_GRADE; None: it does not say, as a person's own operations."""
    grade_why: str = ""
    """What the grade rests on, in one line."""

    @property
    def grade_line(self) -> str:
        """The grade with what it rests on; empty: it has none."""
        return grade_line(self.grade, self.grade_why)

    @property
    def cited(self) -> tuple[Cited, ...]:
        """What a commit cites of it."""
        return (*([self.restore_words] if self.restore else []), *self.shown)

    @property
    def restore_words(self) -> str:
        """The note about the issue, for a person and a commit."""
        return f"Restore when {self.restore} is closed" if self.restore else ""

    @property
    def shown(self) -> tuple[Cited, ...]:
        """What results show: facts, or lines where there are none."""
        fields = {base.id: base.fields for base in self.bases}
        by_id: dict[str, list[CellFacts]] = {}
        for one in self.facts:
            by_id.setdefault(one.id, []).append(one)
        found = (
            fact
            for id, facts in by_id.items()
            for fact in with_gates(facts, fields.get(id), (op for op in self.ops if op.id == id))
        )
        return tuple(found) or self.evidence

    def base_of(self, operation: Operation) -> BaseEntry | None:
        """The entry that one of `ops` was made against; None if an earlier one of them creates it."""
        fits = (one for one in self.bases if one.id == operation.id and operation.file in (None, one.file))
        return next(fits, None)

    def key_of(self, operation: Operation) -> Key:
        """The entry that one of `ops` is about; its file is "" if neither the operation nor a base names it."""
        base = self.base_of(operation)
        return base.key if base else (operation.file or "", operation.id)

    def placed(self) -> tuple[Operation, ...]:
        """`ops`, each with its file if that is known."""
        return tuple(
            op if op.file is not None or (base := self.base_of(op)) is None else replace(op, file=base.file)
            for op in self.ops
        )


@dataclass(frozen=True, slots=True)
class Put:
    """One change was added, removed or replaced; undone by putting `before` in place of `after`."""

    before: Change | None
    after: Change | None

    @property
    def id(self) -> int:
        found = self.after or self.before
        return found.id if found else 0


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision on one change."""

    id: int
    before: Decision
    after: Decision


StepEdit = Put | Decided


@dataclass(frozen=True, slots=True)
class UndoStep:
    """What one undo takes back."""

    edits: tuple[StepEdit, ...]
    offers: bool = False
    """Whether it is a write: undoing it leaves the files alone and proposes the inverse."""


@dataclass(frozen=True)
class Pending:
    """The changes in the order they were proposed, with the steps for undo and redo.

    Several operations on one field all stay: they are applied in order, so the last one wins.
    """

    changes: tuple[Change, ...] = ()
    past: tuple[UndoStep, ...] = ()
    """The latest is last."""
    future: tuple[UndoStep, ...] = ()
    """The steps that undo took back; the next to redo is last."""
    next_id: int = 1

    def change(self, id: int) -> Change | None:
        """The change of that id, None if it is gone."""
        return next((change for change in self.changes if change.id == id), None)

    def about(self, id: str) -> Sequence[Change]:
        """The changes with an operation on the entry of this id, in order."""
        return self._by_id.get(id, ())

    @cached_property
    def _by_id(self) -> Mapping[str, Sequence[Change]]:
        found: dict[str, list[Change]] = {}
        for change in self.changes:
            for id in {op.id for op in change.ops}:
                found.setdefault(id, []).append(change)
        return found

    def accepted(self) -> tuple[Change, ...]:
        """The accepted changes, in order."""
        return tuple(change for change in self.changes if change.decision is Decision.ACCEPTED)

    def to_commit(self) -> tuple[Change, ...]:
        """What a commit would have: the accepted changes, or all that are not rejected while none is accepted."""
        return self.accepted() or tuple(one for one in self.changes if one.decision is not Decision.REJECTED)

    def accepted_operations(self) -> tuple[Operation, ...]:
        """The operations of all accepted changes, in order."""
        return tuple(op for change in self.accepted() for op in change.ops)

    def proposal(self, *changes: Change) -> UndoStep:
        """The step that adds `changes`, each with a new id."""
        numbered = (replace(change, id=self.next_id + at) for at, change in enumerate(changes))
        return UndoStep(tuple(Put(None, change) for change in numbered))

    def decision(self, decision: Decision, ids: Collection[int]) -> UndoStep:
        """The step that gives changes one decision; changes that have it already, or are gone, are skipped."""
        wanted = frozenset(ids)
        return UndoStep(
            tuple(
                Decided(change.id, change.decision, decision)
                for change in self.changes
                if change.id in wanted and change.decision is not decision
            )
        )

    def noting(self, issue: str, ids: Collection[int]) -> UndoStep:
        """The step that notes with changes that they are to be undone once an issue is closed; empty: not any more."""
        wanted = frozenset(ids)
        changes = (one for one in self.changes if one.id in wanted and one.restore != issue)
        return UndoStep(tuple(Put(one, replace(one, restore=issue)) for one in changes))

    def same_change(self, one: Change) -> bool:
        """Whether a change is pending as it is, whatever its decision."""
        old = self.change(one.id)
        return old is not None and replace(one, decision=old.decision) == old

    def replacement(self, id: int, new: Change | None) -> UndoStep:
        """The step that replaces a change by `new`, or removes it."""
        old = self.change(id)
        new = replace(new, id=id) if new else None
        return UndoStep((Put(old, new),) if old and old != new else ())


def bases_of(operations: Sequence[Operation], present: Present) -> tuple[BaseEntry, ...]:
    """The entries in `present` that `operations` touch; entries that they create themselves are left out."""
    found: dict[Key, BaseEntry] = {}
    made: set[Key] = set()
    for operation in operations:
        key = present.find(operation)
        if key not in made and (operation.file is not None or operation.id not in {id for _, id in made}):
            found.setdefault(key, BaseEntry(*key, present.fields(key)))
        if (target := key_after(operation, key)) is not None:
            made |= {key, target}
    return tuple(found.values())


def evidence_of(changes: Iterable[Change]) -> dict[str, tuple[Cited, ...]]:
    """What justifies `changes`, by id of test."""
    return {op.id: cited for change in changes if (cited := change.cited) for op in change.ops}


def causes_of(changes: Iterable[Change]) -> dict[str, str]:
    """The causes of `changes`, by id of test."""
    return {op.id: change.cause for change in changes if change.cause for op in change.ops}


def proposed(operations: Iterable[Operation], note: str, present: Present) -> Change:
    """A change of `operations` that were made against the entries in `present`."""
    operations = tuple(operations)
    return Change(operations, note, bases=bases_of(operations, present))
