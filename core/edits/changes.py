# SPDX-License-Identifier: Apache-2.0
"""What a plan makes of each entry, and that in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.edits.operations import OVERRIDES, OpKind
from core.edits.plan import EditPlan
from core.matrix.effective import text_of
from core.model import Entry
from core.sources.expectations import written_entries
from core.text import elide_middle, one_line

_WIDEST_VALUE = 120


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry before and after; None: there is none."""

    id: str
    before: Entry | None
    after: Entry | None
    was: str = ""
    """The id it had before, where it is renamed."""


def entry_changes(plan: EditPlan) -> list[EntryChange]:
    """The entries that `plan` changes, in the order of files and lines; removed ones come last."""
    before = _entries({edit.file: edit.before for edit in plan.files})
    after = _entries({edit.file: edit.after for edit in plan.files})
    former = _former(plan)
    found: list[EntryChange] = []
    taken = set(former.values())
    for id, entry in after.items():
        was = former.get(id, id)
        # Who takes the name of a renamed entry is another one.
        old = None if was == id and id in taken else before.get(was)
        if old is None or was != id or (old.fields, old.file) != (entry.fields, entry.file):
            found.append(EntryChange(id, old, entry, was if was != id else ""))
    renamed = {change.was for change in found}
    removed = [EntryChange(id, entry, None) for id, entry in before.items() if id not in {*after, *renamed}]
    return [*found, *removed]


def words(change: EntryChange) -> list[str]:
    """What happens to the entry, a line for each field; values are on one line and not too long."""
    if change.after is None:
        return ["entry removed"]
    if change.before is None:
        return [f"new entry, {name}: {_value(value)}" for name, value in _flat(change.after)] or ["new entry"]
    said = [f"renamed from {one_line(change.was)}"] if change.was else []
    if change.before.file != change.after.file:
        said.append(f"moved from {change.before.file}")
    old, new = dict(_flat(change.before)), dict(_flat(change.after))
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            said.append(f"{name} removed")
        elif name not in old:
            said.append(f"{name}: {_value(new[name])}")
        elif _value(old[name]) != _value(new[name]) or type(old[name]) is not type(new[name]):
            said.append(f"{name}: {_value(old[name])} -> {_value(new[name])}")
    return said or ["written otherwise"]


def _former(plan: EditPlan) -> Mapping[str, str]:
    """The first id of each renamed entry, by its last one."""
    former: dict[str, str] = {}
    for op in plan.applied:
        if op.is_entry and op.op is OpKind.RENAME and op.to is not None:
            former[op.to] = former.pop(op.id, op.id)
    return {id: was for id, was in former.items() if id != was}


def _entries(texts: Mapping[str, str]) -> dict[str, Entry]:
    return {entry.id: entry for name, text in texts.items() for entry in written_entries(text, name)}


def _flat(entry: Entry) -> Iterator[tuple[str, object]]:
    yield from ((name, value) for name, value in entry.fields.items() if name != OVERRIDES)
    for arch, values in entry.overrides.items():
        yield from ((f"{name} on {arch}", value) for name, value in values.items())


def _value(value: object) -> str:
    return elide_middle(one_line(text_of(value)), _WIDEST_VALUE) or "empty"
