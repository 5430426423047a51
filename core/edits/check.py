# SPDX-License-Identifier: Apache-2.0
"""Whether upstream's schema has room for what an operation would write (spec 2.2 to 2.4)."""

from collections.abc import Callable, Iterator, Mapping

from core.edits.operations import OVERRIDES, Operation, OpKind
from core.model import BringupStatus, Status
from core.sources.schema import Schema


def schema_problem(operation: Operation, schema: Schema) -> str:
    """What upstream would refuse or never act on; empty: nothing. Taking something away is always allowed."""
    if operation.is_item and operation.path[-1] not in _LISTS:
        return f"{operation.path[-1]} is no list; lists are {', '.join(_LISTS)}"
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
    wanted, fits = _VALUES.get(name, ("", lambda _: True))
    return "" if fits(value) else f"{name}: must be {wanted}"


def _arch_problem(arch: object, schema: Schema) -> str:
    return "" if arch in schema.archs else f"{arch} is no arch of this checkout; archs are {', '.join(schema.archs)}"


def _texts(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_texts(value: object) -> bool:
    return all(map(_is_text, _texts(value)))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_correlation(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_level(value: object) -> bool:
    return not isinstance(value, bool) and value in (0, 1, 2)


def _is_word_of(kind: type[Status] | type[BringupStatus]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and value.strip().upper() in kind.__members__


_FLAG = ("true or false", _is_flag)
_NUMBER = ("a number", _is_number)
_TEXTS = ("a list of text", _is_texts)

_VALUES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "status": (f"one of {', '.join(Status)}", _is_word_of(Status)),
    "bringup_status": (f"one of {', '.join(BringupStatus)}", _is_word_of(BringupStatus)),
    "reason": ("text", _is_text),
    "execution_pass": ("text", _is_text),
    "markers": _TEXTS,
    "supported_archs": _TEXTS,
    "filechecks": _TEXTS,
    "required_pcc": ("a number from 0 to 1", _is_correlation),
    "required_atol": _NUMBER,
    "allclose_rtol": _NUMBER,
    "allclose_atol": _NUMBER,
    "assert_pcc": _FLAG,
    "assert_atol": _FLAG,
    "assert_allclose": _FLAG,
    "enable_weight_bfp8_conversion": _FLAG,
    "inject_custom_moe": _FLAG,
    "emitpy_assert_exact": _FLAG,
    "batch_size": ("a whole number above 0", _is_count),
    "optimization_level": ("0, 1 or 2", _is_level),
}
_LISTS = tuple(name for name, rule in _VALUES.items() if rule is _TEXTS)
