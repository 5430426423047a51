# SPDX-License-Identifier: Apache-2.0
"""Operations that undo what changes did to the entries they were made against."""

from collections.abc import Iterable, Iterator, Mapping

from core.edits.operations import Operation, OpKind
from core.edits.pending import Base, Change
from core.edits.values import ABSENT, Fields, Key, after, leaves, same, value_at, without_nulls


def inverse(changes: Iterable[Change]) -> Change | None:
    """The change that leads back from what `changes`, taken in order, made of their entries; None: none is needed.

    Comments that went with a removed entry, and nulls, are no values and do not come back.
    """
    entries: dict[Key, Fields | None] = {}
    back: list[Operation] = []
    for change in changes:
        for base in change.bases:
            entries.setdefault(base.key, base.fields)
        for op in change.ops:
            key = _key(change, op, entries)
            back.extend(_back(op, key, entries.get(key)))
            _do(op, key, entries)
    if not back:
        return None
    bases = (Base(*key, fields) for key, fields in entries.items())
    return Change(tuple(reversed(back)), "takes back what was written", bases=tuple(bases))


def _key(change: Change, op: Operation, entries: Mapping[Key, Fields | None]) -> Key:
    if op.file is not None:
        return op.file, op.id
    standing = [key for key, fields in entries.items() if key[1] == op.id and fields is not None]
    base = change.base_of(op)
    return standing[0] if standing else (base.file if base else "", op.id)


def _do(op: Operation, key: Key, entries: dict[Key, Fields | None]) -> None:
    if op.is_entry and op.op in (OpKind.RENAME, OpKind.MOVE):
        entries[_target(op, key)] = entries.get(key)
        entries[key] = None
    else:
        entries[key] = after(entries.get(key), op)


def _target(op: Operation, key: Key) -> Key:
    return (key[0], str(op.to)) if op.op is OpKind.RENAME else (str(op.to), key[1])


def _back(op: Operation, key: Key, found: Fields | None) -> Iterator[Operation]:
    """What undoes one operation on an entry with the fields `found`; the last to be done comes first."""
    file, id = key
    match op.op:
        case OpKind.ADD if op.is_entry:
            yield Operation(OpKind.REMOVE, id, file)
        case _ if found is None:
            return
        case OpKind.RENAME if op.is_override:
            yield Operation(OpKind.RENAME, id, file, (*op.path[:-1], str(op.to)), to=op.path[-1])
        case _ if op.path:
            yield from _field_back(op, key, found)
        case OpKind.REMOVE:
            fields = without_nulls(found)
            if fields:
                yield Operation(OpKind.ADD, id, file, value=fields)
        case OpKind.RENAME:
            yield Operation(OpKind.RENAME, str(op.to), file, to=id)
        case OpKind.MOVE:
            yield Operation(OpKind.MOVE, id, str(op.to), to=file)


def _field_back(op: Operation, key: Key, found: Fields) -> Iterator[Operation]:
    before = value_at(found, op.path)
    if same(before, value_at(after(found, op), op.path)):
        return
    if before is ABSENT or before is None:
        yield Operation(OpKind.UNSET, key[1], key[0], op.path)
        return
    for path, value in reversed([*leaves(before, op.path)]):
        yield Operation(OpKind.SET, key[1], key[0], path, value)
