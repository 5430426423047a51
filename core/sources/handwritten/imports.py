# SPDX-License-Identifier: Apache-2.0
"""Find the file of the checkout that an import refers to, if any."""

import os
from pathlib import Path
from typing import NamedTuple

from core.files import read_bytes

ROOTS = ("", "tests", "integrations/vllm_plugin", "python_package")
"""Directories on the import path besides that of the test (upstream's `venv/activate`), relative to the checkout."""


class Imported(NamedTuple):
    """`from <dots><module> import <name>`, or `import <module>` if `name` is empty; looked up on use."""

    level: int
    module: str
    name: str = ""


class Files:
    """Files of the checkout at `root`, by module."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._there: dict[str, bool] = {}

    def module_file(self, importer: str, base: str, imported: Imported) -> str | None:
        """The file of `imported.module`, or its directory if that has no `__init__.py`; None: not in the checkout.

        `importer` is the file that imports, `base` the directory that pytest puts on the import path for it.
        """
        if imported.level:
            above = importer.split("/")[: -imported.level]
            return self._below("/".join(above), imported.module)
        top = imported.module.partition(".")[0]
        for root in dict.fromkeys((base, *ROOTS)):
            where = f"{root}/{top}".lstrip("/")
            # An installed package has priority over a directory without `__init__.py`: `tests/torch` is not torch.
            if self.is_file(f"{where}.py") or self.is_file(f"{where}/__init__.py"):
                return self._below(root, imported.module)
        return None

    def submodule(self, package: str, name: str) -> str | None:
        """The file of the module `name` in the package whose file or directory is `package`."""
        return self._below(package.removesuffix("/__init__.py"), name)

    def base_of(self, path: str) -> str:
        """The first directory above `path` without `__init__.py`: pytest puts it on the import path."""
        where = os.path.dirname(path)  # noqa: PTH120
        while where and self.is_file(f"{where}/__init__.py"):
            where = os.path.dirname(where)  # noqa: PTH120
        return where

    def is_file(self, path: str) -> bool:
        """Whether there is a file at `path`."""
        if path not in self._there:
            self._there[path] = os.path.isfile(f"{self._root}/{path}")  # noqa: PTH113
        return self._there[path]

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises OSError."""
        return read_bytes(f"{self._root}/{path}")

    def _below(self, root: str, module: str) -> str | None:
        where = "/".join(filter(None, (root, *module.split("."))))
        for file in (f"{where}.py", f"{where}/__init__.py"):
            if self.is_file(file):
                return file
        return where if os.path.isdir(f"{self._root}/{where}") else None  # noqa: PTH112
