# SPDX-License-Identifier: Apache-2.0
"""Compare two runs of many tests: new failures, persisting ones, fixed ones, changed reasons, tests not run."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.base.errors import TTMatrixError, UsageError
from core.evidence.observation import FAILURES, RAN, Observation, Origin
from core.evidence.reasons import same_failure
from core.evidence.series import is_cut
from core.sources import Checkout, Git, may_bring


class DifferenceKind(StrEnum):
    """How a cell differs between two runs."""

    NEW = "new"
    """Fails now, and did not before: it passed or was not run."""
    REASON = "changed reason"
    """Fails as before, but for a different reason."""
    FIXED = "fixed"
    MISSING = "missing"
    """Had a result before, and is not among those that its job reports now."""
    NOT_RUN = "not run"
    """Had a result before, and has none now: skipped, or its job did not run, no longer selects it or was cut."""
    PERSISTING = "persisting"


@dataclass(frozen=True, slots=True)
class Difference:
    """One cell in two runs; None: no result there."""

    id: str
    arch: str
    kind: DifferenceKind
    before: Observation | None
    after: Observation | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs."""

    differences: tuple[Difference, ...]
    """By kind, then by id and arch; without the cells that pass in both."""
    passing: int
    """Cells that pass in both."""

    @property
    def counts(self) -> Mapping[DifferenceKind, int]:
        found = Counter(one.kind for one in self.differences)
        return {kind: found[kind] for kind in DifferenceKind}


def compare(
    before: Iterable[Observation],
    after: Iterable[Observation],
    is_gone: Callable[[Observation], bool] = lambda row: False,
) -> Comparison:
    """Compare the results of one run with those of a later one, cell by cell.

    `is_gone` says of a result without one in the later run whether its job ran whole and selects it; it is only called
    if that job reports others there.
    """
    old, new = ({row.cell: row for row in sorted(rows, key=lambda row: row.when)} for rows in (before, after))
    order = list(DifferenceKind)
    found: list[Difference] = []
    passing = 0
    for cell in old.keys() | new.keys():
        was, now = old.get(cell), new.get(cell)
        kind = _kind(was, now)
        if kind is not None:
            found.append(Difference(*cell, kind, was, now))
        passing += kind is None and _ran(was) and _ran(now)
    reported = Counter(row.job for row in new.values() if row.job and row.origin is Origin.CI)
    found = list(_with_missing(found, reported, is_gone))
    return Comparison(tuple(sorted(found, key=lambda one: (order.index(one.kind), one.id, one.arch))), passing)


def _with_missing(
    differences: Sequence[Difference], reported: Mapping[str, int], is_gone: Callable[[Observation], bool]
) -> Iterator[Difference]:
    """`differences`, in which what is gone from the reports of its job is not called "not run".

    `reported` has the number of cells that each job reports in the later run.
    """
    without = [(one, one.before) for one in differences if one.kind is DifferenceKind.NOT_RUN and one.after is None]
    gone = {one: row.job for one, row in without if row and reported.get(row.job) and is_gone(row)}
    lost = Counter(gone.values())
    for one in differences:
        job = gone.get(one)
        missing = job is not None and not is_cut(lost[job], reported[job])
        yield replace(one, kind=DifferenceKind.MISSING) if missing else one


def _kind(was: Observation | None, now: Observation | None) -> DifferenceKind | None:
    if not _ran(now):
        return DifferenceKind.NOT_RUN if _ran(was) else None
    if not _fails(now):
        return DifferenceKind.FIXED if _fails(was) else None
    if was is None or now is None or not _fails(was):
        return DifferenceKind.NEW
    # Without a reason on both sides, only a different ending counts as a change.
    return DifferenceKind.PERSISTING if same_failure(was, now) else DifferenceKind.REASON


def _ran(row: Observation | None) -> bool:
    return row is not None and row.ending in RAN


