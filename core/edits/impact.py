# SPDX-License-Identifier: Apache-2.0
"""The effect of a plan: the cells that change, and the CI jobs they gain and lose."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.base.text import elide_middle, one_line
from core.ci import Ci
from core.domain.model import Entry, Status
from core.edits.manifests import case_changes
from core.edits.operations import OVERRIDES, OpKind, is_manifest
from core.edits.planning import EditPlan, FileEdit
from core.edits.texts import is_placeholders
from core.matrix import Matrix, differing, resolve, status_on, supports, text_of, texts
from core.sources import ExpectationFile
from core.sources.ci import Job

_SCHEDULES = ("nightly", "weekly")
"""Markers a test may have without its entry saying so (docs/rules.md 3.1)."""


_WIDEST_VALUE = 120
_SUGGESTED = 3
"""For how many unknown ids the nearest one is named."""
_NOWHERE = Entry("", "", 0, 0)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of one cell; None: no effective value."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class CellChange:
    """One cell. A status is None if the test is not marked for the arch.

    A case of an op test has no status and no arch: its changes are in `fields`, and its marks are markers. A case that
    is added or removed has its op as the field.
    """

    id: str
    arch: str
    """The arch, or the runner name for jobs on other machines; empty for a case of an op test."""
    before: Status | None
    after: Status | None
    jobs_gained: tuple[Job, ...] = ()
    """Scheduled jobs on this arch that will select the test and do not now."""
    jobs_lost: tuple[Job, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    """Every field whose effective value changes while the test stays marked for the arch. A change of the marked archs
    shows in the statuses.
    """
    markers_gained: tuple[str, ...] = ()
    """Markers, its own or those of its schedule, that the test gets."""
    markers_lost: tuple[str, ...] = ()
    seconds: float | None = None
    """How long the test took in CI; None: unknown."""

    @property
    def minutes(self) -> float | None:
        """Minutes by which a round of the scheduled jobs takes more machine time (below 0: less); None: unknown."""
        if self.seconds is None:
            return None
        return (len(self.jobs_gained) - len(self.jobs_lost)) * self.seconds / 60


@dataclass(frozen=True, slots=True)
class _Side:
    """The entries before or after the plan, with the CI jobs and markers that follow from them."""

    entries: Mapping[str, Entry]
    ci: Ci | None

    def status(self, id: str, arch: str) -> Status | None:
        entry = self.entries.get(id)
        return status_on(entry, arch) if supports(entry, arch) else None

    def markers(self, id: str, arch: str) -> frozenset[str]:
        if self.ci is None:
            return frozenset()
        own = texts(resolve(self.entries.get(id), "markers", arch).value)
        return self.ci.selector.markers(id, arch).intersection((*own, *_SCHEDULES))


def effect(matrix: Matrix, plan: EditPlan, ci: Ci | None = None) -> list[CellChange]:
    """Cells that `plan` changes, by id and then by arch; without `ci`, jobs and schedules are left out.

    Both sides are read from the files, not from the index. Cases of op tests come last.
    """
    cases = [one for edit in plan.files if is_manifest(edit.file) for one in _case_changes(edit)]
    edits = [edit for edit in plan.files if not is_manifest(edit.file)]
    if not edits:
        return cases
    before = _counting(matrix, {edit.file: edit.old for edit in edits})
    after = _counting(matrix, {edit.file: edit.new for edit in edits})
    touched = sorted(id for id in {**before, **after} if _fields(before.get(id)) != _fields(after.get(id)))
    old, new = (_Side(side, ci.under(side) if ci else None) for side in (before, after))
    return [*(change for id in touched for change in _changes(matrix.schema.archs, id, old, new)), *cases]


def _case_changes(edit: FileEdit) -> Iterator[CellChange]:
    for one in case_changes(edit.before, edit.after, edit.file):
        fields = tuple(FieldChange(name, *values) for name, values in one.fields.items())
        had, has = (set(texts(side)) for side in one.fields.get("marks", ([], [])))
        marks = tuple(sorted(has - had)), tuple(sorted(had - has))
        yield CellChange(one.id, "", None, None, (), (), fields, *marks)


def dead_overrides(matrix: Matrix, plan: EditPlan) -> list[tuple[str, str]]:
    """Id and arch of each override that nothing reads, in the entries that `plan` touches, after the plan."""
    found: list[tuple[str, str]] = []
    for edit in plan.files:
        if is_placeholders(edit.file, matrix.schema) or is_manifest(edit.file):
            continue
        old, new = ({entry.id: entry for entry in entries} for entries in (edit.old, edit.new))
        for id, entry in new.items():
            if _fields(old.get(id)) != entry.fields:
                archs = (arch for arch in entry.overrides if arch in matrix.schema.archs)
                found += [(id, arch) for arch in archs if not supports(entry, arch)]
    return found


def unknown_ids(matrix: Matrix, plan: EditPlan) -> list[str]:
    """A sentence for each id that `plan` adds, or renames an entry to, and that no loader generates."""
    edits = [one for one in plan.files if not (is_placeholders(one.file, matrix.schema) or is_manifest(one.file))]
    old = {entry.id for edit in edits for entry in edit.old}
    new = dict.fromkeys(entry.id for edit in edits for entry in edit.new if entry.id not in old)
    unknown = [id for id in new if id not in matrix.model_tests.rows or id in matrix.strays]
    # Finding the nearest of all ids takes its time.
    near = {id: f"; nearest: {one}" for id in unknown[:_SUGGESTED] for one in matrix.closest(id, 1)}
    return [f"no test has the id {one_line(id)}, so its entry has no effect{near.get(id, '')}" for id in unknown]


def _changes(archs: Sequence[str], id: str, old: _Side, new: _Side) -> Iterable[CellChange]:
    gained, lost = old.ci.gained_and_lost(new.ci, id) if old.ci and new.ci else ([], [])
    seconds = new.ci.selector.seconds(id) if new.ci else None
    for arch in dict.fromkeys((*archs, *(job.runs_on for job in (*gained, *lost)))):
        before, after = old.status(id, arch), new.status(id, arch)
        marked = before is not None and after is not None
        fields = tuple(_field_changes(old.entries.get(id), new.entries.get(id), arch)) if marked else ()
        more, less = _on(arch, gained), _on(arch, lost)
        had, has = old.markers(id, arch), new.markers(id, arch)
        if fields or before is not after or more or less:
            marks = tuple(sorted(has - had)), tuple(sorted(had - has))
            yield CellChange(id, arch, before, after, more, less, fields, *marks, seconds)


def _field_changes(before: Entry | None, after: Entry | None, arch: str) -> Iterable[FieldChange]:
    for name in differing(before, after, arch):
        if name != "supported_archs":
            yield FieldChange(name, resolve(before, name, arch).value, resolve(after, name, arch).value)


def _on(arch: str, jobs: Sequence[Job]) -> tuple[Job, ...]:
    return tuple(job for job in jobs if job.runs_on == arch)


def _counting(matrix: Matrix, edited: Mapping[str, tuple[Entry, ...]]) -> dict[str, Entry]:
    """The effective entry of each id, with the entries of `edited` files in place of the indexed ones."""
    return {
        entry.id: entry
        for file in matrix.files
        if not is_placeholders(file.name, matrix.schema)
        for entry in edited.get(file.name, file.entries)
    }


def _fields(entry: Entry | None) -> object:
    return entry.fields if entry else None


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One entry before and after; None: there is none."""

    id: str
    before: Entry | None
    after: Entry | None
    was: str = ""
    """The id it had before, if it is renamed."""

    @property
    def noun(self) -> str:
        """What messages call it: `case` or `entry`."""
        entry = self.after or self.before
        return "case" if entry is not None and is_manifest(entry.file) else "entry"


