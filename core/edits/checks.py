# SPDX-License-Identifier: Apache-2.0
"""Whether upstream's schema allows what an operation would write (docs/rules.md 2.2 to 2.4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.domain.model import Entry
from core.edits.apply import Fields, after
from core.edits.operations import OVERRIDES, Operation, OpKind
from core.matrix import LISTS, RULES, UNWRITTEN, Matrix, acting, differing, raw_value, supports, text_of, with_fields
from core.sources import Schema

_JUDGED = (OpKind.SET, OpKind.UNSET)


def schema_problem(operation: Operation, schema: Schema) -> str:
    """What upstream would reject or ignore in `operation`; empty: nothing. Removing something is always allowed."""
    if operation.is_item and operation.path[-1] not in LISTS:
        return f"{operation.path[-1]} is not a list; lists are {', '.join(LISTS)}"
    if operation.op is OpKind.RENAME and operation.is_override:
        return _arch_problem(str(operation.to), schema)
    return next((why for written in _written_by(operation) if (why := _problem(*written, schema))), "")


def _written_by(operation: Operation) -> Iterator[tuple[str, str, object]]:
    """Arch (empty: the entry itself), field and value of everything that `operation` writes."""
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
        return f"{name} is not a field of this checkout; fields are {', '.join(sorted(schema.fields))}"
    if name == "supported_archs":
        found = next((why for item in _texts(value) if (why := _arch_problem(item, schema))), "")
        if found:
            return f"{name}: {found}"
    rule = RULES.get(name)
    return "" if rule is None or rule.fits(value) else f"{name}: must be {rule.wanted}"


def _arch_problem(arch: object, schema: Schema) -> str:
    return (
        "" if arch in schema.archs else f"{arch} is not an arch of this checkout; archs are {', '.join(schema.archs)}"
    )


def _texts(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


@dataclass(frozen=True, slots=True)
class NoOp:
    """An operation without effect, and the reason."""

    op: Operation
    why: str


_MOST_JUDGED = 200
"""On one entry. Judging takes the square of their number, and no entry has as many fields."""


def no_ops(matrix: Matrix, operations: Sequence[Operation]) -> tuple[NoOp, ...]:
    """The operations that set a value and change no cell.

    All operations on one entry are judged together: a value at the entry may be a no-op until an override is removed.
    Removing something is never a no-op, because it tidies up; nor is any operation on an entry that is new, renamed or
    moved.
    """
    found: list[NoOp] = []
    for identifier, ops in _by_id(operations).items():
        if len(ops) > _MOST_JUDGED:
            continue
        entry = _entry(matrix, ops[0])
        if entry is not None and all(op.op in _JUDGED for op in ops):
            found += _no_ops_on(entry, ops, matrix, shadowed=matrix.entries.get(identifier) is not entry)
    order = {id(op): at for at, op in enumerate(operations)}
    return tuple(sorted(found, key=lambda one: order[id(one.op)]))


def without_no_ops(matrix: Matrix, operations: Sequence[Operation]) -> tuple[tuple[Operation, ...], tuple[NoOp, ...]]:
    """Split `operations` into those that have an effect or tidy up, and the no-ops."""
    found = no_ops(matrix, operations)
    gone = {id(one.op) for one in found}
    return tuple(op for op in operations if id(op) not in gone), found


def _by_id(operations: Sequence[Operation]) -> Mapping[str, list[Operation]]:
    found: dict[str, list[Operation]] = {}
    for op in operations:
        found.setdefault(op.id, []).append(op)
    return found


def _entry(matrix: Matrix, op: Operation) -> Entry | None:
    """The entry that is meant; None if there is none, or two."""
    found = [
        entry for file in matrix.files if op.file in (None, file.name) for entry in file.entries if entry.id == op.id
    ]
    return found[0] if len(found) == 1 else None


def _no_ops_on(entry: Entry, ops: Sequence[Operation], matrix: Matrix, *, shadowed: bool) -> list[NoOp]:
    archs = matrix.schema.archs
    left, found = list(ops), []
    for op in ops:
        others = [one for one in left if one is not op]
        before, after = _after(entry, others), _after(entry, left)
        if op.op is OpKind.SET and (shadowed or not _has_effect(before, after, archs)):
            left = others
            counts = matrix.entries[entry.id].file
            found.append(NoOp(op, f"only the entry in {counts} counts" if shadowed else _why(op, before, archs)))
    return found


def _has_effect(before: Entry, after: Entry, archs: Sequence[str]) -> bool:
    """Whether any cell differs."""
    return any(
        supports(before, arch) != supports(after, arch)
        or (supports(after, arch) and any(name != "supported_archs" for name in differing(before, after, arch)))
        for arch in archs
    )


def _why(op: Operation, before: Entry, archs: Sequence[str]) -> str:
    name = op.path[-1]
    marked = [arch for arch in archs if supports(before, arch)]
    if op.path[0] == OVERRIDES:
        arch = op.path[1]
        if arch not in marked:
            return f"the test is not marked for {arch}, so nothing selects it there"
        return f"{_is(name, before, arch)} on {arch} already"
    if acting(name, raw_value(before, name, None)) == acting(name, op.value):
        return f"{_is(name, before, None)} already"
    own = f"have a {name} of their own" if len(marked) > 1 else f"has a {name} of its own"
    return f"{_and(marked)} {own}"


def _is(name: str, entry: Entry, arch: str | None) -> str:
    value = raw_value(entry, name, arch)
    if value is UNWRITTEN:
        return f"{name} is {text_of(acting(name, value)) or 'nothing'} by default"
    return f"{name} is {text_of(value) or 'nothing'}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else "no arch"


def _after(entry: Entry, ops: Sequence[Operation]) -> Entry:
    fields: Fields | None = entry.fields
    for op in ops:
        fields = after(fields, op)
    return with_fields(entry, fields or {})
