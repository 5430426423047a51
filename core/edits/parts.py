# SPDX-License-Identifier: Apache-2.0
"""Add, remove and rename inside an entry, as the one field that is set or taken away for it."""

from dataclasses import replace

from core.edits.meaning import Meaning, at_path, is_scalar, meaning_of, value_of
from core.edits.operations import OVERRIDES, Operation, OpKind, Refused


def as_field(entry: Meaning, operation: Operation) -> Operation | None:
    """The `set` or `unset` that does to `entry` what `operation` asks for; None where that is so already.

    The last item of a list takes the field along: upstream reads an empty list as none (spec 2.2). In an override
    the empty list stays, for it hides the list of the entry. Raises Refused where there is nothing to act on.
    """
    if operation.op in (OpKind.SET, OpKind.UNSET):
        return operation
    if operation.is_override:
        return _override(entry, operation)
    present = at_path(entry, operation.path)
    items = _items(present, ".".join(operation.path))
    wanted = _changed(items, operation)
    if wanted == items:
        return None
    if not wanted and operation.path[0] != OVERRIDES:
        return replace(operation, op=OpKind.UNSET, value=None, to=None)
    values = list(map(value_of, wanted))
    one = present is not None and is_scalar(present) and len(values) == 1
    return replace(operation, op=OpKind.SET, value=values[0] if one else values, to=None)


def _override(entry: Meaning, operation: Operation) -> Operation | None:
    if operation.op is OpKind.REMOVE:
        return replace(operation, op=OpKind.UNSET)
    present, arch = at_path(entry, operation.path), operation.path[1]
    if present == meaning_of(operation.value):
        return None
    if present is not None and not present.is_empty:
        raise Refused(f"{arch} has overrides already; set their fields")
    return replace(operation, op=OpKind.SET)


def _items(present: Meaning | None, name: str) -> list[Meaning]:
    if present is None or present.is_empty:
        return []
    if is_scalar(present):
        return [present]
    if not present.is_list or not all(map(is_scalar, present.items)):
        raise Refused(f"{name} is no list of plain items; edit it by hand")
    return list(present.items)


def _changed(items: list[Meaning], operation: Operation) -> list[Meaning]:
    item = meaning_of(operation.value)
    match operation.op:
        case OpKind.ADD:
            return items if item in items else [*items, item]
        case OpKind.REMOVE:
            return [one for one in items if one != item]
        case _:
            to = meaning_of(operation.to)
            if item in items:
                return [to if one == item else one for one in items if one != to]
            if to in items:
                return items
            raise Refused(f"{'.'.join(operation.path)} has no item {operation.value}")
