# SPDX-License-Identifier: Apache-2.0
"""A small checkout with somebody's unfinished work, the changes to commit there, and the invariants of both."""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.faults import scenes
from tests.faults.scenes import JAX, NEW, OLD, TORCH, A, B, C
from tests.support.git import git
from tests.support.tree import write_checkout

MINE = "# mine\n"
"""Somebody's change in an edited file, neither staged nor committed."""
_LONG = "".join(f"# {hashlib.sha256(bytes([at])).hexdigest()}\n" for at in range(150))
"""Comments at the start of each file that make it larger."""
_WORK = {
    "before": {TORCH: MINE + _LONG + OLD[TORCH], JAX: _LONG + OLD[JAX]},
    "done": {TORCH: MINE + _LONG + NEW[TORCH], JAX: _LONG + NEW[JAX]},
}
_OPERATIONS = {
    "all": [
        {"op": "set", "id": A, "path": ["status"], "value": "UNSPECIFIED"},
        {"op": "set", "id": B, "path": ["reason"], "value": "new"},
        {"op": "set", "id": C, "path": ["status"], "value": "EXPECTED_PASSING"},
    ]
}
_OPERATIONS |= {"torch": _OPERATIONS["all"][:2], "jax": _OPERATIONS["all"][2:], "none": []}


@dataclass(frozen=True, slots=True)
class Look:
    """The state at one moment."""

    work: str
    """`before`, `done`, or the files' content if it is neither."""
    subjects: tuple[str, ...]
    """Subjects of the commits, newest first."""
    index: str
    """The digest of the index file."""
    entries: tuple[str, ...]
    """The entries of the index."""
    status: tuple[str, ...]

    @property
    def committed(self) -> bool:
        return self.subjects[0] == "second"


class Workplace:
    """The checkout, a home and the operations, below one directory."""

    def __init__(self, directory: Path, seconds: float = 0.3) -> None:
        """`seconds`: the approximate duration of a commit on this machine."""
        self.directory = directory
        self.seconds = seconds
        self.place = scenes.Place(directory)
        self.root = self.place.checkout.root
        self.home = directory / "home"

    def lay_out(self) -> None:
        scenes.lay_out(self.place)
        write_checkout(self.root, {}, {})
        for file, text in OLD.items():
            (self.place.checkout.test_config / file).write_text(_LONG + text)
        git(self.root, "add", "third_party")
        git(self.root, "commit", "--quiet", "--message=models", "--", "third_party", "tests")
        (self.place.checkout.test_config / TORCH).write_text(_WORK["before"][TORCH])
        (self.root / "untracked.txt").write_text("mine too")
        for name, operations in _OPERATIONS.items():
            self.operations(name).write_text(json.dumps(operations))

    def copied_to(self, directory: Path) -> "Workplace":
        shutil.copytree(self.directory, directory, symlinks=True, dirs_exist_ok=True)
        return Workplace(directory, self.seconds)

    def texts(self, name: str) -> dict[str, str]:
        """The contents of the files `before` and when `done`."""
        return _WORK[name]

    def operations(self, name: str = "all") -> Path:
        return self.directory / f"{name}.json"

    def look(self) -> Look:
        texts = self.place.texts()
        work = next((name for name, wanted in _WORK.items() if wanted == texts), json.dumps(texts))
        return Look(
            work,
            tuple(git(self.root, "log", "--format=%s").splitlines()),
            hashlib.sha256((self.root / ".git" / "index").read_bytes()).hexdigest(),
            tuple(git(self.root, "ls-files", "--stage").splitlines()),
            tuple(git(self.root, "status", "--porcelain", env={"GIT_OPTIONAL_LOCKS": "0"}).splitlines()),
        )

    def left(self) -> list[str]:
        """Locks and scratch files, which should not be left behind."""
        own, home = self.root / ".git", self.place.checkout.test_config
        found = [*own.glob("*.lock"), *own.glob("ttmatrix-*"), *own.joinpath("refs").rglob("*.lock"), *home.rglob(".*")]
        return sorted(str(path.relative_to(self.root)) for path in found if path.name != "ttmatrix.lock")
