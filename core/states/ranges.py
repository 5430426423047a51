# SPDX-License-Identifier: Apache-2.0
"""The two states that a person names: a range of git, the work tree, the index, a branch with where it began."""

from typing import NamedTuple

from core.base.errors import UsageError
from core.sources import INDEX, WORK_TREE, Git, fetching, git_command

_HEAD = "HEAD"
_SINCE, _BETWEEN = "...", ".."
_SHORT = 10


class Span(NamedTuple):
    """Two states, as `States.at` takes them."""

    before: str
    after: str
    note: str = ""
    """How the first of them was found, for people; empty: it was named."""


def span(git: Git, text: str) -> Span:
    """`A..B`, or `A...B` from where B left A; `A`: from A to the work tree; nothing: what is not committed.

    Raises UsageError if git knows no such commit.
    """
    before, mark, after = ends(text)
    if mark:
        before, after = before or _HEAD, after or _HEAD
        return since(git, before, after) if mark == _SINCE else Span(before, after)
    return Span(text or _HEAD, WORK_TREE)


def span_of_models(git: Git, text: str) -> Span:
    """The two commits of the models that a person names: `OLD..NEW`, `OLD...NEW`, or `NEW`.

    Without OLD, `before` is empty. Raises UsageError if there are not two ends.
    """
    before, mark, after = ends(text)
    if mark == _SINCE:
        return since(git, before or _HEAD, after or _HEAD)
    return Span(before, after or _HEAD) if mark else Span("", text)


def ends(text: str) -> tuple[str, str, str]:
    """Both ends of a range, with the dots between them; without dots all of it is the first end.

    Raises UsageError if it has more ends.
    """
    for mark in (_SINCE, _BETWEEN):
        before, found, after = text.partition(mark)
        if found and _BETWEEN in after:
            raise UsageError(f"Not a range: {text!r}", "It has more than two ends.", "Name two commits: A..B or A...B.")
        if found:
            return before, mark, after
    return text, "", ""


def of_changes(git: Git, text: str) -> Span:
    """What a pull request would hold: of a range, of a branch since it left upstream's, of a single commit.

    The first commit has nothing before it: then `before` is empty. Raises UsageError if git knows no such commit.
    """
    if text in (WORK_TREE, INDEX):
        return Span(_HEAD, text)
    if _BETWEEN in text:
        return span(git, text)
    if git.is_branch(text) and (upstream := git.upstream()):
        found = since(git, upstream, text)
        if found.before != git.named(text):
            return found
    commit = git.named(text)
    parent = git.parent(commit)
    if not parent and git.is_shallow():
        raise UsageError(
            f"There is nothing before {text}",
            "The clone is shallow, and the commit before is not in it.",
            git_command(git.root, "fetch", "--deepen=1"),
        )
    return Span(parent, text)


def since(git: Git, base: str, tip: str) -> Span:
    """From where `tip` left `base`. Raises UsageError if the clone does not know where that was."""
    if tip in (WORK_TREE, INDEX):
        found = git.merge_base(git.named(base), git.named(_HEAD))
    else:
        found = git.merge_base(git.named(base), git.named(tip))
    if not found:
        shallow = git.is_shallow()
        raise UsageError(
            f"Nothing here shows where {tip} left {base}",
            "The clone is shallow: their common commit is not in it." if shallow else "They have no common commit.",
            fetching(git, f"{base}^") if shallow else "Name two commits: A..B.",
        )
    return Span(found, tip, f"{tip} since it left {base} at {found[:_SHORT]}")


def paths_between(git: Git, before: str, after: str) -> list[str]:
    """The files that differ between two of a commit, the index and the work tree; none that git does not track.

    Raises TTMatrixError if git fails.
    """
    if before == after:
        return []
    commits = [one for one in (before, after) if one not in (INDEX, WORK_TREE)]
    words = commits if WORK_TREE in (before, after) or len(commits) > 1 else ["--cached", *commits]
    return git.text("diff", "--name-only", "--no-renames", "-z", *words, "--").split("\0")[:-1]
