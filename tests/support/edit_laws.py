# SPDX-License-Identifier: Apache-2.0
"""Invariants between a file and the result of operations on it, checked by lines and by another parser.

Changed lines are counted in the same way for a person's edit and ours: the lines of each entry are compared as a
multiset with those of the same entry (or of its new name) afterwards, without comments; removed and
added lines both count. Blank lines count by the difference of their numbers. So neither comments nor the order
of entries and fields count, as operations do not affect these.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.domain.model import Entry
from core.edits import Operation, OpKind
from core.edits.yaml import meaning_of
from core.sources import parse_expectations

_BEFORE_COMMENT = re.compile(r"""((?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s"'#]\S*|[^\S\n]+(?!#))*)""")


class Unreadable(Exception):
    """A file without a unique meaning; the text says why."""


@dataclass(frozen=True)
class Parsed:
    """A file as upstream's parser reads it, with its lines."""

    lines: list[str]
    entries: dict[str, Entry]

    @property
    def fields(self) -> dict[str, Mapping[str, object]]:
        return {identifier: entry.fields for identifier, entry in self.entries.items()}

    def span(self, identifier: str) -> range:
        """Indexes of the lines from the key to the last value."""
        return range(self.entries[identifier].line - 1, self.entries[identifier].end_line)

    def text(self, identifier: str) -> list[str]:
        return [self.lines[index] for index in self.span(identifier)]


def parsed(text: str) -> Parsed:
    """Raises Unreadable if the runner would reject the file or it contains no entries."""
    file = parse_expectations(text, "f.yaml")
    if file.findings:
        first = file.findings[0]
        raise Unreadable(f"line {first.line}: {first.kind}: {first.message} {first.id}".strip())
    return Parsed(text.split("\n"), {entry.id: entry for entry in file.entries})


def said(value: object) -> object:
    """The meaning of a value, ignoring the order of keys, as the runner reads it as a dictionary."""
    if isinstance(value, Mapping):
        return {name: said(value[name]) for name in value}
    return meaning_of(value)


def changed_lines(before: Parsed, after: Parsed, renamed: Mapping[str, str]) -> int:
    """The number of changed lines, counted as the module describes. `renamed` maps old to new ids."""
    origin = {new: old for old, new in renamed.items()}
    total = 0
    for identifier in after.entries:
        old = origin.get(identifier, identifier)
        mine = before.text(old) if old in before.entries else []
        total += _distance(mine, after.text(identifier))
    gone = before.entries.keys() - after.entries.keys() - renamed.keys()
    total += sum(_distance(before.text(identifier), []) for identifier in gone)
    return total + abs(_blanks(before) - _blanks(after))


def violations(before: Parsed, after: Parsed, operations: Iterable[Operation]) -> Iterator[str]:
    """Changes in `after` that `operations`, all of this file, do not explain."""
    operations = list(operations)
    entry_level = [one for one in operations if one.is_entry]
    renamed = {one.id: str(one.to) for one in entry_level if one.op is OpKind.RENAME}
    gone = {one.id for one in entry_level if one.op in (OpKind.REMOVE, OpKind.MOVE)} - after.entries.keys()
    yield from _entries(before, after, renamed, gone)
    yield from _comments(before, after, gone, [one for one in operations if not one.is_entry])
    if _outside(before) != _outside(after):
        yield "a line outside of all entries changed"
    if before.entries.keys() == after.entries.keys() and _blanks_between(before) != _blanks_between(after):
        yield "a blank line between entries came or went"


def _entries(before: Parsed, after: Parsed, renamed: Mapping[str, str], gone: set[str]) -> Iterator[str]:
    stay = [renamed.get(one, one) for one in before.entries if one not in gone]
    if stay != [one for one in after.entries if one in set(stay)]:
        yield "entries changed their order"
    for identifier, entry in before.entries.items():
        other = after.entries.get(renamed.get(identifier, identifier))
        if identifier in gone or other is None:
            continue
        if entry.id == other.id and meaning_of(entry.fields) == meaning_of(other.fields):
            if before.text(identifier) != after.text(identifier):
                yield f"{identifier} was not to be changed"
        else:
            yield from _fields(before, after, entry, other)


def _fields(before: Parsed, after: Parsed, entry: Entry, other: Entry) -> Iterator[str]:
    """Lines in fields of a changed entry that are the same before and after."""
    for path, (line, _) in entry.places.items():
        if path and path in other.places and _same(entry.fields, other.fields, path):
            mine, theirs = before.lines[line - 1], after.lines[other.places[path][0] - 1]
            if mine.strip() != theirs.strip():
                yield f"{entry.id}: the line of {'.'.join(path)} was not to be changed"


def _same(one: object, other: object, path: tuple[str, ...]) -> bool:
    for name in path:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            one, other = one[name], other[name]
    return not isinstance(one, list | Mapping) and meaning_of(one) == meaning_of(other)


def _comments(before: Parsed, after: Parsed, gone: set[str], parts: list[Operation]) -> Iterator[str]:
    related = {index for identifier in gone for index in _owned(before, identifier)}
    for one in parts:
        if one.id in before.entries and one.op in (OpKind.UNSET, OpKind.REMOVE, OpKind.SET):
            related.update(_inside(before, one))
    kept = iter([line.strip() for line in after.lines])
    for index, line in enumerate(before.lines):
        bare = line.strip()
        if bare.startswith("#") and index not in related and bare not in kept:
            yield f"line {index + 1}: the comment {bare!r} is gone"
            return


def _owned(before: Parsed, identifier: str) -> Iterator[int]:
    """The lines of an entry and its adjacent comments: above its key, and deeper ones below its last line."""
    span, lines = before.span(identifier), before.lines
    yield from span
    above = span.start - 1
    while above >= 0 and lines[above].lstrip().startswith("#"):
        yield above
        above -= 1
    below, deeper = span.stop, before.entries[identifier].places[()][1]
    while below < len(lines) and (not lines[below].strip() or _is_deeper_comment(lines[below], deeper)):
        yield below
        below += 1


def _is_deeper_comment(line: str, column: int) -> bool:
    bare = line.lstrip(" ")
    return bare.startswith("#") and len(line) - len(bare) >= column


def _inside(before: Parsed, operation: Operation) -> Iterator[int]:
    """The lines of the list or mapping at an operation's path, including the comments between its parts."""
    places = before.entries[operation.id].places
    for depth in range(1, len(operation.path) + 1):
        below = [line for path, (line, _) in places.items() if path[:depth] == operation.path[:depth]]
        if below and (depth == len(operation.path) or len(below) <= 2):
            yield from range(min(below) - 1, max(below))


def _outside(file: Parsed) -> list[str]:
    inside = {index for identifier in file.entries for index in file.span(identifier)}
    return [
        line
        for index, line in enumerate(file.lines)
        if index not in inside and line.strip() and not line.lstrip().startswith("#")
    ]


def _distance(before: Iterable[str], after: Iterable[str]) -> int:
    one, other = Counter(_code(before)), Counter(_code(after))
    return (one - other).total() + (other - one).total()


def _code(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        match = _BEFORE_COMMENT.match(line)
        if bare := (match[1] if match else line).rstrip():
            yield bare


def _blanks_between(file: Parsed) -> int:
    return _blanks(file) - sum(not line.strip() for identifier in file.entries for line in file.text(identifier))


def _blanks(file: Parsed) -> int:
    return sum(not line.strip() for line in file.lines[:-1])
