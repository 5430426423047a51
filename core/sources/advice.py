# SPDX-License-Identifier: Apache-2.0
"""What to say where no commit has a name: what has it, or the command of git that brings the commit.

A shallow clone asks for another command than a complete one.
"""

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.base.errors import TTMatrixError

if TYPE_CHECKING:
    from core.base.processes import BinaryResult

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BEGINNING = re.compile(r"[0-9a-f]{4,39}")
_LONGER, _SHOWN = 14, 3
_KINDS = {"tree": "directory in git", "blob": "file in git"}
_STEPS = re.compile(r"[~^@]")
"""Begins the part of a name that leads from one commit to another: `HEAD~2`."""


def git_command(root: Path, *words: str) -> str:
    """A command of git for people: it works wherever they are, and whatever the path has in it."""
    return shlex.join(("git", "-C", str(root), *words))


def setting_up(root: Path, submodule: str) -> str:
    """The command that checks out what is recorded of a submodule."""
    return git_command(root, "submodule", "update", "--init", submodule)


class Clone(Protocol):
    """What is asked of the git of a clone: `core.sources.git.Git`, which uses this module itself."""

    @property
    def root(self) -> Path: ...

    def text(self, *words: str) -> str: ...

    def attempt(self, *words: str) -> "BinaryResult": ...

    def has(self, commit: str) -> bool: ...

    def is_shallow(self) -> bool: ...


def fetching(git: Clone, *revisions: str) -> str:
    """The command, or two of which one helps.

    Empty: none helps, as there is no remote or no clone, or the history does not go so far back.
    """
    try:
        remotes = git.text("remote").split()
    except TTMatrixError:
        return ""
    if not remotes:
        return ""
    remote = "origin" if "origin" in remotes else remotes[0]
    shallow = git.is_shallow()
    command, depth = fetch_command(git), " --depth=1" if shallow else ""
    if all(map(_ID.fullmatch, revisions)):
        return f"{command}{depth} {shlex.join((remote, *revisions))}"
    if all(map(_is_step, revisions)) and all(git.has(_STEPS.split(one)[0] or "HEAD") for one in revisions):
        return f"{command} --unshallow" if shallow else ""
    branches = [one.removeprefix(f"{remote}/") for one in revisions if one.startswith(f"{remote}/")]
    if len(branches) == len(revisions) and not any(map(_is_step, branches)):
        # A clone of a single branch has no others, whatever it fetches.
        places = [f"{one}:refs/remotes/{remote}/{one}" for one in branches]
        return f"{command}{depth} {shlex.join((remote, *places))}"
    newer = f"{command} {shlex.quote(remote)}"
    return f"{command} --unshallow (older commits) or {newer} (newer ones)" if shallow else newer


def may_bring(git: Clone, *revisions: str, it: str = "it") -> str:
    """The end of a sentence that says what is not here; empty: no command helps."""
    command = fetching(git, *revisions)
    return f": {command} may bring {it}" if command else ""


def what_else(git: Clone, revision: str) -> str:
    """What a name is, other than one commit; empty: nothing that is known here."""
    if _BEGINNING.fullmatch(revision) and not git.has(revision):
        alike = git.attempt("rev-parse", f"--disambiguate={revision}").stdout.decode().split()
        commits = [one for one in alike if git.has(one)]
        if len(commits) > 1:
            return (
                f"It is the beginning of {len(commits)} commits: {', '.join(one[:_LONGER] for one in commits[:_SHOWN])}"
            )
    found = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
    if found.returncode == 0 and (id := found.stdout.decode().strip()).isalnum():
        kind = git.attempt("cat-file", "-t", f"{id}^{{}}").stdout.decode().strip()
        return f"It is a {_KINDS.get(kind, kind)}" if kind in _KINDS else ""
    place = Path(os.path.normpath(git.root / revision))
    if place.is_relative_to(git.root) and os.path.lexists(place):
        return "It is a path of the checkout"
    return ""


def fetch_command(git: Clone) -> str:
    """The command without what it is to fetch."""
    return git_command(git.root, "fetch")


def _is_step(revision: str) -> bool:
    return _STEPS.search(revision) is not None
