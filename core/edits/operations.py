# SPDX-License-Identifier: Apache-2.0
"""Operations: one intended change each, and their JSON form. Text is derived from them, never the other way."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from core.base.errors import UsageError
from core.base.files import Malformed, parsed

OVERRIDES = "arch_overrides"
ALIASES = {"mark": "marks", "expected_errors": "expects_error"}
"""Other names of keys of an op case. Operations use the first name, and match both."""
_PARTS = ("skip_if", "expects_error")
"""Keys of an op case that hold keys."""
_DEEP = ("inputs", "attrs", "kwmap", *_PARTS)
"""Keys of an op case in which single values and keys can be set and removed, at any depth."""
_MOST_DEPTH = 20
_EXPECTATIONS = "test_config_"


class OpKind(StrEnum):
    """What an operation does to an entry."""

    SET = "set"
    UNSET = "unset"
    ADD = "add"
    REMOVE = "remove"
    RENAME = "rename"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of one entry, or of one case in a manifest of op tests."""

    op: OpKind
    id: str
    """The id of a test, of an op case (`model::case`), or of a model, for the block of defaults in its manifest."""
    file: str | None = None
    """Path relative to the test_config directory (a manifest: to the checkout); None: the only file that has the id."""
    path: tuple[str, ...] = ()
    """`(field,)`, `("arch_overrides", arch, field)` or `("arch_overrides", arch)`; empty: the entry itself.

    In an op case it may continue through the keys of mappings and the indices of lists, from 0: `("inputs", "0",
    "tensor", "init")`. The second key of one name is `name#2`, as the second case of one id is `id#2`.
    """
    value: object = None
    """`set`: a scalar or a list of scalars; `add`: the mapping of fields; at the path of a list: one item of it."""
    to: str | None = None
    """`rename`: the new id, arch, item or key of an op case; `move`: the new file."""

    @property
    def is_entry(self) -> bool:
        """Whether it is about the entry as a whole, not about a part of it."""
        return not self.path

    @property
    def is_case(self) -> bool:
        """Whether it is about a manifest of op tests."""
        return is_manifest(self.file) if self.file is not None else "::" in self.id

    @property
    def is_override(self) -> bool:
        """Whether it is about the whole override of one arch."""
        return len(self.path) == 2 and self.path[0] == OVERRIDES

    @property
    def renames_key(self) -> bool:
        """Whether it renames a key of an op case, of the defaults, or of an override."""
        named = self.op is OpKind.RENAME and self.value is None
        return named and (self.is_override or (bool(self.path) and self.is_case))

    @property
    def is_item(self) -> bool:
        """Whether it is about one item of a list."""
        kinds = (OpKind.ADD, OpKind.REMOVE, OpKind.RENAME)
        return self.op in kinds and len(self.path) in (1, 3) and not self.renames_key


def is_manifest(file: str) -> bool:
    """Whether a file, by its path, is a manifest of op tests: all but expectation files are."""
    return file.endswith((".yaml", ".yml")) and not file.rpartition("/")[2].startswith(_EXPECTATIONS)


def short_id(id: str, file: str) -> str:
    """The id of a case within its file: without the file name that ends the id of the later of two equal ones."""
    for end in (f"::{file}", f"::{file.rpartition('/')[2]}"):
        if id.endswith(end) and "::" in id.removesuffix(end):
            return id.removesuffix(end)
    return id


def case_name(operation: "Operation") -> str:
    """The name of the case that `operation` is about; empty for the defaults."""
    return short_id(operation.id, operation.file or "").partition("::")[2]


def manifests_in(operations: Iterable[Operation]) -> tuple[str, ...]:
    """The manifests that `operations` name, each once."""
    return tuple(dict.fromkeys(op.file for op in operations if op.file is not None and is_manifest(op.file)))


@dataclass(frozen=True, slots=True)
class Rejection:
    """An operation that cannot be applied, and why."""

    op: Operation
    why: str
    line: int = 0
    """1-based line of the file that is in the way; 0: none in particular."""


class Refused(Exception):
    """Raised inside the edit engine if an operation cannot be applied. Never leaves it."""

    def __init__(self, why: str, line: int = 0) -> None:
        """`line` is the 1-based line that is in the way; 0: none in particular."""
        super().__init__(f"line {line}: {why}" if line else why)
        self.why = why
        self.line = line

    def rejection(self, operation: Operation) -> Rejection:
        """The rejection of `operation`, with the reason."""
        return Rejection(operation, self.why, self.line)


