# SPDX-License-Identifier: Apache-2.0
"""What a plan changes in meaning: the cells whose effective status is another one afterwards."""

from dataclasses import dataclass

from core.edits.plan import EditPlan
from core.matrix.effective import status_on, supports
from core.matrix.index import Matrix
from core.model import Entry, Status
from core.sources.expectations import ExpectationFile, parse_expectations


@dataclass(frozen=True, slots=True)
class CellChange:
    """One cell. A status is None where the test is not marked for the arch."""

    id: str
    arch: str
    before: Status | None
    after: Status | None


def effect(matrix: Matrix, plan: EditPlan) -> list[CellChange]:
    """Cells that `plan` changes, by id and then by arch. Both sides are what the files say, whatever the index knew."""
    before = _entries(matrix, {edit.file: edit.before for edit in plan.files})
    after = _entries(matrix, {edit.file: edit.after for edit in plan.files})
    touched = [id for id in {**before, **after} if _fields(before.get(id)) != _fields(after.get(id))]
    return [
        CellChange(id, arch, old, new)
        for id in sorted(touched)
        for arch in matrix.schema.archs
        if (old := _cell(before.get(id), arch)) is not (new := _cell(after.get(id), arch))
    ]


def _entries(matrix: Matrix, texts: dict[str, str]) -> dict[str, Entry]:
    """The entry that counts for each id, with `texts` in the place of what was indexed."""
    files: list[ExpectationFile] = [
        parse_expectations(texts[file.name], file.name) if file.name in texts else file for file in matrix.files
    ]
    return {entry.id: entry for file in files for entry in file.entries}


def _fields(entry: Entry | None) -> object:
    return entry.fields if entry else None


def _cell(entry: Entry | None, arch: str) -> Status | None:
    return status_on(entry, arch) if supports(entry, arch) else None
