# SPDX-License-Identifier: Apache-2.0
"""Find out what became of a write that was cut off."""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from core.edits.events import Event, FileWrite, WriteBegan, WriteEnded, Written
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


def settled(writing: WriteBegan, found: Mapping[str, Found]) -> Event:
    """How the write is to be remembered: done where every file has its new text, else as if it had not been tried."""
    if writing.ids and all(one is Found.WRITTEN for one in found.values()):
        return Written(writing.ids, tuple(found))
    return WriteEnded()


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
        return "The changes are still accepted: write them again to go on, or undo."
    return "Give the same operations again to go on: what is written already stays as it is."


def _found(one: FileWrite, path: Path) -> Found:
    try:
        digest = _digest(read_text(path))
    except TTMatrixError:
        return Found.CHANGED
    return {one.after: Found.WRITTEN, one.before: Found.UNTOUCHED}.get(digest, Found.CHANGED)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
