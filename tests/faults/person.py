# SPDX-License-Identifier: Apache-2.0
"""Somebody who uses git in the same checkout at the same time, and checks that none of their work is lost."""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.place import MINE
from tests.faults.scenes import TORCH

_STEPS = (3, 9)
_PAUSE_SECONDS = 0.05


class Person:
    """A process that runs git repeatedly; each of its commits has a number."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._root = root
        self._chance = chance
        self._pid = 0
        self._told = root.parent / "person"
        """The numbers of the commits that git reported as made."""
        self._branch = self._git("branch", "--show-current").stdout.strip()

    def start(self) -> None:
        self._told.touch()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                self._work()
            finally:
                os._exit(0)

    def finish(self) -> list[str]:
        """Wait until it stops; returns the subjects of the commits that git reported."""
        os.waitpid(self._pid, 0)
        return self._told.read_text().split()

    def go_back(self) -> None:
        """Return to the initial branch, with no operation in progress."""
        self._abort()
        self._git("checkout", "-q", self._branch)

    def tidy_up(self) -> None:
        """Merge everything into that branch, and leave nothing stashed."""
        while self._git("stash", "list").stdout.strip():
            if self._git("stash", "pop", "-q").returncode != 0:
                break
        self._merge()

    def lost(self, told: list[str]) -> str:
        """Which of their work is missing; empty: none."""
        kept = self._git("log", "--all", "--format=%s").stdout.split()
        missing = [subject for subject in told if subject not in kept]
        if missing:
            return f"commits {missing}"
        # A rebase that stopped at a lock may have stashed changes that are also in the files: one copy is enough.
        torch = self._root / "tests" / "runner" / "test_config" / TORCH
        if not torch.read_text().startswith(MINE):
            return f"the change that was in no commit; stashed: {self._git('stash', 'list').stdout}"
        for name, text in (("staged.txt", "mine"), ("untracked.txt", "mine too")):
            if (self._root / name).read_text() != text:
                return name
        return ""

    def _work(self) -> None:
        steps: tuple[Callable[[int], None], ...] = (self._commit, self._commit, self._stash, self._side, self._look)
        for number in range(self._chance.randint(*_STEPS)):
            self._chance.choice(steps)(number)
            time.sleep(self._chance.uniform(0.0, _PAUSE_SECONDS))

    def _commit(self, number: int) -> None:
        name = f"p{number}"
        (self._root / name).write_text(name)
        self._git("add", name)
        if self._git("commit", "-qm", name, "--", name).returncode == 0:
            with self._told.open("a") as told:
                told.write(f"{name}\n")
        else:
            # Make way for the next one.
            self._git("rm", "--quiet", "--cached", "--force", name)
            (self._root / name).unlink(missing_ok=True)

    def _stash(self, number: int) -> None:
        if self._git("stash", "-q").returncode == 0:
            time.sleep(self._chance.uniform(0.0, _PAUSE_SECONDS))
            self._git("stash", "pop", "-q")

    def _side(self, number: int) -> None:
        """Make a commit on its own branch, for the first one to be rebased onto."""
        if self._git("checkout", "-q", "-b", f"side{number}").returncode == 0:
            self._commit(number)
            self._git("checkout", "-q", self._branch)
            self._merge()

    def _look(self, number: int) -> None:
        for words in (("status",), ("diff",), ("fsck",)):
            self._git(*words)

    def _merge(self) -> None:
        sides = self._git("for-each-ref", "--format=%(refname:short)", "refs/heads/side*").stdout.split()
        for side in sides:
            if self._git("rebase", "-q", "--autostash", side).returncode != 0:
                self._abort()

    def _abort(self) -> None:
        """Abort a rebase. If it stopped at a lock it may only have stashed: then clean up by hand, as git advises."""
        state = self._root / ".git" / "rebase-merge"
        if not state.exists() or self._git("rebase", "--abort").returncode == 0:
            return
        if (stashed := state / "autostash").exists():
            self._git("stash", "store", "-m", "autostash", stashed.read_text().strip())
        shutil.rmtree(state)

    def _git(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["git", *words], cwd=self._root, capture_output=True, text=True, check=False)
