# SPDX-License-Identifier: Apache-2.0
"""Which command of git brings a commit that a clone lacks: a shallow one asks for another than a complete one."""

import re
import shlex
from pathlib import Path
from typing import Protocol

from core.base.errors import TTMatrixError

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_STEPS = re.compile(r"[~^@]")
"""Begins the part of a name that leads from one commit to another: `HEAD~2`."""


class Clone(Protocol):
    """What is asked of the git of a clone: `core.sources.git.Git`, which uses this module itself."""

    @property
    def root(self) -> Path: ...

    def text(self, *words: str) -> str: ...

    def has(self, commit: str) -> bool: ...

    def is_shallow(self) -> bool: ...


def fetching(git: Clone, *revisions: str) -> str:
    """The command; empty: none helps, as there is no remote or no clone, or the history does not go so far back."""
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
    return f"{command} --unshallow brings older commits, {newer} newer ones" if shallow else newer


def fetch_command(git: Clone) -> str:
    """The command without what it is to fetch."""
    return f"git -C {shlex.quote(str(git.root))} fetch"


def _is_step(revision: str) -> bool:
    return _STEPS.search(revision) is not None
