# SPDX-License-Identifier: Apache-2.0
"""A history described backwards: the last state is given, earlier ones are derived by undoing replacements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replacement:
    """In the file at `path`, every `before` became `after`. An empty `before`: text was added."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ReplayedCommit:
    """One commit; the replacements are those against the commit before it."""

    date: str
    """Day of the commit, ISO 8601."""
    message: str
    replacements: tuple[Replacement, ...] = ()


def states(final: Mapping[str, str], commits: Sequence[ReplayedCommit]) -> list[dict[str, str]]:
    """The files by path after each of `commits`, oldest first; the last state is `final`.

    Raises ValueError if a replacement cannot be undone unambiguously.
    """
    newest_first = [dict(final)]
    for commit in reversed(commits[1:]):
        newest_first.append(_without(commit, newest_first[-1]))
    return newest_first[::-1]


def _without(commit: ReplayedCommit, files: Mapping[str, str]) -> dict[str, str]:
    earlier = dict(files)
    for replacement in reversed(commit.replacements):
        earlier[replacement.path] = _taken_back(replacement, earlier[replacement.path])
    return earlier


def _taken_back(replacement: Replacement, text: str) -> str:
    before, after = replacement.before, replacement.after
    earlier = text.replace(after, before)
    if after not in text or (before and earlier.replace(before, after) != text):
        raise ValueError(f"{replacement.path} does not come from replacing {before!r} by {after!r}")
    return earlier
