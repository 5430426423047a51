# SPDX-License-Identifier: Apache-2.0
"""Whether upstream's schema has room for what an operation would write (spec 2.2 to 2.4)."""

from collections.abc import Iterator, Mapping

from core.edits.operations import OVERRIDES, Operation, OpKind
from core.matrix.field_values import LISTS, RULES
from core.sources.schema import Schema


def schema_problem(operation: Operation, schema: Schema) -> str:
    """What upstream would refuse or never act on; empty: nothing. Taking something away is always allowed."""
    if operation.is_item and operation.path[-1] not in LISTS:
        return f"{operation.path[-1]} is no list; lists are {', '.join(LISTS)}"
    if operation.op is OpKind.RENAME and operation.is_override:
        return _arch_problem(str(operation.to), schema)
    return next((why for written in _written_by(operation) if (why := _problem(*written, schema))), "")


def _written_by(operation: Operation) -> Iterator[tuple[str, str, object]]:
    """Arch (empty: the entry itself), field and value of all that `operation` puts in."""
    arch = operation.path[1] if len(operation.path) > 1 else ""
    value = operation.value
    match operation.op:
        case OpKind.SET:
            yield arch, operation.path[-1], value
        case OpKind.ADD if isinstance(value, Mapping):
            yield from _written({OVERRIDES: {arch: value}} if arch else value)
        case OpKind.ADD | OpKind.RENAME if operation.is_item:
            yield arch, operation.path[-1], [value if operation.op is OpKind.ADD else operation.to]


def _written(fields: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    for name, value in fields.items():
        if name == OVERRIDES and isinstance(value, Mapping):
            for arch, inner in value.items():
                yield from ((arch, field, item) for field, item in inner.items())
        else:
            yield "", name, value


def _problem(arch: str, name: str, value: object, schema: Schema) -> str:
    if arch and (why := _arch_problem(arch, schema)):
        return why
    if name not in schema.fields or name == OVERRIDES:
        return f"{name} is no field of this checkout; fields are {', '.join(sorted(schema.fields))}"
    if name == "supported_archs":
        found = next((why for item in _texts(value) if (why := _arch_problem(item, schema))), "")
        if found:
            return f"{name}: {found}"
    rule = RULES.get(name)
    return "" if rule is None or rule.fits(value) else f"{name}: must be {rule.wanted}"


def _arch_problem(arch: object, schema: Schema) -> str:
    return "" if arch in schema.archs else f"{arch} is no arch of this checkout; archs are {', '.join(schema.archs)}"


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
