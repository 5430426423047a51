# SPDX-License-Identifier: Apache-2.0
"""Edit a change that is pending: what it proposes is what the edit begins with, and it stays one change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.edits.operations import Operation, OpKind
from core.edits.synthesis import operations_to
from core.edits.values import Fields, after, without_nulls
from core.errors import UsageError
from core.matrix.acting import with_fields
from core.matrix.kept import Late
from core.matrix.matrix import Matrix, Written
from core.model import Entry


def as_proposed(matrix: Matrix, operations: Sequence[Operation]) -> Matrix:
    """`matrix` with the entries as `operations` would have them; what is derived from entries stays as it is.

    Raises UsageError where they do not say what an entry holds, but take it away, rename it or move it.
    """
    entries: dict[str, Entry] = {}
    for op in operations:
        _refuse_unfit(matrix, op)
        entry = entries.get(op.id) or matrix.entries.get(op.id)
        fields = after(entry.fields if entry else None, op)
        if fields is not None:
            entries[op.id] = with_fields(entry or Entry(op.id, op.file or "", 0, 0), fields)
    files = (
        file._replace(entries=tuple(entries.get(one.id, one) for one in file.entries))
        if any(entry.file == file.name for entry in entries.values())
        else file
        for file in matrix.files
    )
    return replace(matrix, written=Late(Written(tuple(files), {**matrix.entries, **entries})))


def amended(matrix: Matrix, operations: Sequence[Operation], edits: Sequence[Operation]) -> tuple[Operation, ...]:
    """`operations` and then `edits` as if they were made at once; what is not edited is left as it was proposed.

    Both are as `as_proposed` and what is made on top of it have them. Empty: all is as the files say.
    """
    new: dict[str, Sequence[Operation]] = {
        id: _at_once(matrix.entries.get(id), [op for op in (*operations, *edits) if op.id == id])
        for id in dict.fromkeys(op.id for op in edits)
    }
    order = dict.fromkeys(op.id for op in (*operations, *edits))
    own = {id: new.get(id, [op for op in operations if op.id == id]) for id in order}
    return tuple(op for id in order for op in own[id])


def _at_once(entry: Entry | None, operations: Sequence[Operation]) -> Sequence[Operation]:
    """The shortest way from `entry` to what `operations`, taken in order, make of it."""
    id = operations[0].id
    fields = _after_all(entry.fields if entry else None, operations)
    if fields is None:
        return ()
    if entry is None:
        file = next((op.file for op in operations if op.file), None)
        return [Operation(OpKind.ADD, id, file, value=value)] if (value := without_nulls(fields)) else ()
    return operations_to(id, entry.file, entry.fields, fields)


def _after_all(fields: Mapping[str, object] | None, operations: Iterable[Operation]) -> Fields | None:
    for op in operations:
        fields = after(fields, op)
    return fields


def _refuse_unfit(matrix: Matrix, op: Operation) -> None:
    entry = matrix.entries.get(op.id)
    if op.is_entry and op.op is not OpKind.ADD:
        raise UsageError(
            f"This change is to {op.op} {op.id} as a whole", "It has no fields to edit: reject it instead."
        )
    if entry is not None and op.file not in (None, entry.file):
        raise UsageError(
            f"{op.id} stands in {op.file} and in {entry.file}", "Only the entry that counts can be edited."
        )
