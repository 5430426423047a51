# SPDX-License-Identifier: Apache-2.0
"""Entries as plain values, apart from any text: what an operation finds, and the result of applying it."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from hashlib import blake2b

from core.edits.operations import OVERRIDES, Operation, OpKind, case_name, is_manifest, short_id
from core.edits.yaml import canonical, field_change, meaning_of
from core.sources import ExpectationFile

Fields = Mapping[str, object]
"""The fields of one entry as YAML parses them, `arch_overrides` included."""
Key = tuple[str, str]
"""File and id of an entry."""


class Absence(Enum):
    """The absence of a value, which is not the same as a value that is null."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT


def same(one: object, other: object) -> bool:
    """Whether two values mean the same in YAML: true is not 1, and 1 is not 1.0."""
    if ABSENT in (one, other):
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return one is other or _canonical(one) == _canonical(other)


def value_at(fields: Fields | None, path: Sequence[str]) -> object:
    """The value of a field, ABSENT if there is none."""
    found: object = ABSENT if fields is None else fields
    for name in path:
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, Mapping) and name in found:
            found = found[name]
        else:
            return ABSENT
    return found


def with_value(fields: Fields, path: Sequence[str], value: object) -> Fields:
    """`fields` with one value set; ABSENT removes the value, together with the mappings that get empty by that."""
    name, *rest = path
    if rest:
        inner = fields.get(name)
        if isinstance(inner, list):
            value = _with_item(inner, rest, value)
        else:
            value = with_value(inner if isinstance(inner, Mapping) else {}, rest, value) or ABSENT
    result = {key: one for key, one in fields.items() if key != name or value is not ABSENT}
    return result if value is ABSENT else {**result, name: value}


def _with_item(items: list[object], path: Sequence[str], value: object) -> list[object]:
    """`items` with one value set inside one of them; unchanged if there is no item at that place."""
    number, *rest = path
    if value_at({"": items}, ("", number)) is ABSENT:
        return items
    inner = items[int(number)]
    if rest:
        value = with_value(inner, rest, value) if isinstance(inner, Mapping) else inner
    return [*items[: int(number)], inner if value is ABSENT else value, *items[int(number) + 1 :]]


def after(fields: Fields | None, operation: Operation) -> Fields | None:
    """The fields of one entry after an operation; None: there is no entry. Ids and files are not compared.

    An operation that cannot be applied changes nothing.
    """
    if operation.is_entry:
        match operation.op:
            case OpKind.ADD if operation.is_case and isinstance(operation.value, Mapping):
                return canonical({"name": case_name(operation), **operation.value})
            case OpKind.ADD:
                return operation.value if isinstance(operation.value, Mapping) else None
            case OpKind.REMOVE:
                return None
        return fields
    if fields is None:
        return None
    found = value_at(fields, operation.path)
    if operation.renames_key:
        return fields if found is ABSENT else _with_key(fields, operation.path, str(operation.to))
    change = field_change(None if found is ABSENT else meaning_of(found), operation)
    if change is None:
        return fields
    return with_value(fields, change.path, ABSENT if change.op is OpKind.UNSET else change.value)


def fields_after(fields: Fields | None, operations: Iterable[Operation]) -> Fields | None:
    """As `after`, for operations that are applied in order."""
    for one in operations:
        fields = after(fields, one)
    return fields


def _with_key(fields: Fields, path: Sequence[str], to: str) -> Fields:
    """`fields` with the key at `path` renamed to `to`, in its place."""
    holder = value_at(fields, path[:-1])
    assert isinstance(holder, Mapping)
    named = {to if name == path[-1] else name: value for name, value in holder.items()}
    return with_value(fields, path[:-1], named) if len(path) > 1 else named