_REQUIRED: Mapping[OpKind, tuple[str, ...]] = {
    OpKind.SET: ("path", "value"),
    OpKind.UNSET: ("path",),
    OpKind.ADD: ("file", "value"),
    OpKind.REMOVE: (),
    OpKind.RENAME: ("to",),
    OpKind.MOVE: ("to",),
}
_REQUIRED_AT_PATH: Mapping[OpKind, tuple[str, ...]] = {
    OpKind.ADD: ("path", "value"),
    OpKind.REMOVE: ("path",),
    OpKind.RENAME: ("path", "to"),
}
_ALWAYS = ("op", "id")
_OPTIONAL = ("file",)
_OPTIONAL_AT_PATH = ("file", "value")


def parse_operations(text: str) -> tuple[Operation, ...]:
    """Read a JSON list of operations. Raises UsageError that names the operation (from 0) and what is allowed."""
    try:
        return read_operations(parsed(text))
    except Malformed as error:
        raise UsageError("The operations are not valid JSON", str(error.__cause__)) from error


def read_operations(raw: object) -> tuple[Operation, ...]:
    """The operations in parsed JSON data. Raises UsageError as `parse_operations`."""
    if not isinstance(raw, list):
        raise UsageError("The operations must be a JSON list", f"The file holds {_kind(raw)}.")
    return tuple(_operation(index, item) for index, item in enumerate(raw))


def to_json(operations: Iterable[Operation]) -> list[dict[str, object]]:
    """The JSON form: `parse_operations(json.dumps(to_json(ops))) == ops`."""
    return [_object(operation) for operation in operations]


def shape_problem(operation: Operation) -> str:
    """What is wrong with the form of `operation`, regardless of the files; empty: nothing."""
    if not operation.id or not operation.id.isprintable():
        return "id: must be text on one line that is not empty"
    if operation.file == "" or (operation.file is None and operation.op is OpKind.ADD and operation.is_entry):
        return "file: must name a file below test_config, or a manifest of op tests"
    if operation.op in (OpKind.RENAME, OpKind.MOVE) and not (operation.to and operation.to.isprintable()):
        return "to: must be text on one line that is not empty"
    if operation.is_case:
        return _case_problem(operation)
    match operation.op:
        case OpKind.SET:
            return _path_problem(operation.path) or value_problem(operation.value)
        case OpKind.UNSET:
            return _path_problem(operation.path, 1, 2)
        case OpKind.ADD | OpKind.REMOVE | OpKind.RENAME if operation.path:
            return _path_problem(operation.path, 2) or _part_problem(operation)
        case OpKind.ADD:
            return _fields_problem(operation.value)
        case _:
            return "path: an entry moves as a whole" if operation.path else ""


def value_problem(value: object) -> str:
    """What is wrong with the value of one field; empty: nothing."""
    if isinstance(value, list | tuple):
        return next((f"{found} in a list" for item in value if (found := _scalar_problem(item))), "")
    return _scalar_problem(value)


def _scalar_problem(value: object) -> str:
    if value is None:
        return "value: must not be null; use unset to remove a field"
    if isinstance(value, float) and not math.isfinite(value):
        return "value: a number must be finite"
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        return "value: a lone surrogate is not text"
    if not isinstance(value, bool | int | float | str):
        return f"value: must be text, a number, true, false or a list of these, not {_kind(value)}"
    return ""


def _part_problem(operation: Operation) -> str:
    """The problem with adding, removing or renaming a part of an entry: an override, or an item of a list."""
    if operation.is_override:
        if operation.op is OpKind.ADD:
            return _override_problem(operation.value)
        return "" if operation.value is None else "value: not allowed here; the path names the override"
    if isinstance(operation.value, list | tuple):
        return "value: must be one item of the list"
    return "value: must be the item of the list" if operation.value is None else _scalar_problem(operation.value)


def _case_problem(operation: Operation) -> str:
    """The problem with an operation on a manifest."""
    path, value = operation.path, operation.value
    if not all(name and name.isprintable() for name in path):
        return "path: must be names on one line"
    match operation.op:
        case OpKind.SET | OpKind.UNSET:
            if not path or len(path) > _MOST_DEPTH or (len(path) > 1 and path[0] not in _DEEP):
                return f'path: must be ["KEY"], or ["KEY", "PART", ...] of {", ".join(_DEEP)}'
            return _data_problem(value) if operation.op is OpKind.SET else ""
        case OpKind.RENAME:
            return _name_problem(operation)
        case OpKind.ADD | OpKind.REMOVE if path:
            if path != ("marks",):
                return 'path: one item is added or removed of ["marks"] alone'
            return "" if isinstance(value, str) else "value: must be the name of a mark"
        case OpKind.ADD:
            return _new_case_problem(operation)
        case OpKind.REMOVE:
            return "" if "::" in operation.id else "id: must be model::case; defaults are unset one by one"
    return "op: a case cannot be moved; remove it and add it anew"


def _name_problem(operation: Operation) -> str:
    """The problem with a new name for a case, or for a key."""
    if operation.path:
        fits = operation.value is None and len(operation.path) <= _MOST_DEPTH
        return "" if fits else "value: not allowed here; the path names the key"
    model, _, name = short_id(operation.id, operation.file or "").partition("::")
    same, _, new = str(operation.to).partition("::")
    return "" if name and new and same == model else "to: must be model::case, of the same model"


