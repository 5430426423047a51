# SPDX-License-Identifier: Apache-2.0
"""The files of an export: whether they are complete, and copying them to a person's directory."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

GRAPHS = "export"
PYTHON, CPP = "codegen_py", "codegen_cpp"
TARGETS = (GRAPHS, PYTHON, CPP)
"""Export targets: graphs and programs, or code in one of two languages, by the names of upstream's backends."""

TENSORS = "tensors"
_CODE = {GRAPHS: ("*.py", "*.jaxpr", "*.mlir"), PYTHON: ("main.py",), CPP: ("*.cpp",)}
"""Files that an export must contain. The plugin writes other files before `main.py`: `utils.py`, `run`."""
_TEXTS = (".py", ".cpp", ".jaxpr", ".mlir")
"""Files that must not be empty; others that the plugin copies may be."""
_MAY_BE_EMPTY = "__init__.py"
_CACHE = "__pycache__"


class NotFree(Exception):
    """The directory that a person named is not empty."""


@dataclass(frozen=True)
class Exported:
    """The files below a directory."""

    directory: Path
    names: Sequence[str]
    """Relative to the directory, sorted; without tensors."""
    tensors: int
    """Number of files with tensors."""
    size: int
    """Bytes of all files."""


def exported(directory: Path) -> Exported:
    """The files below `directory`, which need not exist."""
    found = sorted(_files(directory))
    names = [str(file.relative_to(directory)) for file in found]
    tensors = [name for name in names if TENSORS in Path(name).parts[:-1]]
    programs = [name for name in names if TENSORS not in Path(name).parts[:-1]]
    return Exported(directory, programs, len(tensors), sum(file.stat().st_size for file in found))


def faults(found: Exported, target: str, *, tensors: bool) -> list[str]:
    """What is wrong with an export: nothing was written, a file is empty, Python that does not compile.

    `tensors`: whether they were asked for. The plugin gives each graph a directory `graph_N`, and each must have code.
    """
    wanted = " or ".join(pattern.removeprefix("*") for pattern in _CODE[target])
    said = [f"{place} has no {wanted} file" for place in _without_code(found, target)]
    said += [f"{name} is empty" for name in found.names if _is_empty(found.directory / name)]
    said += [wrong for name in found.names if name.endswith(".py") and (wrong := _syntax(found.directory, name))]
    if tensors and not found.tensors:
        said.append("no tensors were written")
    return said


def check_free(place: Path) -> None:
    """Raise NotFree if something is at `place`: code exported earlier may have been edited since."""
    if place.is_dir() and not any(place.iterdir()):
        return
    if place.exists() or place.is_symlink():
        raise NotFree(f"{place} is not empty: name another export path, or remove it. Nothing was run.")


def deliver(directory: Path, place: Path) -> None:
    """Copy an export to `place`, all of it or nothing. Raises NotFree, and OSError."""
    check_free(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        shutil.copytree(directory, beside, ignore=shutil.ignore_patterns(_CACHE))
        beside.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _files(directory: Path) -> Iterator[Path]:
    return (file for file in directory.rglob("*") if file.is_file() and _CACHE not in file.parts)


def _without_code(found: Exported, target: str) -> list[str]:
    graphs = [] if target == GRAPHS else sorted(found.directory.glob("graph_*"))
    places = [graph.name for graph in graphs if graph.is_dir()]
    if not places:
        return [] if _has_code(found.names, target) else ["The export"]
    return [place for place in places if not _has_code([n for n in found.names if n.startswith(f"{place}/")], target)]


def _has_code(names: Sequence[str], target: str) -> bool:
    return any(fnmatch(Path(name).name, pattern) for name in names for pattern in _CODE[target])


def _is_empty(file: Path) -> bool:
    return file.suffix in _TEXTS and file.name != _MAY_BE_EMPTY and file.stat().st_size == 0


def _syntax(directory: Path, name: str) -> str:
    """Why a file is not valid Python; empty if it is."""
    try:
        with warnings.catch_warnings():
            # Ignore warnings about odd escapes in literals of generated code.
            warnings.simplefilter("ignore")
            compile((directory / name).read_bytes(), name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        return f"{name}{line}: {error.msg if isinstance(error, SyntaxError) else error}"
    return ""
