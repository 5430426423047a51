# SPDX-License-Identifier: Apache-2.0
"""The history of an entry: as lines for a person, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from core.base.text import one_line
from core.cli import records
from core.cli.console import Console
from core.history import History, Step, day_of, field_changes, step_lines, what
from core.sources import Commit

_SHORT = 9
_NOT_COMMITTED = "not committed"


def as_document(step: Step) -> records.Step:
    """A step as JSON; the commit is null for uncommitted changes."""
    before, after = step.edit.before, step.edit.after
    return commit_document(step.commit).extended(
        records.Step,
        what=list(what(step)),
        id=after.id if after else None,
        file=after.file if after else None,
        id_before=before.id if before else None,
        file_before=before.file if before else None,
        changes=[
            records.StepChange(path=list(one.path), before=one.before, after=one.after)
            for one in field_changes(step.edit.old, step.edit.new)
        ],
    )


def commit_document(commit: Commit | None) -> records.Commit:
    return records.Commit(
        commit=commit.id if commit else None,
        time=_time(commit).isoformat() if commit else None,
        author=commit.author if commit else None,
        subject=commit.subject if commit else None,
    )


def steps_text(steps: Iterable[Step]) -> Iterator[str]:
    """A line for each commit, and below it what it did."""
    for step in steps:
        yield f"  {one_line(headline(step.commit))}"
        for line in step_lines(step):
            yield f"      {one_line(line)}"


def headline(commit: Commit | None) -> str:
    """A commit in one line."""
    if commit is None:
        return _NOT_COMMITTED
    return f"{day_of(commit)}  {commit.id[:_SHORT]}  {commit.author}: {commit.subject}"


def note_limits(console: Console, history: History) -> None:
    """Note which part of the history could not be read, and that a shallow clone lacks part of it."""
    for one in history.skipped:
        where = f"at {one.commit[:_SHORT]}" if one.commit else "on disk"
        console.note(f"{one.file} {where} cannot be read and is skipped: {one.reason}")
    if history.committed.shallow:
        console.note("This clone is shallow: older commits are missing. Get them: git fetch --unshallow")


def _time(commit: Commit) -> datetime:
    return datetime.fromtimestamp(commit.time, UTC)
