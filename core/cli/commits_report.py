# SPDX-License-Identifier: Apache-2.0
"""Commits between two results: as lines for a person, and as JSON."""

from core.cli.console import Console
from core.evidence.analysis import Between
from core.text import counted, one_line

_SHORT = 10
_SHOWN_COMMITS = 15


def print_commits(name: str, one: Between, console: Console) -> None:
    """The commits of one repository, newest first, as notes."""
    if one.unknown:
        console.note(f"{name}: {one_line(one.unknown)}")
        return
    console.note(f"{name}: {counted(len(one.commits), 'commit')}, {one.before[:_SHORT]} to {one.after[:_SHORT]}")
    for commit in one.commits[:_SHOWN_COMMITS]:
        console.note(f"  {commit.id[:_SHORT]} {commit.day} {one_line(commit.subject)}")
    if len(one.commits) > _SHOWN_COMMITS:
        console.note(f"  and {len(one.commits) - _SHOWN_COMMITS:,} more")


def commits_document(one: Between) -> dict[str, object]:
    """The same as JSON."""
    return {
        "before": one.before or None,
        "after": one.after or None,
        "unknown": one.unknown or None,
        "commits": [
            {"id": commit.id, "day": commit.day, "author": commit.author, "subject": commit.subject}
            for commit in one.commits
        ],
    }
