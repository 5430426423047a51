# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that have come: both would be reported (docs/rules.md 2.5)."""

from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode

from core.doctor.check import Check, letters
from core.errors import TTMatrixError
from core.files import read_text
from core.matrix import Matrix, status_on
from core.model import Finding, Status
from core.sources import PLACEHOLDER_KEY, ExpectationFile, checkpoints, compose_yaml, loader_file


def _clashes(matrix: Matrix) -> Iterator[Finding]:
    keys = [key for file in matrix.files for key in file.placeholders]
    if not keys:
        return
    sources = _sources(matrix)
    for file in matrix.files:
        for key, line, column in _places(file):
            id = next(_declared(matrix, key, sources), None)
            if id is not None:
                path = matrix.checkout.relative(matrix.checkout.test_config / file.name)
                entry = matrix.entries[id]
                message = f"The model exists now: {entry.file}:{entry.line} has {id}; both are reported"
                fix = {"op": "remove", "id": key, "file": file.name}
                yield Finding(PLACEHOLDER_CLASH.kind, message, path, line, column, key, (fix,))


def _places(file: ExpectationFile) -> Iterator[tuple[str, int, int]]:
    """Every placeholder key with its line and column."""
    document = compose_yaml(file.text) if file.placeholders else None
    for root, keys in document.value if isinstance(document, MappingNode) else ():
        if root.value == PLACEHOLDER_KEY and isinstance(keys, MappingNode):
            for key, _ in keys.value:
                yield str(key.value), key.start_mark.line + 1, key.start_mark.column + 1


def _sources(matrix: Matrix) -> dict[str, str]:
    """The text of every loader by directory."""
    found: dict[str, str] = {}
    for directory in matrix.loaders:
        try:
            found[directory] = read_text(matrix.checkout.models / loader_file(directory))
        except TTMatrixError:
            continue
    return found


def _declared(matrix: Matrix, key: str, sources: dict[str, str]) -> Iterator[str]:
    """Ids with an entry, not excluded, of the very model that `key` names."""
    wanted = {letters(key), letters(key.rpartition("/")[2])}
    bases = {directory for directory in sources if letters(directory.partition("/")[0]) in wanted}
    for directory, source in sources.items():
        # Most loaders do not know the name, and parsing is what takes time.
        if key in source:
            bases |= {f"{directory}-{variant}" for variant in checkpoint_variants(source, key)}
    for id, entry in matrix.entries.items():
        named = any(id.startswith(f"{base}-") for base in bases)
        if named and status_on(entry, None) is not Status.EXCLUDE_MODEL:
            yield id


def checkpoint_variants(source: str, checkpoint: str) -> set[str]:
    """Variants that a loader gives the checkpoint of this name."""
    return {variant for variant, name in checkpoints(source).items() if name == checkpoint}


PLACEHOLDER_CLASH = Check("placeholder-clash", "a placeholder of a model that has an entry", _clashes)
