# SPDX-License-Identifier: Apache-2.0
"""The lines of each entry that a plan changes, as they stand in the files before and after."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.edits.changes import entry_changes
from core.edits.plan import EditPlan
from core.model import Entry
from core.sources.expectation_file import ExpectationFile


@dataclass(frozen=True, slots=True)
class EntryText:
    """One entry in words of the files; no lines where there is none."""

    id: str
    file: str
    """Where it stands afterwards, or stood until now."""
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


_NOWHERE = Entry("", "", 0, 0)


def _lines(files: Mapping[str, ExpectationFile], entry: Entry | None) -> tuple[str, ...]:
    return tuple(files[entry.file].entry_text(entry).split("\n")) if entry is not None else ()
