# SPDX-License-Identifier: Apache-2.0
"""Since when a cell passes or fails, in words, for a command and a screen alike."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line
from core.evidence.analysis.comparison import Between, between
from core.evidence.analysis.since import CellCourse
from core.evidence.ci_runs import page_of
from core.evidence.observation import Observation
from core.evidence.series import FLAKINESS_RESULTS
from core.sources import Checkout, Git, web_address

_SHORT, _MOST_COMMITS = 10, 15


class Commits(NamedTuple):
    """The commits of one repository between two results."""

    name: str
    between: Between
    url: str
    """The address of a page that compares both; empty: unknown."""


class SinceLine(NamedTuple):
    """One line, and whether it is secondary: a commit or a link."""

    text: str
    aside: bool = False


def commits_of(one: CellCourse, checkout: Checkout) -> tuple[Commits, ...]:
    """The commits from the last result before the change to the first after it; none without a result before."""
    return commits_between(one.before, one.since, checkout) if one.before else ()


def commits_between(before: Observation, since: Observation, checkout: Checkout) -> tuple[Commits, ...]:
    """The commits of both repositories between two results."""
    own, models = between(checkout, [before], [since])
    return (
        Commits("tt-xla", own, _address(own, Git(checkout.root))),
        Commits("tt_forge_models", models, _address(models, Git(checkout.models))),
    )


def _address(commits: Between, git: Git) -> str:
    if not commits.commits or not (base := web_address(git)):
        return ""
    return f"{base}/compare/{commits.before}...{commits.after}"


def since_lines(one: CellCourse, together: int, commits: Sequence[Commits]) -> Iterator[SinceLine]:
    """The course of one cell; `together` other cells began to fail in the same run."""
    word = "fails" if one.failing else "passes"
    if one.before is None:
        yield SinceLine(f"{one.arch}: {word} in all of {counted(one.results, 'result')}, since {_place(one.since)}")
    else:
        yield SinceLine(f"{one.arch}: {word} since {_place(one.since)}; {_steadiness(one)}")
        yield SinceLine(f"  {'last good' if one.failing else 'last bad'}: {_place(one.before)}")
        if one.failing and one.since.reason:
            yield SinceLine(f"  {one_line(one.since.reason)}")
        if page := page_of([one.since]).url:
            yield SinceLine(f"  {page}", aside=True)
        if one.failing and together:
            yield SinceLine(f"  {counted(together, 'other cell')} began to fail in the same run")
    if one.absent:
        yield SinceLine(f"  {one.absent.kind}: {one_line(one.absent.why)}")
    if one.drift:
        yield SinceLine(f"  pcc {one.drift.text}")
    for part in commits:
        for line in commit_lines(part.name, part.between):
            yield SinceLine(f"  {line}", aside=True)
        if part.url:
            yield SinceLine(f"    {part.url}", aside=True)


def _steadiness(one: CellCourse) -> str:
    """How often it has changed, and whether that makes it flaky."""
    if one.flips == 1:
        return "changed once, not flaky"
    if not one.flakiness:
        return f"changed {one.flips} times, at most once in its newest {FLAKINESS_RESULTS} results: not flaky"
    return f"changed {one.flips} times, flakiness {one.flakiness:.2f} (0 is steady, 1 changes every time)"


def commit_lines(name: str, one: Between, most: int = _MOST_COMMITS) -> Iterator[str]:
    """The commits of one repository, newest first, and how many."""
    if one.unknown:
        yield f"{name}: {one_line(one.unknown)}"
        return
    yield f"{name}: {counted(len(one.commits) + one.more, 'commit')}, {one.before[:_SHORT]} to {one.after[:_SHORT]}"
    for commit in one.commits[:most]:
        yield f"  {commit.id[:_SHORT]} {commit.day} {one_line(commit.subject)}"
    if len(one.commits) > most or one.more:
        yield f"  and {len(one.commits[most:]) + one.more:,} more"


def _place(row: Observation) -> str:
    return f"{one_line(row.run)} ({day_of(row.when) or 'an unknown day'})"
