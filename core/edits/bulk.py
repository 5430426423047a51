# SPDX-License-Identifier: Apache-2.0
"""One "set fields" over many tests: what a person fills in once becomes operations for each entry.

At the entry, a field is what the entry itself says. On archs, it is what counts there, wherever that is written.
"""

import posixpath
from collections.abc import Iterable, Mapping, Sequence

from core.edits.form_fields import read_field
from core.edits.operations import OVERRIDES, Operation, OpKind
from core.edits.synthesis import Wish, operations_to, synthesise
from core.errors import UsageError
from core.matrix.acting import values_on
from core.matrix.effective import supports, text_of
from core.matrix.matrix import Matrix
from core.model import Entry, Function

Scope = str | tuple[str, ...]
"""Where fields are set: on one arch or on several, or nowhere in particular, which means at the entry itself."""
ENTRY_SCOPE = ""

_DIRECTORIES = {Function.MODELS: "", Function.TORCH: "torch", Function.JAX: "jax", Function.LLM: "torch_llm"}


def present_text(matrix: Matrix, ids: Iterable[str], scope: Scope, field: str) -> str | None:
    """The text of a field where all `ids` have the same, empty where none has it; None where they differ."""
    found = {text_of(values.get(field)) for id in ids for values in _values(matrix, id, _archs(scope))}
    return found.pop() if len(found) == 1 else None


def set_fields(matrix: Matrix, ids: Sequence[str], scope: Scope, filled: Mapping[str, str]) -> tuple[Operation, ...]:
    """Operations that give each of `ids` the `filled` texts; an empty text takes a field away.

    With archs as `scope`, no other arch that the test is marked for changes, and the entry gets as few lines as that
    takes: the value may land at the entry and the others in overrides. Archs that it is not marked for get overrides,
    which nothing reads. An id without an entry gets one, in the file
    its siblings would stand in. Raises UsageError on a text that the field cannot hold, naming both.
    """
    values = {name: read_field(matrix, name, text) for name, text in filled.items()}
    return tuple(op for id in ids for op in _for_one(matrix, id, _archs(scope), values))


def operations_for(matrix: Matrix, id: str, wish: Wish) -> tuple[Operation, ...]:
    """Operations after which each arch of `wish` has what it says, with the fewest lines; other archs keep what counts.

    Archs that the test is not marked for are passed over. An id without an entry gets one.
    """
    entry = matrix.entries.get(id)
    before = entry.fields if entry else {}
    marked = [arch for arch in matrix.schema.archs if supports(entry, arch)]
    after = synthesise(before, {arch: values for arch, values in wish.items() if arch in marked}, marked)
    if entry is None:
        return (Operation(OpKind.ADD, id, home_file(matrix, id), value=after),) if after else ()
    return tuple(operations_to(id, entry.file, before, after))


def _for_one(matrix: Matrix, id: str, archs: Sequence[str], values: Mapping[str, object]) -> Iterable[Operation]:
    entry = matrix.entries.get(id)
    before = entry.fields if entry else {}
    after = {name: value for name, value in values.items() if value is not None}
    if archs:
        marked = [arch for arch in matrix.schema.archs if supports(entry, arch)]
        after = synthesise(before, {arch: values for arch in archs if arch in marked}, marked)
        # No cell of an arch that the test is not marked for is worth changing what others rest on.
        after = _overridden(after, [arch for arch in archs if arch not in marked], values)
    if entry is None:
        return [Operation(OpKind.ADD, id, home_file(matrix, id), value=after)] if after else []
    return operations_to(id, entry.file, before, after) if archs else _as_filled(entry, values)


def _overridden(fields: Mapping[str, object], archs: Sequence[str], values: Mapping[str, object]) -> dict[str, object]:
    """`fields` with `values` in the overrides of `archs`; None takes one away."""
    present = fields.get(OVERRIDES)
    overrides = dict(present) if isinstance(present, dict) else {}
    for arch in archs:
        old = overrides.get(arch)
        new = {**(old if isinstance(old, dict) else {}), **values}
        overrides[arch] = {name: value for name, value in new.items() if value is not None}
    left = {arch: held for arch, held in overrides.items() if held or arch not in archs}
    return {**fields, OVERRIDES: left} if left else {name: fields[name] for name in fields if name != OVERRIDES}


def _as_filled(entry: Entry, values: Mapping[str, object]) -> Iterable[Operation]:
    for name, value in values.items():
        if value is not None:
            yield Operation(OpKind.SET, entry.id, entry.file, (name,), value)
        elif name in entry.fields:
            yield Operation(OpKind.UNSET, entry.id, entry.file, (name,))


def home_file(matrix: Matrix, id: str) -> str:
    """The file an entry of `id` belongs in, relative to test_config (spec 2.1). Raises UsageError for a stray id."""
    member = matrix.member(matrix.rows[id])
    directory = _DIRECTORIES.get(matrix.function(matrix.rows[id]))
    if directory is None:
        raise UsageError(f"{id} follows no id grammar", "No file can be chosen for its entry.")
    # Explicit sharding strategies stand with the tensor_parallel entries.
    parallelism = "tensor_parallel" if member.parallelism.endswith("tensor_parallel") else member.parallelism
    return posixpath.join(directory, f"test_config_{member.mode}_{parallelism}.yaml")


def _archs(scope: Scope) -> tuple[str, ...]:
    return (scope,) if scope and isinstance(scope, str) else tuple(scope)


def _values(matrix: Matrix, id: str, archs: Sequence[str]) -> Iterable[Mapping[str, object]]:
    entry = matrix.entries.get(id)
    return [values_on(entry, arch) for arch in archs] if archs else [entry.fields if entry else {}]
