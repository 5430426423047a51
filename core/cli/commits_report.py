# SPDX-License-Identifier: Apache-2.0
"""Commits between two results: as lines for a person, and as JSON."""

from __future__ import annotations

from core.cli import records
from core.cli.console import Console
from core.evidence.analysis import Between, commit_lines
from core.evidence.nightly import Moved, Versions


def print_commits(name: str, one: Between, console: Console) -> None:
    """The commits of one repository, newest first, as notes."""
    for line in commit_lines(name, one):
        console.note(line)


def commits_document(one: Between) -> records.CommitsBetween:
    """The same as JSON."""
    return records.CommitsBetween(
        before=one.before or None,
        after=one.after or None,
        unknown=one.unknown or None,
        commits=[
            records.CommitBetween(id=commit.id, day=commit.day, author=commit.author, subject=commit.subject)
            for commit in one.commits
        ],
        more=one.more,
    )


def all_commits(one: Versions) -> list[records.NamedCommitsBetween]:
    """The commits of each repository between two heads."""
    parts = (("tt-xla", one.own), ("tt_forge_models", one.models), *((name, some) for name, some, _ in one.others))
    return [commits_document(some).extended(records.NamedCommitsBetween, repository=name) for name, some in parts]


def pin_record(one: Moved) -> records.NightPin:
    """A version that moved, as JSON."""
    return records.NightPin(name=one.name, before=one.before or None, after=one.after or None, url=one.url or None)
