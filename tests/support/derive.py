# SPDX-License-Identifier: Apache-2.0
"""Derive operations from the contents of files before and after."""

from collections.abc import Iterator, Mapping, Sequence

from core.edits import Operation, OpKind
from core.edits.operations import OVERRIDES
from core.edits.yaml import meaning_of
from core.sources import parse_expectations
from tests.support.pairing import renames

Fields = Mapping[str, object]
Files = Mapping[str, Mapping[str, Fields]]
"""The fields of each entry, by its file (relative to test_config) and its id."""


def derive(before: Files, after: Files) -> tuple[Operation, ...]:
    """The smallest operations that turn `before` into `after`: `apply(derive(a, b), a) == b`.

    An id that left one file for another is moved; a key replaced by a similar one with the same fields is
    renamed; for a list only the added and removed items are named. Order and comments do not count. Both
    sides must have the same files. A value that an entry cannot have (a null, a mapping in place of a field) becomes an
    operation that is rejected.
    """
    return tuple(_derive(before, after))


def inverse(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Operation, ...]:
    """Operations that lead from the texts `after` back to the values in the texts `before`; both by file name.

    They restore values, but not the comments removed with them: for a file that is unchanged since the write,
    its old text is the better way back (`plan.undo`).
    """
    return derive(_fields(after), _fields(before))


def _fields(texts: Mapping[str, str]) -> Files:
    return {
        name: {entry.id: entry.fields for entry in parse_expectations(text, name).entries}
        for name, text in texts.items()
    }


def _derive(before: Files, after: Files) -> Iterator[Operation]:
    moved: dict[str, dict[str, Fields]] = {file: {} for file in after}
    for file, target, identifier in _moves(before, after):
        yield Operation(OpKind.MOVE, identifier, file, to=target)
        moved[target][identifier] = before[file][identifier]
    arrived = {identifier for entries in moved.values() for identifier in entries}
    for file, wanted in after.items():
        present = {one: fields for one, fields in before[file].items() if one in wanted or one not in arrived}
        yield from _in_file(file, {**present, **moved[file]}, wanted)


def _moves(before: Files, after: Files) -> Iterator[tuple[str, str, str]]:
    """Source, target and id of each entry that is in one file before and in one other after."""
    for target, wanted in after.items():
        for identifier in wanted.keys() - before[target].keys():
            sources = [file for file in before if identifier in before[file] and identifier not in after[file]]
            if len(sources) == 1 and sum(identifier in entries for entries in after.values()) == 1:
                yield sources[0], target, identifier


def _in_file(file: str, before: Mapping[str, Fields], after: Mapping[str, Fields]) -> Iterator[Operation]:
    pairs = renames(before, after)
    for old, new in pairs.items():
        yield Operation(OpKind.RENAME, old, file, to=new)
    for identifier in before:
        if identifier not in after and identifier not in pairs:
            yield Operation(OpKind.REMOVE, identifier, file)
    origin = {new: old for old, new in pairs.items()}
    for identifier, wanted in after.items():
        present = before.get(origin.get(identifier, identifier))
        if present is None:
            yield Operation(OpKind.ADD, identifier, file, value=dict(wanted))
        else:
            yield from changes(identifier, file, present, wanted)


def changes(
    identifier: str, file: str | None, before: Fields, after: Fields, outer: tuple[str, ...] = ()
) -> Iterator[Operation]:
    """Operations that turn the fields `before` into `after`, in one entry or below `outer` in it."""
    for name in before:
        if name not in after:
            yield Operation(OpKind.UNSET, identifier, file, (*outer, name))
    for name, wanted in after.items():
        path, present = (*outer, name), before.get(name)
        if _is_nested(path) and isinstance(wanted, Mapping) and wanted and (present or name not in before):
            yield from changes(identifier, file, present if isinstance(present, Mapping) else {}, wanted, path)
        elif name not in before or meaning_of(present) != meaning_of(wanted):
            yield from _field(identifier, file, path, present, wanted)


def _field(
    identifier: str, file: str | None, path: tuple[str, ...], present: object, wanted: object
) -> Iterator[Operation]:
    items = _items(present, wanted)
    if items is None:
        yield Operation(OpKind.SET, identifier, file, path, wanted)
        return
    gone, come = items
    yield from (Operation(OpKind.REMOVE, identifier, file, path, item) for item in gone)
    yield from (Operation(OpKind.ADD, identifier, file, path, item) for item in come)


def _items(present: object, wanted: object) -> tuple[list[object], list[object]] | None:
    """Removed and added items, if they describe the change completely: no duplicates, and the rest keeps its order."""
    if not (isinstance(present, list) and isinstance(wanted, list) and present and wanted):
        return None
    if any(isinstance(item, list | dict) or item is None for item in (*present, *wanted)):
        return None
    stay = [item for item in present if item in wanted]
    come = [item for item in wanted if item not in present]
    distinct = all(len({repr(item) for item in items}) == len(items) for items in (present, wanted))
    if not stay or not distinct or repr([*stay, *come]) != repr(wanted):
        return None
    return [item for item in present if item not in wanted], come


def _is_nested(path: Sequence[str]) -> bool:
    return path[0] == OVERRIDES and len(path) < 3
