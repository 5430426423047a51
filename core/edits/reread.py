# SPDX-License-Identifier: Apache-2.0
"""Look into the files again after a write: which changes are in them, and which are not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.edits.operations import OVERRIDES, Operation, OpKind
from core.edits.values import ABSENT, Fields, Key, Present, after, leaves, same, value_at


@dataclass(slots=True)
class _Done:
    """An operation that was written, and where its entry stands after all later ones."""

    change: int
    op: Operation
    key: Key


def missing(changes: Sequence[Sequence[Operation]], present: Present) -> tuple[int, ...]:
    """Which of `changes`, counted from 0 and written in this order, the files do not say.

    Judged is what the last operation on a place asked for; what else an entry holds is not looked at.
    """
    entries: dict[Key, Fields | None] = {}
    done: list[_Done] = []
    for number, operations in enumerate(changes):
        for op in operations:
            key = _key(op, entries, present)
            done.append(_Done(number, op, key))
            _do(op, key, entries, done)
    lost = {one.change for one in done if not _is_there(one.op, entries.get(one.key), present.fields(one.key))}
    return tuple(sorted(lost))


def _key(op: Operation, entries: dict[Key, Fields | None], present: Present) -> Key:
    if op.file is not None:
        return op.file, op.id
    standing = (key for key, fields in entries.items() if key[1] == op.id and fields is not None)
    return next(standing, None) or present.find(op)


def _do(op: Operation, key: Key, entries: dict[Key, Fields | None], done: Iterable[_Done]) -> None:
    # Nothing is known of an entry but what is asked of it, and no more is needed.
    fields = entries.get(key) or {}
    if not (op.is_entry and op.op in (OpKind.RENAME, OpKind.MOVE)):
        entries[key] = after(fields, op)
        return
    target = (key[0], str(op.to)) if op.op is OpKind.RENAME else (str(op.to), key[1])
    entries[key], entries[target] = None, fields
    for one in done:
        if one.key == key:
            one.key = target


def _is_there(op: Operation, wanted: Fields | None, found: Fields | None) -> bool:
    if wanted is None or found is None:
        return wanted is None and found is None
    if op.is_item:
        items = [item for item in (op.value, op.to) if item is not None]
        return all(_holds(wanted, op, item) == _holds(found, op, item) for item in items)
    if op.is_override and op.op is OpKind.RENAME:
        # What the override held is not known; that it has the other name is all that was asked.
        return value_at(found, op.path) is ABSENT and value_at(found, (OVERRIDES, str(op.to))) is not ABSENT
    paths = [op.path] if op.path else [path for path, _ in leaves(wanted)] if op.op is OpKind.ADD else []
    return all(same(value_at(wanted, path), value_at(found, path)) for path in paths)


def _holds(fields: Fields, op: Operation, item: object) -> bool:
    found = value_at(fields, op.path)
    return item in found if isinstance(found, list) else item == found
