# SPDX-License-Identifier: Apache-2.0
"""The history of an entry: as lines for a person, and as JSON."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from core.cli.console import Console
from core.history import FieldChange, History, Step, field_changes
from core.matrix import text_of
from core.sources import Commit
from core.text import one_line

_SHORT = 9
_NOT_COMMITTED = "not committed"


def what(step: Step) -> tuple[str, ...]:
    """What a commit did to the entry, in one word or several."""
    before, after = step.edit.before, step.edit.after
    if before is None or after is None:
        return ("added",) if before is None else ("removed",)
    found = {
        "renamed": before.id != after.id,
        "moved": before.file != after.file,
        "changed": step.edit.old != step.edit.new,
    }
    return tuple(word for word, holds in found.items() if holds)


def as_document(step: Step) -> dict[str, object]:
    """A step as JSON; a commit of null is what is not committed yet."""
    before, after = step.edit.before, step.edit.after
    return {
        **commit_document(step.commit),
        "what": list(what(step)),
        "id": after.id if after else None,
        "file": after.file if after else None,
        "id_before": before.id if before else None,
        "file_before": before.file if before else None,
        "changes": [
            {"path": list(one.path), "before": one.before, "after": one.after}
            for one in field_changes(step.edit.old, step.edit.new)
        ],
    }


def commit_document(commit: Commit | None) -> dict[str, object]:
    return {
        "commit": commit.id if commit else None,
        "time": _time(commit).isoformat() if commit else None,
        "author": commit.author if commit else None,
        "subject": commit.subject if commit else None,
    }


def print_steps(console: Console, steps: Iterable[Step]) -> None:
    """Each commit with what it did below it."""
    for step in steps:
        console.line(f"  {one_line(headline(step.commit))}")
        for line in _lines(step):
            console.line(f"      {one_line(line)}")


def headline(commit: Commit | None) -> str:
    """A commit in one line."""
    if commit is None:
        return _NOT_COMMITTED
    return f"{day(commit)}  {commit.id[:_SHORT]}  {commit.author}: {commit.subject}"


def day(commit: Commit) -> str:
    """The day of a commit in UTC."""
    return _time(commit).date().isoformat()


def note_limits(console: Console, history: History) -> None:
    """Say what of the history could not be read, and that a shallow clone has more of it."""
    for one in history.skipped:
        where = f"at {one.commit[:_SHORT]}" if one.commit else "on disk"
        console.note(f"{one.file} {where} cannot be read and is skipped: {one.reason}")
    if history.committed.shallow:
        console.note("This clone is shallow: older commits are missing. Get them: git fetch --unshallow")


def _lines(step: Step) -> Sequence[str]:
    before, after = step.edit.before, step.edit.after
    if before is None or after is None:
        return (what(step)[0], *map(_change, field_changes(step.edit.old, step.edit.new))) if after else what(step)
    renamed = [f"renamed from {before.id}"] if before.id != after.id else []
    moved = [f"moved from {before.file}"] if before.file != after.file else []
    return (*renamed, *moved, *map(_change, field_changes(step.edit.old, step.edit.new)))


def _change(change: FieldChange) -> str:
    before, after = text_of(change.before), text_of(change.after)
    if change.before is None:
        return f"+ {change.name}: {after}"
    return f"- {change.name}: {before}" if change.after is None else f"{change.name}: {before} -> {after}"


def _time(commit: Commit) -> datetime:
    return datetime.fromtimestamp(commit.time, UTC)
