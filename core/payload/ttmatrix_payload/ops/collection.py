# SPDX-License-Identifier: Apache-2.0
"""All manifests below some directories, with an id for each case. Only this module decides which files count."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .cases import Case, Manifest, Problem
from .digest import group
from .load import read_file
from .quick import QuickReader

BACKENDS = (
    "spyre",
    "tt",
    "xla",
    "cuda",
    "rocm",
    "cpu",
    "mps",
    "eager",
    "aot_eager",
    "inductor",
    "n150",
    "n300",
    "p150",
    "llmbox",
    "galaxy",
)
"""Suffixes after `-` or `_` that mark a file as a temporary variant of the one without."""
SUFFIXES = (".yaml", ".yml")
_TEMPLATE = "template"
_MOST_FILES = 10_000


class File(NamedTuple):
    """A manifest that was found, or the problem with it."""

    path: Path
    name: str
    """Display name: its path from the current directory."""
    root: Path
    """Files that it names must be inside this directory."""
    refusal: str = ""


class Row(NamedTuple):
    """A case with its unique id."""

    id: str
    case: Case
    manifest: Manifest


class Duplicate(NamedTuple):
    """The role of a row after deduplication."""

    key: str
    dup_of: str
    """The id of the row that represents it; empty: it represents itself."""


def find_files(place: Path, name: str, root: Path, *, include_template: bool = False) -> Iterator[File]:
    """Manifests at `place`, a directory or a file, sorted by name. `root` is where files may be.

    Symbolic links to directories are not followed. A path with the name of a manifest that is not one, or that is
    outside `root`, is returned with a refusal.
    """
    root = root.resolve()
    found = [place] if not place.is_dir() else _below(place)
    for path in found:
        if path.stem.endswith(_TEMPLATE) and not include_template:
            continue
        relative = path.relative_to(place).as_posix() if path != place else ""
        shown = str(PurePosixPath(name) / relative) if relative else name
        yield File(path, shown, root, _refusal(path, root))


def _below(directory: Path) -> list[Path]:
    found: list[Path] = []
    for above, directories, files in os.walk(directory):
        directories[:] = sorted(one for one in directories if not one.startswith("."))
        # A directory named like a manifest is reported.
        names = [one for one in (*files, *directories) if one.endswith(SUFFIXES)]
        found.extend(Path(above, name) for name in sorted(names))
        if len(found) > _MOST_FILES:
            break
    # By the stem: `net.yaml` comes before its variants, `net-tt.yaml` and `net_tt.yaml`, and so takes the ids.
    return sorted(found[:_MOST_FILES], key=lambda path: (path.with_suffix("").parts, path.suffix))


def _refusal(path: Path, root: Path) -> str:
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or 'its symbolic links go round in circles'}"
    if not resolved.is_relative_to(root):
        return "leads out of the directory that manifests may be read from"
    return "" if resolved.is_file() else "is not a regular file"


def read_files(files: Iterable[File]) -> tuple[Manifest, ...]:
    """Read each file as a manifest, and link variants to the file that they are a variant of."""
    listed, quick = tuple(files), QuickReader()
    manifests = [
        Manifest(file.name, file.path.stem, problems=(Problem(file.refusal),))
        if file.refusal
        else read_file(file.path, file.name, quick)
        for file in listed
    ]
    models = {file.path: manifest for file, manifest in zip(listed, manifests, strict=True)}
    return tuple(_as_variant(file.path, manifest, models) for file, manifest in zip(listed, manifests, strict=True))


def _as_variant(path: Path, manifest: Manifest, others: Mapping[Path, Manifest]) -> Manifest:
    for other, tag in _permanent(path):
        if other in others and (tag in BACKENDS or _same_model(manifest, others[other], path)):
            return manifest._replace(backend=tag, canonical=others[other].path)
    return manifest


def _permanent(path: Path) -> Iterator[tuple[Path, str]]:
    """The files that the one at `path` may be a variant of by its name, with the backend."""
    for separator in "-_":
        stem, _, backend = path.stem.rpartition(separator)
        candidates = [(stem, backend)]
        if separator == "_" and path.stem.endswith("aot_eager"):
            candidates.append((path.stem[: -len("_aot_eager")], "aot_eager"))
        yield from ((path.with_name(one + end), tag) for one, tag in candidates if one for end in SUFFIXES)


def permanent_beside(path: Path) -> list[Path]:
    """The files beside `path` that it may be a variant of: they have their ids first, whatever is collected."""
    return [other for other, _ in _permanent(path) if other.is_file()]


def _same_model(manifest: Manifest, other: Manifest, path: Path) -> bool:
    """Whether the file itself says that it is for the same model as the other."""
    return manifest.model == other.model and manifest.model != path.stem


def rows(manifests: Iterable[Manifest], taken: set[str] | None = None) -> tuple[Row, ...]:
    """A row per case. Its id is `model::name`; if another file has that id already, the file's name is appended.

    `taken` are the ids of other manifests; new ids are added to it.
    """
    taken = set() if taken is None else taken
    found: list[Row] = []
    for manifest in manifests:
        for case in manifest.cases:
            short = f"{manifest.model}::{case.name}"
            names = (short, f"{short}::{PurePosixPath(manifest.path).name}", f"{short}::{manifest.path}")
            id = next((name for name in names if name not in taken), "")
            # The same file under two names in a directory has no cases of its own.
            if id:
                taken.add(id)
                found.append(Row(id, case, manifest))
    return tuple(found)


def duplicates(selected: Sequence[Row], *, dedupe: bool = True) -> dict[str, Duplicate]:
    """By id, for a selection: computed after choosing what to run, with the same result in every process."""
    directories = [str(PurePosixPath(row.manifest.path).parent) for row in selected]
    found: dict[str, Duplicate] = {}
    for one in group([row.case for row in selected], directories=directories, dedupe=dedupe):
        first, *others = (selected[index].id for index in one.members)
        found[first] = Duplicate(one.key, "")
        found.update((other, Duplicate(one.key, first)) for other in others)
    return found
