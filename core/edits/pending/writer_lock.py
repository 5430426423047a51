# SPDX-License-Identifier: Apache-2.0
"""One writer per checkout, for all users and all state directories."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from core.base.files import read_loosely
from core.base.locks import locked, locked_directory
from core.base.settings import paths
from core.edits.scratch import clear, is_anything_left

_NAME = "ttmatrix.lock"


@contextmanager
def sole_writer(root: Path, doing: str, *, wait: float) -> Iterator[tuple[str, ...]]:
    """Keep every other ttmatrix from writing and committing in the checkout at `root` while the block runs.

    Remains of a killed ttmatrix in git's directory are removed; the block gets the commits that its own commits were to
    be based on. Raises TTMatrixError that names the holder (another ttmatrix, or a git that a killed one started) after
    `wait` seconds, or if no lock can be made.
    """
    with _locked(root, doing, wait):
        home = git_home(root)
        yield clear(home, wait) if home else ()


def is_left_behind(root: Path) -> bool:
    """Whether there may be remains to remove. Costs a look into git's directory."""
    home = git_home(root)
    return home is not None and is_anything_left(home)


def git_home(root: Path) -> Path | None:
    """Git's own directory of the work tree that `root` is in; None: there is none."""
    return next(filter(None, map(_git_directory, (root.resolve(), *root.resolve().parents))), None)


def _locked(root: Path, doing: str, wait: float) -> AbstractContextManager[None]:
    """Lock a file in git's own directory; if we may not write there, the root of the work tree itself.

    A lock below a user's state would exclude neither other users nor the same user with another TTMATRIX_HOME, and
    anybody could hold or redirect one in the directory for temporary files.
    """
    directory = _git_directory(root)
    if directory is not None and os.access(directory, os.W_OK):
        return locked(directory / _NAME, doing, wait=wait)
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    return locked_directory(root.resolve(), paths().state / "writers" / f"{name}.holder", doing, wait=wait)


def _git_directory(root: Path) -> Path | None:
    dot_git = root / ".git"
    if dot_git.is_dir():
        return dot_git
    try:
        kind, _, place = read_loosely(dot_git).strip().partition(": ")
    except (OSError, UnicodeDecodeError):
        return None
    directory = (root / place).resolve()
    return directory if kind == "gitdir" and directory.is_dir() else None
