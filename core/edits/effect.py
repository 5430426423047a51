# SPDX-License-Identifier: Apache-2.0
"""What a plan changes in meaning: the cells that act otherwise, and the CI jobs they gain and lose."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.edits.plan import EditPlan
from core.matrix.acting import differing
from core.matrix.ci import Ci
from core.matrix.effective import resolve, status_on, supports, texts
from core.matrix.matrix import Matrix
from core.model import Entry, Status
from core.sources.expectation_file import ExpectationFile
from core.sources.expectations import parse_expectations
from core.sources.presets import Job

_SCHEDULES = ("nightly", "weekly")
"""Markers a test may have without its entry saying so (spec 3.1)."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of one cell; None: no value counts there."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class CellChange:
    """One cell. A status is None where the test is not marked for the arch."""

    id: str
    arch: str
    """The arch, or for jobs on other machines what they run on."""
    before: Status | None
    after: Status | None
    jobs_gained: tuple[Job, ...] = ()
    """Scheduled jobs on this arch that come to select the test."""
    jobs_lost: tuple[Job, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    """Every field that acts otherwise where the test is marked before and after. Which archs it is marked for shows
    in the statuses."""
    markers_gained: tuple[str, ...] = ()
    """Markers of its own and of its schedule that the test comes to carry."""
    markers_lost: tuple[str, ...] = ()
    seconds: float | None = None
    """How long the test took in CI; None: unknown."""

    @property
    def minutes(self) -> float | None:
        """Machine time a round of the scheduled jobs takes more (or less, below 0); None: unknown."""
        if self.seconds is None:
            return None
        return (len(self.jobs_gained) - len(self.jobs_lost)) * self.seconds / 60


@dataclass(frozen=True, slots=True)
class _Side:
    """The entries before or after, with what CI makes of them."""

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
    """Cells that `plan` changes, by id and then by arch; without `ci`, jobs and schedules are not looked at.

    Both sides are what the files say, whatever the index knew.
    """
    before = _entries(matrix, {edit.file: edit.before for edit in plan.files})
    after = _entries(matrix, {edit.file: edit.after for edit in plan.files})
    touched = sorted(id for id in {**before, **after} if _fields(before.get(id)) != _fields(after.get(id)))
    old, new = (_Side(side, ci.under(side) if ci else None) for side in (before, after))
    return [change for id in touched for change in _changes(matrix.schema.archs, id, old, new)]


def dead_overrides(matrix: Matrix, plan: EditPlan) -> list[tuple[str, str]]:
    """Id and arch of each override that nothing reads, in the entries that `plan` touches, as they will be."""
    return [
        (id, arch)
        for edit in plan.files
        for id in _touched(edit.before, edit.after, edit.file)
        if (entry := _read(edit.after, edit.file).get(id)) is not None
        for arch in entry.overrides
        if arch in matrix.schema.archs and not supports(entry, arch)
    ]


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


def _entries(matrix: Matrix, texts: Mapping[str, str]) -> dict[str, Entry]:
    """The entry that counts for each id, with `texts` in the place of what was indexed."""
    files: list[ExpectationFile] = [
        parse_expectations(texts[file.name], file.name) if file.name in texts else file for file in matrix.files
    ]
    return {entry.id: entry for file in files for entry in file.entries}


def _touched(before: str, after: str, name: str) -> list[str]:
    old, new = _read(before, name), _read(after, name)
    return [id for id in new if _fields(old.get(id)) != _fields(new[id])]


def _read(text: str, name: str) -> dict[str, Entry]:
    return {entry.id: entry for entry in parse_expectations(text, name).entries}


def _fields(entry: Entry | None) -> object:
    return entry.fields if entry else None
