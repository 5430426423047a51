# SPDX-License-Identifier: Apache-2.0
"""Another threshold in place of the one that a change sets: a person may know better than the rule."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.base.checked_numbers import finite
from core.base.errors import UsageError
from core.edits.operations import OVERRIDES, Operation, OpKind

_PCC = "required_pcc"


def threshold_of(operations: Iterable[Operation]) -> float | None:
    """The first threshold that operations set; None: they set none."""
    return next((value for _, value in _places(operations) if value is not None), None)


def sets_threshold(operations: Iterable[Operation]) -> bool:
    """Whether operations set a threshold, or go back to the default."""
    return any(True for _ in _places(operations))


def retyped(operations: Sequence[Operation], text: str) -> tuple[Operation, ...]:
    """The edits that put another threshold wherever `operations` set one. Raises UsageError for what is none."""
    try:
        value = finite(float(text))
    except ValueError:
        value = None
    if value is None or not 0 < value <= 1:
        raise UsageError(f"{text!r} is no threshold", "A PCC is above 0 and at most 1, such as 0.975.")
    return tuple(Operation(OpKind.SET, op.id, op.file, op.path, value) for op, _ in _places(operations))


def _places(operations: Iterable[Operation]) -> Iterator[tuple[Operation, float | None]]:
    """An operation at each place whose threshold changes, with the new one; None: the default."""
    for op in operations:
        if op.path[-1:] == (_PCC,) and op.op in (OpKind.SET, OpKind.UNSET):
            yield op, finite(op.value)
        elif op.op is OpKind.ADD and isinstance(op.value, Mapping):
            for path in _in_value(op.value):
                placed = Operation(OpKind.SET, op.id, op.file, (*op.path, *path))
                yield placed, finite(_at(op.value, path))


def _in_value(value: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    if _PCC in value:
        yield (_PCC,)
    overrides = value.get(OVERRIDES)
    for arch, fields in overrides.items() if isinstance(overrides, Mapping) else ():
        if isinstance(fields, Mapping) and _PCC in fields:
            yield OVERRIDES, str(arch), _PCC


def _at(value: object, path: Sequence[str]) -> object:
    for name in path:
        value = value[name] if isinstance(value, Mapping) else None
    return value
