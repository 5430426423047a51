# SPDX-License-Identifier: Apache-2.0
"""Compare a change with the files as they are now: what is done already, what conflicts, and which side wins."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from core.edits.apply import (
    ABSENT,
    EntryStates,
    Fields,
    Key,
    Present,
    after,
    key_after,
    leaves,
    same,
    value_at,
    with_value,
    without_nulls,
)
from core.edits.operations import Operation, OpKind
from core.edits.pending.change import BaseEntry, Change


class Take(StrEnum):
    """Which side of a conflict wins."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class Conflict:
    """One place that was changed elsewhere after an operation was made against it."""

    op: Operation
    file: str
    path: tuple[str, ...]
    """The field; empty if the conflict is about the whole entry."""
    base: object
    """The value that the person saw, ABSENT if there was none. For a whole entry: its fields."""
    theirs: object
    """The value that the file has now."""
    ours: object
    """The value that the operation would write."""

    @property
    def id(self) -> str:
        return self.op.id


def conflicts(change: Change, present: Present) -> tuple[Conflict, ...]:
    """Every place of `change` whose present value is neither the one it was based on nor the one it asks for."""
    return tuple(found for op, base in _based(change) if (found := _conflict(op, base, present)))


def is_done(change: Change, present: Present) -> bool:
    """Whether the files already have all that `change` asks for."""
    based = _based(change)
    return len(based) == len(change.ops) > 0 and all(_is_done(op, base, present) for op, base in based)


def resolve(change: Change, chosen: Iterable[Conflict], take: Take) -> Change | None:
    """`change` with some of its conflicts decided; None if nothing is left to do.

    THEIRS drops the operations in conflict. OURS keeps them, based on what the file says now: a removed entry is added
    again with its old fields and the operations, and an entry that somebody else added is changed to ours.
    """
    if take is Take.THEIRS:
        given_up = [conflict.op for conflict in chosen]
        change = replace(change, ops=tuple(op for op in change.ops if op not in given_up))
        return change if change.ops else None
    for conflict in chosen:
        change = _ours(change, conflict)
    return change if change.ops else None


def _ours(change: Change, conflict: Conflict) -> Change:
    base = change.base_of(conflict.op)
    if base is None:
        return change
    if conflict.theirs is ABSENT and not conflict.path:
        return _brought_back(change, base)
    theirs = conflict.theirs
    if conflict.path:
        fields = with_value(base.fields or {}, conflict.path, theirs)
    else:
        fields = theirs if isinstance(theirs, Mapping) else {}
    known = _rebased(change, base, replace(base, fields=fields))
    if conflict.op.op is not OpKind.ADD:
        return known
    needed = tuple(_differences(conflict.op, base.file, fields))
    return replace(known, ops=tuple(new for op in known.ops for new in (needed if op == conflict.op else (op,))))


def _brought_back(change: Change, base: BaseEntry) -> Change:
    """Replace all operations on a removed entry by one operation that adds it again."""
    own = [op for op in change.ops if change.base_of(op) == base]
    states, key = EntryStates(), base.key
    states.entries[key] = base.fields
    for op in own:
        key = states.apply(op, key)
    (file, id), fields = key, states.entries[key]
    # The change removes the entry in the end, or has no value to bring back: nothing is left to do.
    back = [Operation(OpKind.ADD, id, file, value=value)] if (value := without_nulls(fields or {})) else []
    at = change.ops.index(own[0])
    ops = (*change.ops[:at], *back, *(op for op in change.ops[at:] if op not in own))
    return replace(_rebased(change, base, BaseEntry(file, id, None)), ops=ops)


def _differences(op: Operation, file: str, theirs: Fields) -> Iterator[Operation]:
    """Operations that turn an entry with the fields `theirs` into what `op` (entry or override) would have added."""
    wanted = dict(leaves(op.value, op.path))
    for path, _ in leaves(value_at(theirs, op.path), op.path):
        if path not in wanted:
            yield Operation(OpKind.UNSET, op.id, file, path)
    for path, value in wanted.items():
        if not same(value, value_at(theirs, path)):
            yield Operation(OpKind.SET, op.id, file, path, value)


def _rebased(change: Change, old: BaseEntry, new: BaseEntry) -> Change:
    return replace(change, bases=tuple(new if base == old else base for base in change.bases))


def _based(change: Change) -> list[tuple[Operation, BaseEntry]]:
    """The operations whose entry was in the files, each with its base; not those on entries that others create."""
    found: list[tuple[Operation, BaseEntry]] = []
    made: set[Key] = set()
    for op in change.ops:
        base = change.base_of(op)
        if base is not None and base.key not in made:
            found.append((op, base))
        if op.is_entry:
            key = change.key_of(op)
            made |= {key, key_after(op, key) or key}
    return found


def _conflict(op: Operation, base: BaseEntry, present: Present) -> Conflict | None:
    if base.file in present.broken:
        return None
    now = present.fields(base.key)
    if op.is_item and now is not None:
        # Items are added and removed independently of other changes to the list.
        return None
    if op.path and now is not None:
        was, theirs = value_at(base.fields, op.path), value_at(now, op.path)
        ours = value_at(after(base.fields, op), op.path)
        clean = same(theirs, ours) or same(theirs, was)
        return None if clean else Conflict(op, base.file, op.path, was, theirs, ours)
    was, theirs = _or_absent(base.fields), _or_absent(now)
    if same(was, theirs) or _is_done(op, base, present):
        return None
    if op.op in (OpKind.RENAME, OpKind.MOVE) and now is not None:
        return None
    return Conflict(op, base.file, (), was, theirs, _or_absent(after(base.fields, op)))


def _is_done(op: Operation, base: BaseEntry, present: Present) -> bool:
    if base.file in present.broken:
        return False
    now = present.fields(base.key)
    if op.path:
        return now is not None and same(after(now, op), now) and _has_new_name(now, op)
    match op.op:
        case OpKind.ADD:
            return now is not None and same(now, op.value)
        case OpKind.REMOVE:
            # A missing file may come back: git removes a file before it writes it again.
            return now is None and base.fields is not None and base.file in present.entries
        case OpKind.RENAME | OpKind.MOVE:
            target = (base.file, str(op.to)) if op.op is OpKind.RENAME else (str(op.to), base.id)
            return target == base.key or (now is None and present.fields(target) is not None)
    return False


def _has_new_name(fields: Fields, op: Operation) -> bool:
    """Whether the new name of a rename inside an entry is already there; true for other operations."""
    if op.op is not OpKind.RENAME:
        return True
    if op.renames_key:
        return value_at(fields, (*op.path[:-1], str(op.to))) is not ABSENT
    found = value_at(fields, op.path)
    return isinstance(found, list) and op.to in found


def _or_absent(fields: Fields | None) -> object:
    return ABSENT if fields is None else fields
