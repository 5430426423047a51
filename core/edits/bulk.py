# SPDX-License-Identifier: Apache-2.0
"""One "set fields" over many tests: what a person fills in once becomes operations for each entry."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.edits.operations import Operation, OpKind
from core.errors import UsageError
from core.matrix.effective import text_of
from core.matrix.index import Matrix
from core.model import BringupStatus, Function, Status

ENTRY_SCOPE = ""
"""The scope of the entry itself; any other scope is the arch of an override."""

_DIRECTORIES = {Function.TORCH: "torch", Function.JAX: "jax", Function.LLM: "torch_llm"}


@dataclass(frozen=True, slots=True)
class FormField:
    """A field a person can set, and how its text is read."""

    name: str
    read: Callable[[str], object]
    """Raises ValueError with the reason."""
    choices: tuple[str, ...] = ()


def _enum(kind: type[Status] | type[BringupStatus]) -> Callable[[str], object]:
    def read(text: str) -> object:
        if text.strip().upper() not in kind.__members__:
            raise ValueError(f"one of {', '.join(kind)}")
        return text.strip().upper()

    return read


def _number(text: str) -> object:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError("a number from 0 to 1")
    return value


def _truth(text: str) -> object:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError("true or false")
    return text.strip().lower() == "true"


def _words(text: str) -> object:
    return [word for word in text.replace(",", " ").split() if word]


FORM_FIELDS: tuple[FormField, ...] = (
    FormField("status", _enum(Status), tuple(Status)),
    FormField("bringup_status", _enum(BringupStatus), tuple(BringupStatus)),
    FormField("reason", str.strip),
    FormField("required_pcc", _number),
    FormField("assert_pcc", _truth, ("true", "false")),
    FormField("markers", _words),
    FormField("supported_archs", _words),
)
"""The fields that 99.5 % of commits touch (spec 8.6)."""


def present_text(matrix: Matrix, ids: Iterable[str], scope: str, field: str) -> str | None:
    """The text of a field where all `ids` have the same, empty where none has it; None where they differ."""
    found = {text_of(_values(matrix, id, scope).get(field)) for id in ids}
    return found.pop() if len(found) == 1 else None


def set_fields(matrix: Matrix, ids: Sequence[str], scope: str, filled: Mapping[str, str]) -> tuple[Operation, ...]:
    """Operations that give each of `ids` the `filled` texts; an empty text takes a field away.

    An id without an entry gets one, in the file its siblings would stand in. Raises UsageError on a text that
    the field cannot hold, naming both.
    """
    values = {name: _read(name, text) for name, text in filled.items()}
    return tuple(op for id in ids for op in _for_one(matrix, id, scope, values))


def _for_one(matrix: Matrix, id: str, scope: str, values: Mapping[str, object]) -> Iterable[Operation]:
    entry = matrix.entries.get(id)
    if entry is None:
        wanted = {name: value for name, value in values.items() if value is not None}
        if wanted:
            body = {"arch_overrides": {scope: wanted}} if scope else wanted
            yield Operation(OpKind.ADD, id, home_file(matrix, id), value=body)
        return
    present = _values(matrix, id, scope)
    for name, value in values.items():
        path = ("arch_overrides", scope, name) if scope else (name,)
        if value is not None:
            yield Operation(OpKind.SET, id, entry.file, path, value)
        elif name in present:
            yield Operation(OpKind.UNSET, id, entry.file, path)


def home_file(matrix: Matrix, id: str) -> str:
    """The file an entry of `id` belongs in, relative to test_config (spec 2.1). Raises UsageError for a stray id."""
    member = matrix.members[matrix.rows[id]]
    directory = _DIRECTORIES.get(matrix.function(matrix.rows[id]))
    if directory is None:
        raise UsageError(f"{id} follows no id grammar", "No file can be chosen for its entry.")
    # Explicit sharding strategies stand with the tensor_parallel entries.
    parallelism = "tensor_parallel" if member.parallelism.endswith("tensor_parallel") else member.parallelism
    return f"{directory}/test_config_{member.mode}_{parallelism}.yaml"


def _values(matrix: Matrix, id: str, scope: str) -> Mapping[str, object]:
    entry = matrix.entries.get(id)
    if entry is None:
        return {}
    return entry.overrides.get(scope, {}) if scope else entry.fields


def _read(name: str, text: str) -> object | None:
    if not text.strip():
        return None
    field = next(field for field in FORM_FIELDS if field.name == name)
    try:
        return field.read(text)
    except ValueError as error:
        raise UsageError(f"{name} cannot be {text!r}", f"It is {error}.") from error
