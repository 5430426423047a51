# SPDX-License-Identifier: Apache-2.0
"""Manifests of op tests for the edits: their cases as entries, and the mistakes that an edit would introduce."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from core.domain.model import Entry
from core.edits.operations import Operation, OpKind, case_name
from core.edits.yaml import Document, Layout, canonical, new_item, read_manifest, value_of
from core.payload.ttmatrix_payload.ops import CASE_KEYS, SETTING_KEYS, Case, Manifest, Problem, near_key, read_text

_EDITABLE = (*SETTING_KEYS, "op", "marks", "expects_error", "description")
"""Keys of a case that can be set as a whole; of the other keys, only single values can."""


def case_entries(text: str, file: str, besides: Collection[int] = ()) -> tuple[Entry, ...]:
    """The cases of a manifest, and its defaults, as entries with the values as written.

    A key that has several names gets the first one. If there is no block of defaults, its entry has no fields and no
    line. `besides` are the numbers of blocks to leave out. Raises Refused for a file that cannot be edited.
    """
    return tuple(_entries(read_manifest(text, file), file, besides))


def _entries(document: Document, file: str, besides: Collection[int]) -> Iterator[Entry]:
    assert document.listing is not None
    for at, block in enumerate(document.blocks):
        if at not in besides:
            value = value_of(block.meanings()[1])
            lines = document.text.count("\n", block.start, block.end - 1)
            fields = canonical(value) if isinstance(value, dict) else {}
            yield Entry(block.id, file, block.line, block.line + lines, fields)
    if not any(block.apart for block in document.blocks):
        yield Entry(document.listing.model, file, 0, 0)


def key_problem(operation: Operation) -> str:
    """Why the target of `operation` cannot be edited; empty: it can, as far as the key tells."""
    in_case = bool(case_name(operation))
    if not operation.path or (operation.op is OpKind.UNSET and operation.path[0] != "name"):
        return ""
    if operation.renames_key or (operation.op is OpKind.SET and len(operation.path) > 1):
        # Other mistakes in the value are reported by the manifest itself.
        return ""
    key = operation.path[0]
    if key in (_EDITABLE if in_case else SETTING_KEYS):
        return ""
    if key in CASE_KEYS:
        where = "remove the case and add one with another" if in_case else "defaults have no"
        return f"{key} cannot be edited: {where} {key}"
    known = _EDITABLE if in_case else SETTING_KEYS
    return f"{key} is not a key of {'a case' if in_case else 'defaults'}; {near_key(key, known)}"


def new_problems(before: str, after: str, file: str) -> tuple[Problem, ...]:
    """The mistakes that are in the manifest `after` and not in `before`.

    A case with a mistake corrected is left out, because that can uncover mistakes it had before. A renamed case keeps
    its mistakes.
    """
    old, new = _read(before, file), _read(after, file)
    had, has = (Counter((one.message, one.case) for one in both.problems if not one.warning) for both in (old, new))
    better = {case for _, case in had - has if case}
    names = {*(case.name for case in old.cases), *(case for _, case in had)}
    moved = {message for message, case in had - has}
    return tuple(
        problem
        for problem in new.problems
        if (problem.message, problem.case) in has - had
        and problem.case not in better
        and not (problem.case not in names and problem.message in moved)
    )


@lru_cache(maxsize=4)
def _read(text: str, file: str) -> Manifest:
    return read_text(text.removeprefix("\ufeff"), file)


def value_mistake(key: str, value: object) -> Problem | None:
    """The mistake that a run would report about this value of a key of a case; None: nothing."""
    text = new_item({"op": "torch.neg", key: value}, 0, Layout(nested=True))
    return next((one for one in read_text(f"cases:\n{text}", "").problems if not one.warning), None)


class CaseChange(NamedTuple):
    """One case of an op test that an edit changes, adds or removes."""

    id: str
    fields: Mapping[str, tuple[object, object]]
    """Values before and after, with the defaults applied; for a case added or removed, its op and None."""


def case_changes(before: str, after: str, file: str) -> Iterator[CaseChange]:
    """The cases whose values differ in the manifest `after`, without those that have mistakes."""
    old, new = ({case.name: case for case in _read(text, file).cases} for text in (before, after))
    model = _read(after, file).model
    for name in dict.fromkeys((*old, *new)):
        one, other = old.get(name), new.get(name)
        if one is None or other is None:
            fields: dict[str, tuple[object, object]] = {"op": (one and one.op, other and other.op)}
        else:
            fields = {key: (mine, theirs) for key, mine, theirs in _differing(one, other)}
        if fields:
            yield CaseChange(f"{model}::{name}", fields)


def _differing(one: Case, other: Case) -> Iterator[tuple[str, object, object]]:
    for key in Case._fields:
        mine, theirs = getattr(one, key), getattr(other, key)
        if key not in ("line", "column") and mine != theirs:
            yield key, _plain(mine), _plain(theirs)


def _plain(value: object) -> object:
    """A value in a form that JSON allows."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(inner) for name, inner in value._asdict().items() if inner != ""}
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
