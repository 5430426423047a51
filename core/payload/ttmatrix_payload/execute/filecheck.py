# SPDX-License-Identifier: Apache-2.0
"""Find LLVM's FileCheck, by name and by version; shared, so that runner and ttmatrix look in the same places."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

NAME = "FileCheck"
LLVM = Path("/usr/lib")
"""Directory in which Debian installs each version of LLVM."""
MISSING = f"LLVM's {NAME} is not installed: apt install llvm"

_VERSIONED = re.compile(rf"{NAME}-(\d+)")


def find_filecheck(path: str, llvm: Path = LLVM) -> str | None:
    """`FileCheck` on `path`, else the newest `FileCheck-N` there, else that of the newest `llvm-N` below `llvm`."""
    return shutil.which(NAME, path=path) or _newest(_on_path(path)) or _newest(_installed(llvm))


def _on_path(path: str) -> Iterator[tuple[int, Path]]:
    for directory in map(Path, filter(None, path.split(os.pathsep))):
        for file in directory.glob(f"{NAME}-*"):
            if (match := _VERSIONED.fullmatch(file.name)) and os.access(file, os.X_OK):
                yield int(match[1]), file


def _installed(llvm: Path) -> Iterator[tuple[int, Path]]:
    for file in llvm.glob(f"llvm-*/bin/{NAME}"):
        number = file.parts[-3].removeprefix("llvm-")
        if number.isdecimal() and os.access(file, os.X_OK):
            yield int(number), file


def _newest(found: Iterable[tuple[int, Path]]) -> str | None:
    best = max(found, key=lambda one: one[0], default=None)
    return None if best is None else str(best[1])