class EntryStates:
    """The fields of entries while operations are applied to them, one after the other."""

    def __init__(self) -> None:
        self.entries: dict[Key, Fields | None] = {}
        """By file and id; None: the entry has been removed. Entries that are not in it are unknown."""

    def key(self, operation: Operation, otherwise: Key) -> Key:
        """The entry that an operation is about: in the file it names, else a known one, else `otherwise`."""
        if operation.file is not None:
            return operation.file, operation.id
        there = (key for key, fields in self.entries.items() if key[1] == operation.id and fields is not None)
        return next(there, otherwise)

    def apply(self, operation: Operation, key: Key) -> Key:
        """Apply `operation` to the entry `key`; returns the key of the entry afterwards."""
        fields = self.entries.get(key)
        target = key_after(operation, key)
        if target is None:
            self.entries[key] = after(fields, operation)
            return key
        self.entries[key] = None
        self.entries[target] = fields
        return target


def key_after(operation: Operation, key: Key) -> Key | None:
    """Where the entry `key` is once `operation` has renamed it or moved it to another file; None: it does neither."""
    if not operation.is_entry or operation.to is None:
        return None
    return (key[0], operation.to) if operation.op is OpKind.RENAME else (operation.to, key[1])


def leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every field below `path` that can be set by one operation, with its path."""
    if isinstance(value, Mapping) and (not path or path[0] == OVERRIDES):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif value is not None:
        yield path, value


def without_nulls(fields: Fields) -> dict[str, object]:
    """`fields` in the form that an operation can set: without nulls."""
    result: dict[str, object] = {}
    for name, value in fields.items():
        if name == OVERRIDES and isinstance(value, Mapping):
            archs = {arch: without_nulls(inner) for arch, inner in value.items() if isinstance(inner, Mapping)}
            value = {arch: inner for arch, inner in archs.items() if inner} or None
        if value is not None:
            result[name] = value
    return result


class Present:
    """The entries in the files of a checkout at one time."""

    def __init__(self, files: Iterable[ExpectationFile]) -> None:
        files = tuple(files)
        self.entries: dict[str, dict[str, Fields]] = {
            file.name: {entry.id: entry.fields for entry in file.editable} for file in files
        }
        self.broken = frozenset(
            file.name for file in files if any(finding.kind == "broken-yaml" for finding in file.findings)
        )
        """Files that cannot be read now: their entries are unknown."""

    @classmethod
    def of(cls, entries: Mapping[str, Mapping[str, Fields]]) -> "Present":
        """Make one from entries, by file and id."""
        made = cls(())
        made.entries = {file: dict(some) for file, some in entries.items()}
        return made

    def with_files(self, files: Iterable[ExpectationFile]) -> "Present":
        """A copy with these files added, or replacing those of the same names."""
        more = Present(files)
        both = Present.of({**self.entries, **more.entries})
        both.broken = (self.broken - more.entries.keys()) | more.broken
        return both

    def without_files(self, names: Collection[str]) -> "Present":
        """A copy in which these files cannot be read."""
        left = Present.of({file: some for file, some in self.entries.items() if file not in names})
        left.broken = self.broken.union(names)
        return left

    @cached_property
    def digests(self) -> Mapping[str, Mapping[str, str]]:
        """The digest of every entry, by file and id."""
        return {file: {id: digest(fields) for id, fields in one.items()} for file, one in self.entries.items()}

    def fields(self, key: Key) -> Fields | None:
        """The fields of an entry, None if the file has no entry of that id."""
        file, id = key
        return self.entries.get(file, {}).get(short_id(id, file) if is_manifest(file) else id)

    def find(self, operation: Operation) -> Key:
        """The entry that an operation is about; if no file has the id: in the file that the operation names, or ""."""
        if operation.file is not None:
            return operation.file, operation.id
        found = [file for file, entries in self.entries.items() if operation.id in entries]
        return (found[-1] if found else ""), operation.id


def digest(fields: Fields) -> str:
    """A short text that is equal for two entries only if they have equal values."""
    return blake2b(_canonical(fields).encode(), digest_size=6).hexdigest()


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
