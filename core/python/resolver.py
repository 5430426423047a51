# SPDX-License-Identifier: Apache-2.0
"""Find the file of a tree that an import refers to, if any. Nothing else decides which file a name comes from."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from core.base.files import read_bytes


class Imported(NamedTuple):
    """`from <dots><module> import <name>`, or `import <module>` if `name` is empty; `level` counts the dots."""

    level: int
    module: str
    name: str = ""
    guarded: bool = False
    """Whether it is under `if` or `try`, so that its failure need not make the module fail."""
    line: int = 0

    @property
    def text(self) -> str:
        """The module as written."""
        return "." * self.level + self.module


class Resolver:
    """The modules of the tree at `root`. Paths are relative to it, with `/`; the empty path is the tree itself."""

    def __init__(self, root: Path | str, names: Sequence[str] = (), path: Sequence[str] = ()) -> None:
        """`names` are the dotted names of the tree itself; `path` has the directories on the import path below it."""
        self.root = os.fspath(root)
        self._names = [name.split(".") for name in names]
        self._path = tuple(path)
        self.seen: Callable[[str], object] = lambda path: None
        """Called with each path whose file or directory is asked for; that of a directory ends with `/`."""
        self._files: dict[str, bool] = {}
        self._directories: dict[str, bool] = {}

    def module(self, importer: str, imported: Imported, base: str | None = None) -> str | None:
        """The module that the file `importer` imports from, as a path without its ending; None: it is not in the tree.

        `base` is one more directory on the import path, the first one, if there is an import path.
        """
        parts = [part for part in imported.module.split(".") if part]
        if imported.level:
            above = importer.split("/")
            return "/".join(above[: -imported.level] + parts) if imported.level <= len(above) else None
        for name in self._names:
            if parts[: len(name)] == name:
                return "/".join(parts[len(name) :])
        own = (base,) if base is not None and self._path else ()
        for root in dict.fromkeys((*own, *self._path)) if parts else ():
            # An installed package has priority over a directory without `__init__.py`: `tests/torch` is not torch.
            if self.file(f"{root}/{parts[0]}".lstrip("/")):
                return "/".join(filter(None, (root, *parts)))
        return None

    def file(self, module: str) -> str | None:
        """The file of a module of the tree; None if there is none."""
        return next((file for file in module_files(module) if self.is_file(file)), None)

    def place(self, module: str) -> str | None:
        """The file of a module, or its directory if that has no `__init__.py`; None: there is neither."""
        return self.file(module) or (module if self.is_directory(module) else None)

    def base_of(self, path: str) -> str:
        """The first directory above `path` without `__init__.py`: pytest puts it on the import path."""
        where = path.rpartition("/")[0]
        while where and self.is_file(f"{where}/__init__.py"):
            where = where.rpartition("/")[0]
        return where

    def is_file(self, path: str) -> bool:
        """Whether there is a file at `path`."""
        self.seen(path)
        if path not in self._files:
            self._files[path] = os.path.isfile(f"{self.root}/{path}")  # noqa: PTH113 - text is at hand
        return self._files[path]

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory at `path`."""
        self.seen(f"{path}/")
        if path not in self._directories:
            self._directories[path] = os.path.isdir(f"{self.root}/{path}")  # noqa: PTH112 - text is at hand
        return self._directories[path]

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises OSError."""
        return read_bytes(f"{self.root}/{path}")


def module_files(module: str) -> tuple[str, ...]:
    """The files that a module can be, in the order in which Python looks: a package, then a file beside it."""
    return (f"{module}/__init__.py", f"{module}.py") if module else ("__init__.py",)


def package_of(path: str) -> str:
    """The package whose file is `path`: a directory. A directory is itself a package without a file."""
    return path.removesuffix("__init__.py").rstrip("/")