def entry_changes(plan: EditPlan) -> list[EntryChange]:
    """The entries that `plan` changes, in the order of files and lines; removed ones come last."""
    before = {entry.id: entry for edit in plan.files for entry in edit.old}
    after = {entry.id: entry for edit in plan.files for entry in edit.new}
    former = _former(plan)
    found: list[EntryChange] = []
    taken = set(former.values())
    for id, entry in after.items():
        was = former.get(id, id)
        # An entry that takes the old id of a renamed entry is a new one.
        old = None if was == id and id in taken else before.get(was)
        if old is None or was != id or (old.fields, old.file) != (entry.fields, entry.file):
            found.append(EntryChange(id, old, entry, was if was != id else ""))
    renamed = {change.was for change in found}
    removed = [EntryChange(id, entry, None) for id, entry in before.items() if id not in {*after, *renamed}]
    return [*found, *removed]


def change_in_words(change: EntryChange) -> list[str]:
    """The changes of the entry, a line for each field; values are on one line and shortened."""
    noun = change.noun
    if change.after is None:
        return [f"{noun} removed"]
    if change.before is None:
        return [f"new {noun}, {name}: {_value(value)}" for name, value in _flat(change.after)] or [f"new {noun}"]
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
    return said or ["written differently"]


def fields_in_words(entry: Entry, *, beside: Collection[str] = ()) -> list[str]:
    """`required_pcc: 0.97`, `reason on n150: slow`: what an entry says, but for the fields named `beside`."""
    pairs = ((name.partition(" on ")[0], name, value) for name, value in _flat(entry))
    return [f"{name}: {_value(value)}" for field, name, value in pairs if field not in beside]


def _former(plan: EditPlan) -> Mapping[str, str]:
    """The first id of each renamed entry, by its last one."""
    former: dict[str, str] = {}
    for op in plan.applied:
        if op.is_entry and op.op is OpKind.RENAME and op.to is not None:
            former[op.to] = former.pop(op.id, op.id)
    return {id: was for id, was in former.items() if id != was}


def _flat(entry: Entry) -> Iterator[tuple[str, object]]:
    yield from ((name, value) for name, value in entry.fields.items() if name != OVERRIDES)
    for arch, values in entry.overrides.items():
        yield from ((f"{name} on {arch}", value) for name, value in values.items())


def _value(value: object) -> str:
    nested = isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    )
    if nested:
        value = json.dumps(value, ensure_ascii=False)
    return elide_middle(one_line(text_of(value)), _WIDEST_VALUE) or "empty"


@dataclass(frozen=True, slots=True)
class EntryText:
    """The lines of one entry in its file; none if there is no entry."""

    id: str
    file: str
    """Its file afterwards; for a removed entry, the file it was in."""
    before: tuple[str, ...]
    after: tuple[str, ...]


def entry_texts(plan: EditPlan) -> list[EntryText]:
    """The entries that `plan` changes, in the order of `changes.entry_changes`."""
    old = {edit.file: ExpectationFile(edit.file, edit.before) for edit in plan.files}
    new = {edit.file: ExpectationFile(edit.file, edit.after) for edit in plan.files}
    return [
        EntryText(one.id, (one.after or one.before or _NOWHERE).file, _lines(old, one.before), _lines(new, one.after))
        for one in entry_changes(plan)
    ]


def _lines(files: Mapping[str, ExpectationFile], entry: Entry | None) -> tuple[str, ...]:
    # Defaults that the manifest does not have are on no line.
    return tuple(files[entry.file].entry_text(entry).split("\n")) if entry is not None and entry.line else ()
