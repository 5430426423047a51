# SPDX-License-Identifier: Apache-2.0
"""What a plan changes in meaning: the cells with another effective status, and the CI jobs they gain and lose."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.edits.plan import EditPlan
from core.matrix.ci import Ci
from core.matrix.effective import status_on, supports
from core.matrix.index import Matrix
from core.model import Entry, Status
from core.sources.expectations import ExpectationFile, parse_expectations
from core.sources.presets import Job


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


def effect(matrix: Matrix, plan: EditPlan, ci: Ci | None = None) -> list[CellChange]:
    """Cells that `plan` changes, by id and then by arch; without `ci`, jobs are not looked at.

    Both sides are what the files say, whatever the index knew.
    """
    before = _entries(matrix, {edit.file: edit.before for edit in plan.files})
    after = _entries(matrix, {edit.file: edit.after for edit in plan.files})
    touched = sorted(id for id in {**before, **after} if _fields(before.get(id)) != _fields(after.get(id)))
    old, new = (ci.under(before), ci.under(after)) if ci else (None, None)
    found: list[CellChange] = []
    for id in touched:
        jobs = old.gained_and_lost(new, id) if old and new else ([], [])
        found += _changes(matrix.schema.archs, id, before.get(id), after.get(id), jobs)
    return found


def _changes(
    archs: Sequence[str], id: str, before: Entry | None, after: Entry | None, jobs: tuple[list[Job], list[Job]]
) -> Iterable[CellChange]:
    gained, lost = jobs
    for arch in dict.fromkeys((*archs, *(job.runs_on for job in (*gained, *lost)))):
        old, new = _cell(before, arch), _cell(after, arch)
        more, less = _on(arch, gained), _on(arch, lost)
        if old is not new or more or less:
            yield CellChange(id, arch, old, new, more, less)


def _on(arch: str, jobs: Sequence[Job]) -> tuple[Job, ...]:
    return tuple(job for job in jobs if job.runs_on == arch)


def _entries(matrix: Matrix, texts: Mapping[str, str]) -> dict[str, Entry]:
    """The entry that counts for each id, with `texts` in the place of what was indexed."""
    files: list[ExpectationFile] = [
        parse_expectations(texts[file.name], file.name) if file.name in texts else file for file in matrix.files
    ]
    return {entry.id: entry for file in files for entry in file.entries}


def _fields(entry: Entry | None) -> object:
    return entry.fields if entry else None


def _cell(entry: Entry | None, arch: str) -> Status | None:
    return status_on(entry, arch) if supports(entry, arch) else None
