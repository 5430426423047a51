# SPDX-License-Identifier: Apache-2.0
"""A step in the history of an entry in words for a person: a one-word summary, and its lines."""

from collections.abc import Sequence

from core.base import checked_numbers
from core.history.diff import FieldChange, field_changes
from core.history.timelines import Step
from core.matrix import text_of
from core.sources import Commit


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


def step_lines(step: Step) -> Sequence[str]:
    """The changes of a step, a line each: `+` for what was added, `-` for what was removed, and `before -> after`."""
    before, after = step.edit.before, step.edit.after
    if before is None or after is None:
        return (what(step)[0], *map(_change, field_changes(step.edit.old, step.edit.new))) if after else what(step)
    renamed = [f"renamed from {before.id}"] if before.id != after.id else []
    moved = [f"moved from {before.file}"] if before.file != after.file else []
    return (*renamed, *moved, *map(_change, field_changes(step.edit.old, step.edit.new)))


def day_of(commit: Commit) -> str:
    """The day of a commit in UTC."""
    return checked_numbers.day_of(commit.time)


def _change(change: FieldChange) -> str:
    before, after = text_of(change.before), text_of(change.after)
    if change.before is None:
        return f"+ {change.name}: {after}"
    return f"- {change.name}: {before}" if change.after is None else f"{change.name}: {before} -> {after}"
