# SPDX-License-Identifier: Apache-2.0
"""What the evaluation of each module depends on: files, and places where a file or directory could have been."""

from collections.abc import Iterator
from contextlib import contextmanager


class Inputs:
    """The paths that each module looked at while it was evaluated, by its own path. A directory ends with `/`."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}
        self._at: list[set[str]] = []
        """The inputs of the modules that are being evaluated, the innermost last."""

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """What is noted in the block is an input of the module at `path`, which is one of the module around it."""
        self.note(path)
        self._at.append(self._of.setdefault(path, set()))
        try:
            yield
        finally:
            self._at.pop()

    def note(self, path: str) -> None:
        """The module that is being evaluated depends on what is at `path`, or on that nothing is there."""
        if self._at:
            self._at[-1].add(path)

    def of(self, *paths: str) -> frozenset[str]:
        """All that modules depend on: they themselves, what they look at, and what those modules look at."""
        found: set[str] = set()
        waiting = set(paths)
        while waiting:
            found |= waiting
            waiting = {inner for path in waiting for inner in self._of.get(path, ())} - found
        return frozenset(found)