def _new_case_problem(operation: Operation) -> str:
    if not isinstance(operation.value, Mapping) or not operation.value:
        return "value: must be an object with the keys of a case"
    name = case_name(operation)
    if not name or operation.value.get("name", name) != name:
        return "id: must be model::case, with the name that the case has"
    return _data_problem(operation.value)


def _data_problem(value: object, depth: int = 0) -> str:
    """What is wrong with a value that may hold mappings and lists; null may be in a list or mapping."""
    if depth > _MOST_DEPTH:
        return f"value: must not nest more than {_MOST_DEPTH} deep"
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) and name and name.isprintable() for name in value):
            return "value: a key must be text on one line"
        return next((found for inner in value.values() if (found := _data_problem(inner, depth + 1))), "")
    if isinstance(value, list | tuple):
        return next((found for inner in value if (found := _data_problem(inner, depth + 1))), "")
    return "" if value is None and depth else _scalar_problem(value)


def _path_problem(path: tuple[str, ...], *override_lengths: int) -> str:
    """`override_lengths`: the path lengths allowed below `arch_overrides`, besides that of a field of an arch."""
    allowed = f'path: must be ["FIELD"] or ["{OVERRIDES}", "ARCH", "FIELD"]'
    if not path or not all(name and name.isprintable() for name in path):
        return allowed
    if path[0] != OVERRIDES:
        return "" if len(path) == 1 else allowed
    if len(path) in (3, *override_lengths):
        return ""
    return f"{allowed}; overrides are set one field at a time"


def _fields_problem(value: object) -> str:
    if not isinstance(value, Mapping) or not value:
        return "value: must be an object with at least one field"
    for name, field in value.items():
        if name != OVERRIDES:
            found = value_problem(field)
        elif not isinstance(field, Mapping) or not field:
            found = "must be an object with an object of fields per arch"
        else:
            found = next((p for fields in field.values() if (p := _override_problem(fields))), "")
        if found:
            return f"{name}: {found}"
    return ""


def _override_problem(fields: object) -> str:
    if not isinstance(fields, Mapping) or not fields:
        return "each arch must have an object with at least one field"
    return next((f"{name}: {p}" for name, field in fields.items() if (p := value_problem(field))), "")


def _operation(index: int, raw: object) -> Operation:
    if not isinstance(raw, dict):
        raise _bad(index, f"must be an object, not {_kind(raw)}")
    name = raw.get("op")
    if not isinstance(name, str) or name not in list(OpKind):
        raise _bad(index, f"op: must be one of {', '.join(OpKind)}")
    kind = OpKind(name)
    _check_keys(index, kind, raw)
    path = raw.get("path", [])
    if not isinstance(path, list) or not all(isinstance(part, str) for part in path):
        raise _bad(index, "path: must be a list of text")
    operation = Operation(kind, raw["id"], raw.get("file"), tuple(path), raw.get("value"), raw.get("to"))
    if operation.is_case and path and path[0] in ALIASES:
        operation = replace(operation, path=(ALIASES[path[0]], *path[1:]))
    if problem := shape_problem(operation):
        raise _bad(index, problem)
    return operation


def _check_keys(index: int, kind: OpKind, raw: Mapping[str, object]) -> None:
    at_path = bool(raw.get("path")) and kind in _REQUIRED_AT_PATH
    required = (*_ALWAYS, *(_REQUIRED_AT_PATH if at_path else _REQUIRED)[kind])
    allowed = dict.fromkeys((*required, *(_OPTIONAL_AT_PATH if at_path else _OPTIONAL)))
    for name, value in raw.items():
        if name not in allowed:
            raise _bad(index, f"{name}: not a key of {kind}; allowed are {', '.join(allowed)}")
        if name in ("id", "file", "to") and not isinstance(value, str):
            raise _bad(index, f"{name}: must be text, not {_kind(value)}")
    for name in required:
        if name not in raw:
            raise _bad(index, f"{name}: missing; {kind} needs {', '.join(required)}")


def _object(operation: Operation) -> dict[str, object]:
    found: dict[str, object] = {"op": operation.op.value, "id": operation.id}
    if operation.file is not None:
        found["file"] = operation.file
    if operation.path:
        found["path"] = list(operation.path)
    if operation.value is not None:
        found["value"] = operation.value
    if operation.to is not None:
        found["to"] = operation.to
    return found


def _bad(index: int, problem: str) -> UsageError:
    return UsageError(f"Operation {index} cannot be understood", problem)


def _kind(value: object) -> str:
    names = {type(None): "null", bool: "true or false", dict: "an object", list: "a list", str: "text"}
    return names.get(type(value), "a number")
