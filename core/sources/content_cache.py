# SPDX-License-Identifier: Apache-2.0
"""Values that are worked out of a few files each, and that stay valid wherever these files say the same.

Two states of a checkout share nearly all of their files. What is cached of one is so known of the other.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from core.base.files import read_bytes

T = TypeVar("T")

_MOST_VERSIONS = 3
"""So many values are cached of one key: of the base of a change, and of what it is now and was a moment ago."""


class Version(NamedTuple, Generic[T]):
    """A value, and what it was worked out of."""

    paths: tuple[str, ...]
    digest: bytes
    """What was at these paths."""
    value: T


Versions = Mapping[str, tuple[Version[T], ...]]
"""The values of each key, the one that was used last first."""


class Contents:
    """What is at the paths below a directory, each looked at once."""

    def __init__(self, root: Path | str) -> None:
        self._root = os.fspath(root)
        self._found: dict[str, bytes] = {}

    def digest(self, paths: Iterable[str]) -> bytes:
        """Equal if all of these files say the same. A path that ends with `/` is that of a directory."""
        whole = hashlib.sha1(usedforsecurity=False)
        for path in paths:
            whole.update(self._found.get(path) or self._look(path))
        return whole.digest()

    def is_file(self, path: str) -> bool:
        """Whether a file is there that can be read."""
        return (self._found.get(path) or self._look(path)) not in (_NOTHING, _DIRECTORY)

    def _look(self, path: str) -> bytes:
        place = f"{self._root}/{path}"
        if path.endswith("/"):
            found = _DIRECTORY if os.path.isdir(place) else _NOTHING  # noqa: PTH112 - text is at hand
        else:
            try:
                found = hashlib.sha1(read_bytes(place), usedforsecurity=False).digest()
            except OSError:
                found = _NOTHING
        self._found[path] = found
        return found


_NOTHING, _DIRECTORY = b"-", b"/"


class ContentCache(Generic[T]):
    """Values of one kind, by key."""

    def __init__(self, contents: Contents, known: Versions[T] | None = None) -> None:
        self._contents = contents
        self._known: dict[str, tuple[Version[T], ...]] = dict(known or {})
        self.has_more = False
        """Whether there are other values by now than those that were known."""

    def get(self, key: str) -> T | None:
        """The value of `key` that fits the present files; None: there is none."""
        for version in self._known.get(key, ()):
            if self._contents.digest(version.paths) == version.digest:
                return version.value
        return None

    def put(self, key: str, value: T, paths: Iterable[str]) -> T:
        """Cache `value`, which was worked out of what is at `paths`."""
        ordered = tuple(sorted(paths))
        new = Version(ordered, self._contents.digest(ordered), value)
        self._known[key] = (new, *self._known.get(key, ())[: _MOST_VERSIONS - 1])
        self.has_more = True
        return value

    @property
    def versions(self) -> Versions[T]:
        """All values, for the next time."""
        return self._known