def _fails(row: Observation | None) -> bool:
    return row is not None and row.ending in FAILURES


def chosen_run(name: str, known: Sequence[str]) -> str:
    """The run that `name` means: its full name, or a part of no other name. Raises UsageError with the known runs."""
    if name in known:
        return name
    found = [one for one in known if name in one]
    if len(found) == 1:
        return found[0]
    title = f"{len(found)} runs have {name!r} in their names" if found else f"There is no run {name!r}"
    shown = ", ".join((found or list(known))[:10])
    raise UsageError(
        title, f"Runs: {shown}" if shown else "There is no run yet.", "ttmatrix compare --runs lists them."
    )


_SEPARATOR = "\x1f"
_SHORT = 10
_HEX = re.compile("[0-9a-f]{4,64}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OneCommit:
    """A commit in one line."""

    id: str
    day: str
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class Between:
    """The commits between two commits."""

    before: str
    """Empty: unknown."""
    after: str
    commits: tuple[OneCommit, ...] = ()
    """Newest first: those that the later commit has and the earlier one has not."""
    unknown: str = ""
    """Why the commits are unknown; empty: they are not."""
    more: int = 0
    """How many older ones are not listed."""


def between(checkout: Checkout, before: Iterable[Observation], after: Iterable[Observation]) -> tuple[Between, Between]:
    """The commits between two runs: those of the checkout, and those of its models."""
    old, new = list(before), list(after)
    own = _most(row.commit for row in old), _most(row.commit for row in new)
    git, pins = Git(checkout.root), Git(checkout.models)
    found = commits_from(git, *own)
    models = [
        _most(row.models_commit for row in rows) or _pinned(git, checkout, commit)
        for rows, commit in ((old, own[0]), (new, own[1]))
    ]
    # Without the commit, the models commit that it pins is unknown.
    reason = found.unknown if not all(models) else ""
    first, last = models
    return found, Between(first, last, unknown=reason) if reason else commits_from(pins, first, last)


def _most(commits: Iterable[str]) -> str:
    """The commit of a run: the one that most of its results with a commit have."""
    counts = Counter(commit for commit in commits if commit)
    return counts.most_common(1)[0][0] if counts else ""


def _pinned(git: Git, checkout: Checkout, commit: str) -> str:
    """The commit of the submodule that a commit of the checkout pins; empty if unknown."""
    return git.pinned(checkout.relative(checkout.models), commit) if git.has(commit) else ""


def commits_from(git: Git, before: str, after: str) -> Between:
    """The commits that `after` has and `before` has not."""
    if not (before and after):
        return Between(before, after, unknown="the runs do not say which commits they ran")
    if before == after:
        return Between(before, after)
    if missing := [one for one in (before, after) if not git.has(one)]:
        return Between(before, after, unknown=_not_there(git, missing))
    form = _SEPARATOR.join(("%H", "%cs", "%an", "%s"))
    try:
        out = git.text("log", "--no-show-signature", f"--format={form}", f"{before}..{after}", "--")
    except TTMatrixError:
        # The two commits are here, and something between them is damaged: a shallow history just ends.
        unknown = f"git cannot list the commits from {before[:_SHORT]} to {after[:_SHORT]}"
        return Between(before, after, unknown=unknown)
    lines = (line.split(_SEPARATOR, 3) for line in out.splitlines())
    return Between(before, after, tuple(OneCommit(*words) for words in lines if len(words) == 4))


def _not_there(git: Git, missing: Sequence[str]) -> str:
    if names := [one for one in missing if not _HEX.fullmatch(one)]:
        return f"no commit is named {names[0]!r} in this clone: give the id of a commit to ttmatrix ingest --commit"
    words = f"{' and '.join(one[:_SHORT] for one in missing)} {'are' if len(missing) > 1 else 'is'} not in this clone"
    return words + may_bring(git, *missing, it="them" if len(missing) > 1 else "it")
