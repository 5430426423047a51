# SPDX-License-Identifier: Apache-2.0
"""Find out how far an interrupted write came."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import product
from operator import eq
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.edits.apply import ABSENT, EntryStates, Fields, Key, Present, leaves, same, value_at
from core.edits.operations import Operation, OpKind
from core.edits.pending.change import Change
from core.edits.pending.events import FileWrite, JournalEvent, WriteAbandoned, WriteBegan, WriteDone
from core.edits.places import path_of
from core.edits.planning import EditPlan


class Found(StrEnum):
    """The state of a file of an interrupted write."""

    WRITTEN = "written"
    UNTOUCHED = "not written"
    CHANGED = "changed by somebody since"


def write_began(plan: EditPlan, ids: tuple[int, ...] = ()) -> WriteBegan:
    """The event to record before the first file of `plan` is replaced."""
    return WriteBegan(
        tuple(FileWrite(edit.file, _digest(edit.before), _digest(edit.after)) for edit in plan.files), ids
    )


def found_in_files(writing: WriteBegan, test_config: Path) -> dict[str, Found]:
    """The present state of each file of the write."""
    return {one.file: _found(one, path_of(test_config, one.file)) for one in writing.files}


def is_halfway(found: Mapping[str, Found]) -> bool:
    """Whether a write that failed left any file with its new text."""
    return Found.WRITTEN in found.values()


def write_outcome(writing: WriteBegan, found: Mapping[str, Found], changes: Iterable[Change]) -> JournalEvent:
    """The event that records the outcome of the write: done for those of `changes` that are completely in the files."""
    written = {file for file, what in found.items() if what is Found.WRITTEN}
    open_files = found.keys() - written
    wanted = ((change.id, files_of(change)) for change in changes if change.id in writing.ids)
    done = tuple(id for id, files in wanted if files & written and not files & open_files)
    return WriteDone(done, tuple(file for file in found if file in written)) if done else WriteAbandoned()


def files_of(change: Change) -> frozenset[str]:
    """Every file of a change."""
    targets = {str(op.to) for op in change.ops if op.op is OpKind.MOVE}
    return frozenset(base.file for base in change.bases) | targets


def recovery_notice(writing: WriteBegan, found: Mapping[str, Found]) -> str:
    """The message for a person about an interrupted write."""
    states = set(found.values())
    if states == {Found.WRITTEN}:
        return "The last write was interrupted after its last file: everything is written."
    if states == {Found.UNTOUCHED}:
        return f"The last write was interrupted before its first file: nothing is written. {_how(writing)}"
    files = "; ".join(f"{file}: {what}" for file, what in found.items())
    return f"The last write was interrupted halfway. {files}. {_how(writing)}"


def _how(writing: WriteBegan) -> str:
    if writing.ids:
        return "What is not written is still accepted: write again to continue, or undo."
    return "Apply the same operations again to continue: what is written already stays."


def _found(one: FileWrite, path: Path) -> Found:
    try:
        digest = _digest(read_text(path))
    except TTMatrixError:
        return Found.CHANGED
    return {one.after: Found.WRITTEN, one.before: Found.UNTOUCHED}.get(digest, Found.CHANGED)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def missing(changes: Sequence[Sequence[Operation]], present: Present) -> tuple[int, ...]:
    """Which of `changes`, by index and written in this order, are not in the files.

    Only the last operation on each place is checked; other fields of an entry are ignored.
    """
    states = EntryStates()
    done: list[tuple[int, Operation, Key]] = []
    for number, operations in enumerate(changes):
        for op in operations:
            key = states.key(op, present.find(op))
            # Only the requested fields of an entry are known here, and no more are needed.
            states.entries[key] = states.entries.get(key) or {}
            if op.is_item and op.op is OpKind.RENAME:
                # The list had the item.
                states.apply(replace(op, op=OpKind.ADD, to=None), key)
            now = states.apply(op, key)
            done = [
                (one, earlier, now if where == key else where)
                for one, earlier, where in done
                if where != key or not _replaces(op, earlier)
            ]
            done.append((number, op, now))
    lost = {number for number, op, key in done if not _is_there(op, states.entries.get(key), present.fields(key))}
    return tuple(sorted(lost))


def _replaces(later: Operation, earlier: Operation) -> bool:
    """Whether `later`, on the same entry, replaces what `earlier` did."""
    if later.is_entry:
        return later.op in (OpKind.ADD, OpKind.REMOVE)
    if earlier.is_entry or not (earlier.renames_key or later.renames_key):
        return False
    pairs = product(_paths(earlier), _paths(later))
    # One of the two is at or below the other.
    return any(all(map(eq, one, other)) for one, other in pairs)


def _paths(op: Operation) -> tuple[tuple[str, ...], ...]:
    """The keys of an operation on a field; for a renamed key, its old and its new name."""
    return (op.path, (*op.path[:-1], str(op.to))) if op.renames_key else (op.path,)


def _is_there(op: Operation, wanted: Fields | None, found: Fields | None) -> bool:
    if wanted is None or found is None:
        return wanted is None and found is None
    if op.is_item:
        items = [item for item in (op.value, op.to) if item is not None]
        return all(_holds(wanted, op, item) == _holds(found, op, item) for item in items)
    if op.renames_key:
        if op.path[-1] == op.to:
            return True
        # The content below the key is not known: only its new name was requested.
        return value_at(found, op.path) is ABSENT and value_at(found, (*op.path[:-1], str(op.to))) is not ABSENT
    paths = [op.path] if op.path else [path for path, _ in leaves(wanted)] if op.op is OpKind.ADD else []
    return all(same(value_at(wanted, path), value_at(found, path)) for path in paths)


def _holds(fields: Fields, op: Operation, item: object) -> bool:
    found = value_at(fields, op.path)
    return item in found if isinstance(found, list) else item == found
