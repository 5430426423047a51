# SPDX-License-Identifier: Apache-2.0
"""One "set fields" over many tests: what a person fills in once becomes operations for each entry.

With the entry as scope, a field has the value that the entry itself gives. With archs as scope, it has the effective
value, wherever that is written.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from core.base.errors import UsageError
from core.domain.model import Entry
from core.edits.apply import after, without_nulls
from core.edits.form_fields import read_field
from core.edits.operations import OVERRIDES, Operation, OpKind
from core.edits.synthesis import home_file, operations_to, synthesise
from core.matrix import Late, Matrix, Written, supported_archs, supports, text_of, texts, values_on, with_fields

Scope = str | tuple[str, ...]
"""Where fields are set: on one arch or on several; empty means at the entry itself."""
ENTRY_SCOPE = ""


def present_text(matrix: Matrix, ids: Iterable[str], scope: Scope, field: str) -> str | None:
    """The text of a field if all `ids` have the same, empty if none has it; None if they differ."""
    found = {text_of(values.get(field)) for id in ids for values in _values(matrix, id, _archs(scope))}
    return found.pop() if len(found) == 1 else None


def set_fields(matrix: Matrix, ids: Sequence[str], scope: Scope, filled: Mapping[str, str]) -> tuple[Operation, ...]:
    """Operations that give each of `ids` the `filled` texts; an empty text removes a field.

    With archs as `scope`, the effective values of the other archs that the test is marked for do not change, and the
    entry gets as few lines as possible: the value may be written at the entry and the others in overrides. Archs that
    the test is not marked for get overrides, which nothing reads. An id without an entry gets one, in the file of its
    siblings. Raises UsageError with field and text if the field cannot have that value.
    """
    values = {name: read_field(matrix, name, text) for name, text in filled.items()}
    return tuple(op for id in ids for op in _for_one(matrix, id, _archs(scope), values))


def _for_one(matrix: Matrix, id: str, archs: Sequence[str], values: Mapping[str, object]) -> Iterable[Operation]:
    entry = matrix.entries.get(id)
    before = entry.fields if entry else {}
    after = {name: value for name, value in values.items() if value is not None}
    if archs:
        marked = [arch for arch in matrix.schema.archs if supports(entry, arch)]
        after = synthesise(before, {arch: values for arch in archs if arch in marked}, marked)
        # Archs that the test is not marked for never change the entry itself, only their own overrides.
        after = _overridden(after, [arch for arch in archs if arch not in marked], values)
    if entry is None:
        return [Operation(OpKind.ADD, id, home_file(matrix, id), value=after)] if after else []
    return operations_to(id, entry.file, before, after) if archs else _as_filled(entry, values)


def _overridden(fields: Mapping[str, object], archs: Sequence[str], values: Mapping[str, object]) -> dict[str, object]:
    """`fields` with `values` in the overrides of `archs`; a value of None removes the field."""
    present = fields.get(OVERRIDES)
    overrides = dict(present) if isinstance(present, dict) else {}
    for arch in archs:
        old = overrides.get(arch)
        new = {**(old if isinstance(old, dict) else {}), **values}
        overrides[arch] = {name: value for name, value in new.items() if value is not None}
    left = {arch: override for arch, override in overrides.items() if override or arch not in archs}
    return {**fields, OVERRIDES: left} if left else {name: fields[name] for name in fields if name != OVERRIDES}


def _as_filled(entry: Entry, values: Mapping[str, object]) -> Iterable[Operation]:
    for name, value in values.items():
        if value is not None:
            yield Operation(OpKind.SET, entry.id, entry.file, (name,), value)
        elif name in entry.fields:
            yield Operation(OpKind.UNSET, entry.id, entry.file, (name,))


def _archs(scope: Scope) -> tuple[str, ...]:
    return (scope,) if scope and isinstance(scope, str) else tuple(scope)


def _values(matrix: Matrix, id: str, archs: Sequence[str]) -> Iterable[Mapping[str, object]]:
    entry = matrix.entries.get(id)
    return [values_on(entry, arch) for arch in archs] if archs else [entry.fields if entry else {}]


def refuse_without_file(matrix: Matrix, operations: Sequence[Operation]) -> None:
    """Raise UsageError if `operations` make entries in files that the checkout does not have: none is ever made."""
    if absent := absent_files(matrix, operations):
        without = [op for op in operations if _is_new_entry(op) and op.file in absent]
        whose = f"{without[0].id} has" if len(without) == 1 else f"{len(without):,} tests have"
        hint = "" if len(operations) == 1 else "has:entry selects the tests that have one."
        raise UsageError(f"{whose} no entry, and there is no file {' or '.join(absent)} for one", "", hint)


def absent_files(matrix: Matrix, operations: Sequence[Operation]) -> list[str]:
    """The files for new entries of `operations` that the checkout does not have."""
    files = dict.fromkeys(str(op.file) for op in operations if _is_new_entry(op))
    return [file for file in files if not (matrix.checkout.test_config / file).is_file()]


def _is_new_entry(operation: Operation) -> bool:
    return operation.op is OpKind.ADD and operation.is_entry and bool(operation.file)


def with_operations(matrix: Matrix, operations: Sequence[Operation]) -> Matrix:
    """`matrix` with the entries after `operations`; data derived from entries is not updated.

    Raises UsageError for an operation that removes, renames or moves an entry.
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


