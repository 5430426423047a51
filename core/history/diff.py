# SPDX-License-Identifier: Apache-2.0
"""Which entries differ between two texts of an expectation file; identical entries are not parsed."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.sources import ROOT_KEY, parse_expectations

Fields = Mapping[str, object]
"""Values of an entry as YAML parses them."""


class Difference(NamedTuple):
    """An entry that differs before and after. None: there is no entry on that side."""

    id: str
    old: Fields | None
    new: Fields | None
    follows: str
    """The nearest id above it in its own file that both sides hold; empty: there is none."""


_END = r"[ ]*(?:#.*)?$"
_FLAGS = re.ASCII | re.MULTILINE
_HEAD = re.compile(rf"(?:{_END}\n)*{ROOT_KEY}:{_END}(?:\n{_END})*", _FLAGS)
_KEY_LINE = re.compile(rf"\n[ ]{{2}}(\w\S*):{_END}", _FLAGS)
_OTHER_LINE = re.compile(rf"\n(?![ ]{{3}}|\n|[ ]{{2}}\w\S*:{_END}|{_END})", _FLAGS)
# If one of these occurs, the text of an entry alone does not decide what it says.
_LINE_ENDS = ("\r", "\x85", "\u2028", "\u2029")
_ALIAS = re.compile(r"(?:[:,?\[{-]|^)\s*\*\S", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EntryTexts:
    """The text of one file, cut into entries if each entry can be parsed by itself."""

    text: str
    parts: Mapping[str, str] | None
    """The lines of each entry by id; None: the file is not plain enough to be cut."""


NO_FILE = EntryTexts("", {})


def cut(text: str) -> EntryTexts:
    """Cut at the keys. Whether each part can be parsed by itself is only known once it is parsed."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    head = _HEAD.match(text)
    if head is None or _OTHER_LINE.search(text, head.end()) or _reaches_far(text):
        return EntryTexts(text, None)
    keys = list(_KEY_LINE.finditer(text, head.end()))
    starts = [*(key.start() for key in keys), len(text)]
    if starts[0] != head.end():
        return EntryTexts(text, None)
    parts: dict[str, str] = {}
    for key, (start, end) in zip(keys, pairwise(starts), strict=True):
        # A key that occurs twice gives a part with more than one entry, which is then not parsed by itself.
        parts[key[1]] = parts.get(key[1], "") + text[start:end]
    return EntryTexts(text, parts)


def _reaches_far(text: str) -> bool:
    return any(end in text for end in _LINE_ENDS) or ("*" in text and _ALIAS.search(text) is not None)


@dataclass(frozen=True, slots=True)
class EntryReader:
    """Parses entries as `read_expectations` does, each text only once."""

    known: dict[str, Fields | None] = field(default_factory=dict)

    def differences(self, before: EntryTexts, after: EntryTexts) -> list[Difference]:
        """The entries that differ: first the removed and changed ones, then the added ones, in file order.

        Raises TTMatrixError if a text is not valid YAML.
        """
        if before.parts is not None and after.parts is not None:
            ids = [id for id in {**before.parts, **after.parts} if before.parts.get(id) != after.parts.get(id)]
            old, new = self._some(before.parts, ids), self._some(after.parts, ids)
            if old is not None and new is not None:
                return list(_differences(old, new, before.parts, after.parts))
        old, new = _whole(before.text), _whole(after.text)
        return list(_differences(old, new, old, new))

    def _some(self, parts: Mapping[str, str], ids: list[str]) -> dict[str, Fields] | None:
        """The entries with these ids; None if one of them cannot be parsed by itself."""
        found: dict[str, Fields] = {}
        for id in ids:
            if id in parts:
                fields = self._one(id, parts[id])
                if fields is None:
                    return None
                found[id] = fields
        return found

    def _one(self, id: str, part: str) -> Fields | None:
        if part not in self.known:
            file = parse_expectations(f"{ROOT_KEY}:{part}", "")
            whole = [entry.id for entry in file.entries] == [id]
            self.known[part] = file.entries[0].fields if whole else None
        return self.known[part]


def _whole(text: str) -> dict[str, Fields]:
    file = parse_expectations(text, "")
    for finding in file.findings:
        if finding.kind == "broken-yaml":
            raise TTMatrixError(finding.message, f"line {finding.line}")
    return {entry.id: entry.fields for entry in file.entries}


def _differences(
    old: Mapping[str, Fields], new: Mapping[str, Fields], before: Collection[str], after: Collection[str]
) -> Iterator[Difference]:
    """Compare `old` with `new`, which hold the entries that may differ; `before` and `after` are all ids."""
    stays = set(before) & set(after)
    above = _neighbours(before, stays), _neighbours(after, stays)
    for id in {**old, **new}:
        one, other = old.get(id), new.get(id)
        if one != other:
            yield Difference(id, one, other, above[one is None].get(id, ""))


def _neighbours(ids: Iterable[str], stays: Collection[str]) -> dict[str, str]:
    """For each id not in `stays`, the nearest id above it that is."""
    found: dict[str, str] = {}
    above = ""
    for id in ids:
        if id in stays:
            above = id
        else:
            found[id] = above
    return found


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that was set, changed or removed."""

    path: tuple[str, ...]
    """For example `("arch_overrides", "n150", "status")`."""
    before: object
    """None: the field was not written."""
    after: object

    @property
    def name(self) -> str:
        """The path as people write it: the arch before the field."""
        return " ".join(self.path[1:] if len(self.path) > 1 else self.path)


def field_changes(old: Fields | None, new: Fields | None) -> tuple[FieldChange, ...]:
    """The fields that differ, those of the new state first and in its order."""
    before, after = _flat(old or {}), _flat(new or {})
    return tuple(
        FieldChange(path, before.get(path), after.get(path))
        for path in {**after, **before}
        if before.get(path) != after.get(path)
    )


def _flat(fields: Mapping[str, object], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    found: dict[tuple[str, ...], object] = {}
    for name, value in fields.items():
        path = (*above, str(name))
        found |= _flat(value, path) if isinstance(value, Mapping) and value else {path: value}
    return found
