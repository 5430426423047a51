# SPDX-License-Identifier: Apache-2.0
"""Entries that are in two files, or in a file that is not for them (docs/rules.md 2.1)."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from core.doctor.check import Check, Written, written
from core.domain.ids import TestId
from core.domain.model import Finding, Framework
from core.matrix import Matrix

_TORCH, _JAX, _LLM = _DIRECTORIES = ("torch", "jax", "torch_llm")
_NAME = re.compile(r"(?P<directory>[^/]+)/test_config_(?P<mode>[^_]+)_(?P<parallelism>.+)\.yaml")


class FileKind(NamedTuple):
    """The kind of tests a file is for; an empty part is one that its name does not give."""

    directory: str
    mode: str
    parallelism: str

    @property
    def file(self) -> str:
        return f"{self.directory}/test_config_{self.mode}_{self.parallelism}.yaml"


def _duplicates(matrix: Matrix) -> Iterator[Finding]:
    places: dict[str, list[Written]] = defaultdict(list)
    for one in written(matrix):
        places[one.entry.id].append(one)
    for found in places.values():
        winner = found[-1]
        for one in found[:-1]:
            if one.path != winner.path:
                message = f"Has no effect: {winner.path}:{winner.entry.line} has the same id, is merged later and wins"
                yield one.finding(DUPLICATE_KEY.kind, message, (), (one.operation("remove"),))


def _misfiled(matrix: Matrix) -> Iterator[Finding]:
    for one in written(matrix):
        actual, belongs = _kind_of_file(matrix, one.entry.file), _kind_for(matrix, one.entry.id)
        if actual is None or belongs is None:
            continue
        wrong = [f"{own}, not {file}" for file, own in zip(actual, belongs, strict=True) if file and file != own]
        if wrong:
            move = () if _is_taken(matrix, belongs.file, one.entry.id) else (one.operation("move", to=belongs.file),)
            yield one.finding(MISFILED.kind, f"Belongs in {belongs.file}: the test is {' and '.join(wrong)}", (), move)


def _kind_of_file(matrix: Matrix, file: str) -> FileKind | None:
    """The kind of tests that the name of `file` gives; a name not in upstream's form gives only the framework."""
    directory = file.partition("/")[0]
    if directory not in _DIRECTORIES:
        return None
    match = _NAME.fullmatch(file)
    if (
        match is None
        or match["mode"] not in matrix.schema.modes
        or match["parallelism"] not in matrix.schema.parallelisms
    ):
        return FileKind(directory, "", "")
    return FileKind(directory, match["mode"], match["parallelism"])


def _kind_for(matrix: Matrix, id: str) -> FileKind | None:
    """The kind of file that an id belongs in; explicit sharding strategies are filed as tensor_parallel."""
    parsed = TestId.parse(id)
    if parsed is None:
        return None
    directory = _LLM if parsed.llm else _TORCH if parsed.framework is Framework.PYTORCH else _JAX
    parallelism = next((name for name in matrix.schema.parallelisms if parsed.parallelism.endswith(name)), "")
    return FileKind(directory, parsed.mode, parallelism) if parallelism else None


def _is_taken(matrix: Matrix, name: str, id: str) -> bool:
    """Whether an entry cannot move to the file `name`: the file is missing or already has an entry of this id."""
    target = next((file for file in matrix.files if file.name == name), None)
    return target is None or any(entry.id == id for entry in target.entries)


DUPLICATE_KEY = Check("duplicate-key", "an id or a field that is written twice: only the last one counts", _duplicates)
MISFILED = Check("misfiled", "an entry in a file for another framework, mode or parallelism", _misfiled)
