# SPDX-License-Identifier: Apache-2.0
"""The last index of a checkout, cached on disk: if nothing has changed, nothing is parsed or joined."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import core.sources
from core.matrix.cache_file import load, store
from core.matrix.matrix import Matrix, Universe
from core.sources import Checkout, ExpectationFile, Stamp, directories_below, stamps_of

if TYPE_CHECKING:
    from core.matrix.indexing import Reading
    from core.python import ModuleFacts
    from core.sources import Unreadable


class _Parts(NamedTuple):
    """The content of each file, with its stamp: only loaded if something has changed."""

    modules: Mapping[str, "tuple[Stamp | None, ModuleFacts | Unreadable]"]
    files: Mapping[str, tuple[Stamp | None, ExpectationFile]]


@dataclass(frozen=True, slots=True)
class Cache:
    """The cached index of one checkout, in `directory`."""

    checkout: Checkout
    directory: Path
    shared: Path | None = None
    """Where values are cached that other states of the checkout may have too; None: in the directory of its own."""

    def index(self, universe: Universe = Universe.VALIDATOR) -> "tuple[Matrix, Reading | None]":
        """As `core.matrix.indexing.index`; the second part is None if the cache is still valid, else it is for `keep`.

        A cache that is missing, damaged, of another version or owned by somebody else is ignored.
        """
        matrix = load(self._file("table", universe))
        if isinstance(matrix, Matrix):
            return matrix, None
        # An import of 20 ms that a start with a valid cache does not need: `ttmatrix list` then takes 75 ms.
        from core.matrix.indexing import read_and_join

        parts = load(self._file("parts", universe))
        known = parts if isinstance(parts, _Parts) else _Parts({}, {})
        reading = read_and_join(self.checkout, universe, modules=known.modules, files=known.files)
        return reading.matrix, reading

    def save(self, reading: "Reading", universe: Universe = Universe.VALIDATOR) -> None:
        """Save what was read for the next start; a failure to write it is ignored."""
        models, config = os.fspath(self.checkout.models), os.fspath(self.checkout.test_config)
        modules = {f"{models}/{path}": path for path in reading.modules}
        files = {f"{config}/{file.name}": file for file in reading.matrix.files}
        places = [*directories_below(self.checkout.models), *directories_below(self.checkout.test_config)]
        sources = [str(self.checkout.root / path) for path in core.sources.SCHEMA_SOURCES]
        # A file that has changed since the reading began may have been read before or after the change.
        stamps = stamps_of([*modules, *files, *places, *sources], reading.began_ns)
        parts = _Parts(
            {path: (stamps[place], reading.modules[path]) for place, path in modules.items()},
            {file.name: (stamps[place], file) for place, file in files.items()},
        )
        store(self._file("table", universe), reading.matrix, stamps)
        store(self._file("parts", universe), parts)

    def _file(self, kind: str, universe: Universe) -> Path:
        return self.file(kind if universe is Universe.VALIDATOR else f"{kind}-{universe}")

    def file(self, kind: str) -> Path:
        """The file of one kind of cached value: the directory that caches the checkout, below `directory`."""
        root = self.checkout.root
        return self.directory / root.relative_to(root.anchor) / kind


T = TypeVar("T")
