# SPDX-License-Identifier: Apache-2.0
"""Read the state of a checkout: its commits, the code of a loader, and how far another commit is away."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from core.errors import TTMatrixError
from core.ids import TestId
from core.runs.tree_state import TreeState
from core.sources import Checkout, Code, Git, LoaderFiles

_PATIENCE_SECONDS = 10.0


class Heads(NamedTuple):
    """Where a checkout is now. Empty texts: git cannot tell."""

    repository: str
    commit: str
    models: str


class Distance(NamedTuple):
    """Commits that only one of two commits has behind it."""

    ahead: int
    """That only the first has."""
    behind: int
    """That only the second has."""


class TreeReader:
    """Reads the state of one checkout, as often as it is asked; what has not changed is not read again."""

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self._files = LoaderFiles(checkout.models)
        self._repositories: dict[str, str] = {}
        self._distances: dict[tuple[Path, str, str], Distance | None] = {}

    def heads(self) -> Heads:
        """The commits that are checked out."""
        commit = self._head(self.checkout.root)
        if commit and commit not in self._repositories:
            self._repositories[commit] = self._first_commit(commit)
        return Heads(self._repositories.get(commit, ""), commit, self._head(self.checkout.models))

    def head_files(self) -> tuple[Path, ...]:
        """Files that change whenever `heads` does."""
        found: list[Path] = []
        for directory in (self.checkout.root, self.checkout.models):
            for name in ("HEAD", "logs/HEAD"):
                line = self._git(directory, "rev-parse", "--path-format=absolute", "--git-path", name)
                found += [Path(line)] if line else []
        return tuple(found)

    def state(self, test_id: str) -> TreeState:
        """The state that a run of a test which starts now belongs to."""
        heads, code = self.heads(), self.code(test_id)
        return TreeState(*heads, code.loader, code.imports, self._committed(heads, code))

    def code(self, test_id: str) -> Code:
        """What the loader of a test consists of now."""
        return self.codes([test_id])[test_id]

    def codes(self, test_ids: Iterable[str]) -> dict[str, Code]:
        """The same of many tests, by id; of an id without a loader there is no code."""
        parsed = {id: TestId.parse(id) for id in test_ids}
        found = self._files.codes({test.directory for test in parsed.values() if test})
        return {id: found[test.directory] if test else Code("", "", ()) for id, test in parsed.items()}

    def distance(self, commit: str, head: str, *, models: bool = False) -> Distance | None:
        """How far apart two commits of the checkout, or of its models, are; None: one of them is not here."""
        key = self.checkout.models if models else self.checkout.root, commit, head
        if key not in self._distances:
            counts = self._git(key[0], "rev-list", "--left-right", "--count", f"{commit}...{head}", "--").split()
            self._distances[key] = Distance(*map(int, counts)) if len(counts) == 2 else None
        return self._distances[key]

    def _committed(self, heads: Heads, code: Code) -> bool:
        checkout = self.checkout
        place, commit = (checkout.models, heads.models) if heads.models else (checkout.root, heads.commit)
        if not commit or not code.blobs:
            return False
        below = "" if heads.models else f"{checkout.relative(checkout.models)}/"
        paths = {f"{below}{path}": blob for path, blob in code.blobs}
        try:
            return _git(place).holds(commit, paths)
        except TTMatrixError:
            return False

    def _first_commit(self, commit: str) -> str:
        """The oldest ancestor; empty for a shallow clone, which does not go back so far."""
        if self._git(self.checkout.root, "rev-parse", "--is-shallow-repository") != "false":
            return ""
        return self._git(self.checkout.root, "rev-list", "--first-parent", "--max-parents=0", commit)

    def _head(self, directory: Path) -> str:
        # Within another repository's work tree git would answer for that one.
        top, _, head = self._git(directory, "rev-parse", "--show-toplevel", "HEAD").partition("\n")
        return head if top and Path(top) == directory.resolve() else ""

    def _git(self, directory: Path, *words: str) -> str:
        """What git prints; empty where it refuses, does not answer or is not there."""
        try:
            return _git(directory).text(*words).strip("\n")
        except TTMatrixError:
            return ""


def _git(directory: Path) -> Git:
    return Git(directory, seconds=_PATIENCE_SECONDS)
