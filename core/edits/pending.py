# SPDX-License-Identifier: Apache-2.0
"""Changes that wait for a person's decision, as an immutable value with undo and redo without end."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from core.edits.operations import Operation


class Decision(StrEnum):
    """What a person said about a change."""

    UNDECIDED = "undecided"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Change:
    """Operations that are accepted or rejected together."""

    ops: tuple[Operation, ...]
    note: str = ""
    """Why it is proposed, in words for a person."""
    decision: Decision = Decision.UNDECIDED


@dataclass(frozen=True, slots=True)
class Pending:
    """The changes in the order they were proposed. Every method returns a new value.

    Several operations on one field are all kept: operations are applied in order, so the later one wins.
    """

    changes: tuple[Change, ...] = ()
    past: tuple[tuple[Change, ...], ...] = ()
    """What `changes` was before, the latest last."""
    future: tuple[tuple[Change, ...], ...] = ()
    """What `undo` took back, the next to redo last."""

    def propose(self, *changes: Change) -> "Pending":
        """Append `changes`, as one step of undo."""
        return self._step((*self.changes, *changes))

    def accept(self, *indexes: int) -> "Pending":
        """Accept the changes at `indexes`. Raises IndexError where there is no such change."""
        return self.decide(Decision.ACCEPTED, indexes)

    def reject(self, *indexes: int) -> "Pending":
        """Reject the changes at `indexes`. Raises IndexError where there is no such change."""
        return self.decide(Decision.REJECTED, indexes)

    def decide(self, decision: Decision, indexes: Iterable[int]) -> "Pending":
        """Give the changes at `indexes` one decision, as one step of undo; it may be taken again and again."""
        changes = list(self.changes)
        for index in indexes:
            if not 0 <= index < len(changes):
                raise IndexError(f"there is no change {index}")
            changes[index] = replace(changes[index], decision=decision)
        return self._step(tuple(changes))

    def undo(self) -> "Pending":
        """Before the last step; the same value where there is none."""
        if not self.past:
            return self
        return Pending(self.past[-1], self.past[:-1], (*self.future, self.changes))

    def redo(self) -> "Pending":
        """After the step that was undone last; the same value where there is none."""
        if not self.future:
            return self
        return Pending(self.future[-1], (*self.past, self.changes), self.future[:-1])

    def written(self) -> "Pending":
        """After the accepted changes went to disk: they leave, and undo does not reach back behind that."""
        return Pending(tuple(one for one in self.changes if one.decision is not Decision.ACCEPTED))

    def accepted_operations(self) -> tuple[Operation, ...]:
        """The operations of all accepted changes, in order."""
        return tuple(op for one in self.changes if one.decision is Decision.ACCEPTED for op in one.ops)

    def _step(self, changes: tuple[Change, ...]) -> "Pending":
        return self if changes == self.changes else Pending(changes, (*self.past, self.changes))
