# SPDX-License-Identifier: Apache-2.0
"""The files that a loader consists of: its own, and those of the models tree that it imports. Nothing is imported."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.base.files import read_bytes
from core.python import Resolver, imports_in, module_files
from core.sources.models_tree import loader_file, models_resolver
from core.sources.stamps import NEVER, Stamp, stamps_of

_REQUIREMENTS = re.compile(r"requirements.*\.txt")
"""Files beside a loader whose packages are installed before it is imported (docs/rules.md 4.1)."""


class Code(NamedTuple):
    """The content of a loader at one moment."""

    loader: str
    """Digest of its `loader.py`; empty: there is none."""
    imports: str
    """Digest of all other files that it uses, by path and content."""
    blobs: tuple[tuple[str, str], ...]
    """The path of each of these files, relative to the models tree, with its blob id in git."""


class _File(NamedTuple):
    stamp: Stamp | None
    blob: str
    imports: tuple[str, ...]
    """Modules of the tree that it may import, as paths without suffix."""


KnownFiles = Mapping[str, _File]
"""The files that were read, by path relative to the models tree."""


class LoaderFiles:
    """Reads the files of loaders below `models`; files with the same stamp are not read again."""

    def __init__(self, models: Path, known: KnownFiles | None = None, blobs: Mapping[str, str] | None = None) -> None:
        """`known` is what another one has read. `blobs` tells the blob of each file, and is used instead of stamps."""
        self._models = os.fspath(models)
        self._blobs = blobs
        self.files: dict[str, _File] = dict(known or {})

    def code(self, directory: str) -> Code:
        """The present code of the loader in `directory`. Unreadable files count as missing."""
        return self.codes([directory])[directory]

    def codes(self, directories: Iterable[str]) -> dict[str, Code]:
        """The code of several loaders, by directory; files that they share are read once."""
        moment = _Moment(self._models, self.files, self._blobs)
        return {directory: moment.code(directory) for directory in directories}


class _Moment:
    """One look at the tree: no file is examined twice."""

    def __init__(self, models: str, files: dict[str, _File], blobs: Mapping[str, str] | None) -> None:
        self._models = models
        self._files = files
        self._blobs = blobs
        self._resolver = models_resolver(models)
        self._seen: dict[str, _File] = {}
        self._there: dict[str, tuple[str, ...]] = {}

    def code(self, directory: str) -> Code:
        own = loader_file(directory)
        blobs = {path: blob for path in sorted(self._closure(directory, own)) if (blob := self._read(path).blob)}
        others = "".join(f"{path}\0{blob}\n" for path, blob in blobs.items() if path != own)
        return Code(blobs.get(own, ""), hashlib.sha1(others.encode()).hexdigest(), tuple(blobs.items()))

    def _closure(self, directory: str, own: str) -> set[str]:
        found = {f"{directory}/{name}" for name in _names(f"{self._models}/{directory}") if _REQUIREMENTS.match(name)}
        waiting = [own]
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += (file for module in self._read(path).imports for file in self._module_files(module))
        return found

    def _module_files(self, module: str) -> tuple[str, ...]:
        """The file of a module, and those of every package above it, which are executed first."""
        if module not in self._there:
            above, _, _ = module.rpartition("/")
            own = tuple(file for file in module_files(module) if self._resolver.is_file(file))
            self._there[module] = (*(self._module_files(above) if module else ()), *own)
        return self._there[module]

    def _read(self, path: str) -> _File:
        if path not in self._seen:
            file = f"{self._models}/{path}"
            stamp = stamps_of([file])[file] if self._blobs is None else None
            known = self._files.get(path)
            if known is None or not self._same(path, known, stamp):
                known = self._files[path] = _read(file, path, stamp, self._resolver)
            self._seen[path] = known
        return self._seen[path]

    def _same(self, path: str, known: _File, stamp: Stamp | None) -> bool:
        if self._blobs is not None:
            return known.blob == self._blobs.get(path, "")
        return known.stamp == stamp != NEVER


def _names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - text is at hand, as in core.sources.stamps
    except OSError:
        return []


def git_blob(content: bytes) -> str:
    """Git's blob id for a file with this content, if no filter changes it (gitformat-pack, SHA-1)."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _read(file: str, path: str, stamp: Stamp | None, resolver: Resolver) -> _File:
    try:
        content = read_bytes(file)
    except OSError:
        return _File(stamp, "", ())
    return _File(stamp, git_blob(content), tuple(_imports(content, path, resolver)) if path.endswith(".py") else ())


def _imports(source: bytes, path: str, resolver: Resolver) -> Iterator[str]:
    """Modules of the tree that a file imports, including imports inside functions."""
    with suppress(SyntaxError, ValueError):
        for name in imports_in(source):
            if (module := resolver.module(path, name)) is not None:
                yield module
                if name.name:
                    yield f"{module}/{name.name}".lstrip("/")
