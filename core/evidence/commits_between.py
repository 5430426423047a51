# SPDX-License-Identifier: Apache-2.0
"""The commits that lie between two runs, in the checkout and in its submodule of models."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import TTMatrixError
from core.evidence.observation import Observation
from core.sources.checkout import Checkout
from core.sources.git import Git

_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class OneCommit:
    """A commit in one line."""

    id: str
    day: str
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class Between:
    """What came from one commit to another."""

    before: str
    """Empty: unknown."""
    after: str
    commits: tuple[OneCommit, ...] = ()
    """Newest first: those that the later commit has and the earlier one has not."""
    unknown: str = ""
    """Why the commits cannot be told; empty: they are all there are."""


def between(checkout: Checkout, before: Iterable[Observation], after: Iterable[Observation]) -> tuple[Between, Between]:
    """What lies between two runs: of the checkout, and of its models."""
    old, new = list(before), list(after)
    own = _most(row.commit for row in old), _most(row.commit for row in new)
    git = Git(checkout.root)
    models = [
        _most(row.models_commit for row in rows) or _pinned(git, checkout, commit)
        for rows, commit in ((old, own[0]), (new, own[1]))
    ]
    return _log(git, *own), _log(Git(checkout.models), models[0], models[1])


def _most(commits: Iterable[str]) -> str:
    """The commit of a run: that of most of its results which have one."""
    counts = Counter(commit for commit in commits if commit)
    return counts.most_common(1)[0][0] if counts else ""


def _pinned(git: Git, checkout: Checkout, commit: str) -> str:
    """The commit of the submodule that a commit of the checkout pins; empty where that cannot be told."""
    return git.pinned(checkout.relative(checkout.models), commit) if git.has(commit) else ""


def _log(git: Git, before: str, after: str) -> Between:
    if not (before.isalnum() and after.isalnum()):
        return Between(before, after, unknown="the runs do not say which commits they ran")
    if before == after:
        return Between(before, after)
    form = _SEPARATOR.join(("%H", "%cs", "%an", "%s"))
    try:
        out = git.text("log", "--no-show-signature", f"--format={form}", f"{before}..{after}", "--")
    except TTMatrixError as error:
        return Between(before, after, unknown=error.detail.partition("\n")[0])
    lines = (line.split(_SEPARATOR, 3) for line in out.splitlines())
    return Between(before, after, tuple(OneCommit(*words) for words in lines if len(words) == 4))
