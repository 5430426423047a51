# SPDX-License-Identifier: Apache-2.0
"""Find out what became of a write that was cut off."""

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from core.edits.journal_events import Event, FileWrite, WriteBegan, WriteEnded, Written
from core.edits.operations import OpKind
from core.edits.pending import Change
from core.edits.plan import EditPlan
from core.errors import TTMatrixError
from core.files import read_text


class Found(StrEnum):
    """What a file of a write that was cut off says now."""

    WRITTEN = "written"
    UNTOUCHED = "not written"
    CHANGED = "changed by somebody since"


def began(plan: EditPlan, ids: tuple[int, ...] = ()) -> WriteBegan:
    """What is told before the first file of `plan` is replaced."""
    return WriteBegan(
        tuple(FileWrite(edit.file, _digest(edit.before), _digest(edit.after)) for edit in plan.files), ids
    )


def look(writing: WriteBegan, test_config: Path) -> dict[str, Found]:
    """What each file of the write says now."""
    return {one.file: _found(one, test_config / one.file) for one in writing.files}


def is_halfway(found: Mapping[str, Found]) -> bool:
    """Whether any file of a write that failed has its new text."""
    return Found.WRITTEN in found.values()


def settled(writing: WriteBegan, found: Mapping[str, Found], changes: Iterable[Change]) -> Event:
    """How the write is to be remembered: as done for those of `changes` that were to be written and wholly are."""
    written = {file for file, what in found.items() if what is Found.WRITTEN}
    open_files = found.keys() - written
    wanted = ((change.id, files_of(change)) for change in changes if change.id in writing.ids)
    done = tuple(id for id, files in wanted if files & written and not files & open_files)
    return Written(done, tuple(file for file in found if file in written)) if done else WriteEnded()


def files_of(change: Change) -> frozenset[str]:
    """Every file that a change is about."""
    targets = {str(op.to) for op in change.ops if op.op is OpKind.MOVE}
    return frozenset(base.file for base in change.bases) | targets


def told(writing: WriteBegan, found: Mapping[str, Found]) -> str:
    """What a person should know about it."""
    states = set(found.values())
    if states == {Found.WRITTEN}:
        return "The last write was cut off after its last file: all is written."
    if states == {Found.UNTOUCHED}:
        return f"The last write was cut off before its first file: nothing is written. {_how(writing)}"
    files = "; ".join(f"{file}: {what}" for file, what in found.items())
    return f"The last write was cut off halfway. {files}. {_how(writing)}"


def _how(writing: WriteBegan) -> str:
    if writing.ids:
        return "What is not written is still accepted: write again to go on, or undo."
    return "Give the same operations again to go on: what is written already stays as it is."


def _found(one: FileWrite, path: Path) -> Found:
    try:
        digest = _digest(read_text(path))
    except TTMatrixError:
        return Found.CHANGED
    return {one.after: Found.WRITTEN, one.before: Found.UNTOUCHED}.get(digest, Found.CHANGED)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