def combined(matrix: Matrix, operations: Sequence[Operation], edits: Sequence[Operation]) -> tuple[Operation, ...]:
    """`operations` followed by `edits`, as one set of operations; what is not edited stays as proposed.

    Both must be allowed by `with_operations`. Empty: the result is what the files say.
    """
    new: dict[str, Sequence[Operation]] = {
        id: _at_once(matrix.entries.get(id), [op for op in (*operations, *edits) if op.id == id])
        for id in dict.fromkeys(op.id for op in edits)
    }
    order = dict.fromkeys(op.id for op in (*operations, *edits))
    own = {id: new.get(id, [op for op in operations if op.id == id]) for id in order}
    return tuple(op for id in order for op in own[id])


def _at_once(entry: Entry | None, operations: Sequence[Operation]) -> Sequence[Operation]:
    """The fewest operations that lead from `entry` to its state after all `operations`."""
    id = operations[0].id
    fields = reduce(after, operations, entry.fields if entry else None)
    if fields is None:
        return ()
    if entry is None:
        file = next((op.file for op in operations if op.file), None)
        return [Operation(OpKind.ADD, id, file, value=value)] if (value := without_nulls(fields)) else ()
    return operations_to(id, entry.file, entry.fields, fields)


def _refuse_unfit(matrix: Matrix, op: Operation) -> None:
    entry = matrix.entries.get(op.id)
    if op.is_entry and op.op is not OpKind.ADD:
        raise UsageError(
            f"This change is to {op.op} {op.id} as a whole", "It has no fields to edit: reject it instead."
        )
    if entry is not None and op.file not in (None, entry.file):
        raise UsageError(f"{op.id} is in {op.file} and in {entry.file}", "Only the entry that counts can be edited.")


LIST_FIELDS = ("markers", "supported_archs")


def listed(entry: Entry | None, field: str) -> tuple[str, ...]:
    """The effective items of a field of LIST_FIELDS at the entry; without a list of archs that is the default.

    See docs/rules.md 2.2.
    """
    if field == "supported_archs":
        return supported_archs(entry)
    return tuple(texts(entry.fields.get(field))) if entry else ()


def with_item(matrix: Matrix, ids: Iterable[str], field: str, item: str) -> tuple[Operation, ...]:
    """Operations that add `item` for each of `ids` that lacks it. An id without an entry gets one.

    Raises UsageError if there is no file for that.
    """
    found = []
    for id in ids:
        entry = matrix.entries.get(id)
        items = listed(entry, field)
        if item in items:
            continue
        if entry is None:
            found.append(Operation(OpKind.ADD, id, home_file(matrix, id), value={field: [*items, item]}))
        else:
            found.append(_one(entry, field, OpKind.ADD, item, [*items, item]))
    refuse_without_file(matrix, found)
    return tuple(found)


def without_item(matrix: Matrix, ids: Iterable[str], field: str, item: str) -> tuple[Operation, ...]:
    """Operations that remove `item` from each of `ids` that has it.

    Raises UsageError if no arch would be left, because upstream reads an empty list as the default.
    """
    found = []
    for id in ids:
        entry = matrix.entries.get(id)
        items = listed(entry, field)
        left = [one for one in items if one != item]
        if entry is None or item not in items:
            continue
        if not left and field == "supported_archs":
            raise UsageError(f"Only {item} supports {id}", "Without an arch it would get the default ones.")
        found.append(_one(entry, field, OpKind.REMOVE, item, left))
    return tuple(found)


def _one(entry: Entry, field: str, kind: OpKind, item: str, items: Sequence[str]) -> Operation:
    if isinstance(entry.fields.get(field), list) and entry.fields[field]:
        return Operation(kind, entry.id, entry.file, (field,), item)
    if items:
        return Operation(OpKind.SET, entry.id, entry.file, (field,), list(items))
    return Operation(OpKind.UNSET, entry.id, entry.file, (field,))
