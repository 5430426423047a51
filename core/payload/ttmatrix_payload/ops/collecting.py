# SPDX-License-Identifier: Apache-2.0
"""Collect the cases of manifests as items, called `model::case`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from .cases import Manifest, Problem
from .collection import SUFFIXES, File, Row, find_files, permanent_beside, read_files, rows
from .item import OpTest, ProblemTest
from .options import Options

_CASES = re.compile(r"^cases\s*:", re.MULTILINE)
_CONTEXT = 2
"""Lines shown before and after the one with a mistake."""


class Catalogue:
    """The manifests of a session, and the ids that are taken."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.broken: list[str] = []
        """Problems of files that cannot be read at all."""
        self.warnings: list[str] = []
        self.taken: set[str] = set()
        self._read: dict[Path, Manifest] = {}
        self._collected: set[Path] = set()

    def files(self) -> list[File]:
        """The files of the requested directories."""
        return [file for place in self.options.directories for file in self._below(place, place.parent)]

    def named(self, path: Path) -> list[File]:
        """The file at `path`, which pytest found or was given."""
        return list(find_files(path, str(path), path.parent, include_template=True))

    def wants(self, path: Path) -> bool:
        """Whether a file that pytest finds is a manifest: other YAML files have no `cases`."""
        if path.suffix not in SUFFIXES or not any(self._below(path, path.parent)):
            return False
        try:
            return _CASES.search(path.read_text(encoding="utf-8")) is not None
        except (OSError, UnicodeDecodeError):
            return False

    def read(self, files: Iterable[File]) -> Iterator[tuple[File, Manifest]]:
        """The manifests of `files`, each read once. Problems that concern a whole manifest are noted."""
        places = {file.path.resolve(): file for file in files}
        new = {path: file for path, file in places.items() if path not in self._read}
        for (path, file), manifest in zip(new.items(), read_files(new.values()), strict=True):
            self.warnings += (place(file.path, one) for one in manifest.problems if one.warning)
            self.broken += (context(file.path, one) for one in whole_problems(manifest))
            self._read[path] = manifest
        yield from ((file, self._read[path]) for path, file in places.items())

    def first_time(self, path: Path) -> bool:
        """Whether the cases of the file at `path` are requested for the first time: they are collected only once."""
        known = path.resolve() in self._collected
        self._collected.add(path.resolve())
        return not known

    def rows(self, path: Path, manifest: Manifest) -> tuple[Row, ...]:
        """The cases of the manifest at `path`. Those of the file that it is a variant of keep their ids."""
        others = [file for other in permanent_beside(path) for file in self.named(other)]
        kept = {f"{one.model}::{case.name}" for _, one in self.read(others) for case in one.cases} - self.taken
        self.taken |= kept
        found = rows([manifest], self.taken)
        self.taken -= kept
        return found

    def _below(self, path: Path, root: Path) -> Iterator[File]:
        root = path if path.is_dir() else root
        return find_files(path, str(path), root, include_template=self.options.include_template)


class ManifestFile(pytest.File):
    """One manifest; its node id is the name of its model."""

    def __init__(self, catalogue: Catalogue, manifest: Manifest, files: Path, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.catalogue = catalogue
        self.manifest = manifest
        self.files = files
        """Directories that may contain files named by the cases."""

    def collect(self) -> Iterator[pytest.Item]:
        model, options = self.manifest.model, self.catalogue.options
        if not self.catalogue.first_time(self.path):
            return
        for row in self.catalogue.rows(self.path, self.manifest):
            name = row.id.removeprefix(f"{model}::")
            yield OpTest.from_parent(self, name=name, case=row.case, model=model, root=self.files, options=options)
        wrong = sorted((one for one in self.manifest.problems if not one.warning), key=lambda one: one.case)
        for case, problems in groupby(wrong, key=lambda one: one.case):
            text = "\n".join(place(self.path, one) for one in problems)
            name = case or self.path.name
            while f"{model}::{name}" in self.catalogue.taken:
                name += f"::{self.path.name}"
            self.catalogue.taken.add(f"{model}::{name}")
            yield ProblemTest.from_parent(self, name=name, model=model, text=text)


def collectors(parent: pytest.Collector, catalogue: Catalogue, files: Iterable[File]) -> list[pytest.Collector]:
    """One collector per file. For a directory, pytest asks again with each of several named files in it."""
    return [
        ManifestFile.from_parent(
            parent,
            path=file.path,
            nodeid=manifest.model,
            name=file.path.name,
            catalogue=catalogue,
            manifest=manifest,
            files=catalogue.options.root or file.root,
        )
        for file, manifest in catalogue.read(files)
    ]


def whole_problems(manifest: Manifest) -> Sequence[Problem]:
    """The problems of a manifest as a whole; empty if some of its cases can be read."""
    wrong = [one for one in manifest.problems if not one.warning]
    return [] if manifest.cases or any(one.case for one in wrong) else wrong


def place(path: Path, problem: Problem) -> str:
    """A mistake with its place, in the format of compilers."""
    where = f":{problem.line}:{problem.column}" if problem.line else ""
    return f"{path}{where}: {problem.message}" + (f" ({problem.hint})" if problem.hint else "")


def context(path: Path, problem: Problem) -> str:
    """A mistake with its place and the lines around it."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    first, last = max(0, problem.line - 1 - _CONTEXT), problem.line + _CONTEXT
    shown = [place(path, problem)]
    for number, line in enumerate(lines[first:last] if problem.line else (), first + 1):
        text = "".join(letter if letter.isprintable() else "?" for letter in line[:200])
        shown.append(f"{'>' if number == problem.line else ' '} {number:5d} | {text}")
    return "\n".join(shown)
