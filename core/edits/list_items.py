# SPDX-License-Identifier: Apache-2.0
"""One marker or arch more or less in many entries: an item where there is a list, a list where there is none."""

from collections.abc import Iterable, Sequence

from core.edits.bulk import home_file
from core.edits.operations import Operation, OpKind
from core.errors import UsageError
from core.matrix.effective import supported_archs, texts
from core.matrix.matrix import Matrix
from core.model import Entry

LIST_FIELDS = ("markers", "supported_archs")


def listed(entry: Entry | None, field: str) -> tuple[str, ...]:
    """What counts for a field of LIST_FIELDS at the entry; without a list of archs that is the default (spec 2.2)."""
    if field == "supported_archs":
        return supported_archs(entry)
    return tuple(texts(entry.fields.get(field))) if entry else ()


def with_item(matrix: Matrix, ids: Iterable[str], field: str, item: str) -> tuple[Operation, ...]:
    """Operations that add `item` for each of `ids` that lacks it. An id without an entry gets one."""
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
    return tuple(found)


def without_item(matrix: Matrix, ids: Iterable[str], field: str, item: str) -> tuple[Operation, ...]:
    """Operations that take `item` away from each of `ids` that has it.

    Raises UsageError where no arch would be left, as upstream takes an empty list for the default.
    """
    found = []
    for id in ids:
        entry = matrix.entries.get(id)
        items = listed(entry, field)
        left = [one for one in items if one != item]
        if entry is None or item not in items:
            continue
        if not left and field == "supported_archs":
            raise UsageError(f"{id} is supported on {item} alone", "Without an arch it would get the default ones.")
        found.append(_one(entry, field, OpKind.REMOVE, item, left))
    return tuple(found)


def _one(entry: Entry, field: str, kind: OpKind, item: str, items: Sequence[str]) -> Operation:
    if isinstance(entry.fields.get(field), list) and entry.fields[field]:
        return Operation(kind, entry.id, entry.file, (field,), item)
    if items:
        return Operation(OpKind.SET, entry.id, entry.file, (field,), list(items))
    return Operation(OpKind.UNSET, entry.id, entry.file, (field,))
