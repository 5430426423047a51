# SPDX-License-Identifier: Apache-2.0
"""Take a change along when the entries it is about are renamed, moved or written by ourselves."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from core.edits.operations import Operation, OpKind
from core.edits.pending import Base, Change
from core.edits.values import Key, after

Carry = Callable[[Change], Change]


def along_renames(renames: Iterable[tuple[Key, Key]]) -> Carry:
    """A change to an entry that somebody renamed or moved to another file becomes one to the entry it is now."""
    new_keys: Mapping[Key, Key] = dict(renames)

    def carry(change: Change) -> Change:
        moved = {base.key: new_keys[base.key] for base in change.bases if base.key in new_keys}
        return _rekeyed(change, moved) if moved else change

    return carry


def over_write(written: Iterable[Change]) -> Carry:
    """A change to entries that we wrote ourselves is from then on one to what we made of them."""
    done = tuple((op, change.base_of(op)) for change in written for op in change.ops)
    ids = {op.id for op, _ in done}

    def carry(change: Change) -> Change:
        if ids.isdisjoint(base.id for base in change.bases):
            return change
        for op, base in done:
            change = _over(change, op, op.file or (base.file if base else ""))
        return change

    return carry


def _over(change: Change, written: Operation, file: str) -> Change:
    own = next((base for base in change.bases if base.id == written.id and file in ("", base.file)), None)
    if own is None:
        return change
    if written.is_entry and written.op in (OpKind.RENAME, OpKind.MOVE):
        to = str(written.to)
        return _rekeyed(change, {own.key: (own.file, to) if written.op is OpKind.RENAME else (to, own.id)})
    new = replace(own, fields=after(own.fields, written))
    return replace(change, bases=tuple(new if base is own else base for base in change.bases))


def _rekeyed(change: Change, moved: Mapping[Key, Key]) -> Change:
    """`change` with entries under other keys; an operation that names no file goes on naming none."""

    def operation(op: Operation) -> Operation:
        base = change.base_of(op)
        if base is None or base.key not in moved:
            return op
        file, id = moved[base.key]
        return replace(op, id=id, file=op.file and file)

    return replace(
        change,
        ops=tuple(map(operation, change.ops)),
        bases=tuple(Base(*moved.get(base.key, base.key), base.fields) for base in change.bases),
    )
