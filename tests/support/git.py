# SPDX-License-Identifier: Apache-2.0
"""A git repository as checkout, and everything about it that a commit must not change."""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from core.base.processes import run_command
from core.sources import Checkout


def git(root: Path, *words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
    """The output of git at `root`; fails if git fails."""
    done = run_command(["git", *words], cwd=root, stdin=stdin, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def committer(root: Path) -> None:
    """Configure a committer: the effect of two calls of `git config`."""
    with (root / ".git" / "config").open("a") as config:
        config.write("[user]\n\tname = Somebody\n\temail = somebody@example.com\n")


def committed_checkout(checkout: Checkout) -> Checkout:
    """The checkout with everything in one commit."""
    git(checkout.root, "init", "--quiet", "--template=", "--initial-branch=main")
    committer(checkout.root)
    git(checkout.root, "add", "--all")
    git(checkout.root, "commit", "--quiet", "--message=first")
    return checkout


def hook(root: Path, name: str, script: str) -> None:
    """Install a hook."""
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def state(root: Path) -> dict[str, str]:
    """Everything that a failed commit must not change: branch, index to the byte, status, both diffs.

    Nothing is written: `git diff` rewrites the index if a file looks touched, even without optional
    locks, so this runs on a copy.
    """
    index = root / ".git" / "index"
    with TemporaryDirectory() as scratch:
        # Preserve times, by which git decides which files to read.
        env = {"GIT_INDEX_FILE": shutil.copy2(index, f"{scratch}/index")}
        return {
            "index": hashlib.sha256(index.read_bytes()).hexdigest(),
            "head": git(root, "rev-parse", "HEAD"),
            "branch": git(root, "symbolic-ref", "HEAD"),
        } | {
            " ".join(words): git(root, *words, env=env)
            for words in (("status", "--porcelain=v2"), ("diff", "--cached"), ("diff",))
        }
