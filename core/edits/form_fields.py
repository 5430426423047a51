# SPDX-License-Identifier: Apache-2.0
"""The fields that a person can edit, how their texts are parsed, and the error messages for each."""

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.base.errors import UsageError
from core.domain.model import BringupStatus, Status
from core.edits.checks import schema_problem
from core.edits.operations import OVERRIDES, Operation, OpKind
from core.matrix import RULES, Matrix
from core.sources import Schema


@dataclass(frozen=True, slots=True)
class FormField:
    """A field that a person can set, and how its text is parsed."""

    name: str
    read: Callable[[str], object]
    """Raises ValueError if the text is not a valid value."""
    choices: tuple[str, ...] = ()


def _enum(kind: type[Status] | type[BringupStatus]) -> Callable[[str], object]:
    def read(text: str) -> object:
        if text.strip().upper() not in kind.__members__:
            raise ValueError(text)
        return text.strip().upper()

    return read


def _number(text: str) -> object:
    value = float(text)
    if not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError(text)
    return value


def _truth(text: str) -> object:
    if text.strip().lower() not in ("true", "false"):
        raise ValueError(text)
    return text.strip().lower() == "true"


def _upper(text: str) -> object:
    return text.strip().upper()


def _any_number(text: str) -> object:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _any_value(text: str) -> object:
    """A truth, a number or a text, as YAML would read it."""
    for read in (_truth, int, _any_number):
        try:
            return read(text)
        except ValueError:
            continue
    return text.strip()


def words(text: str) -> list[str]:
    """The items of a list that a person typed with commas or spaces between them."""
    return [word for word in text.replace(",", " ").split() if word]


FORM_FIELDS: tuple[FormField, ...] = (
    FormField("status", _enum(Status), tuple(Status)),
    FormField("bringup_status", _enum(BringupStatus), tuple(BringupStatus)),
    FormField("reason", str.strip),
    FormField("required_pcc", _number),
    FormField("assert_pcc", _truth, ("true", "false")),
    FormField("markers", words),
    FormField("supported_archs", words),
)
"""The fields that 99.5 % of commits touch (docs/rules.md 8.6)."""
_MORE_FIELDS: tuple[FormField, ...] = (
    FormField("optimization_level", int, ("0", "1", "2")),
    FormField("enable_weight_bfp8_conversion", _truth, ("true", "false")),
    FormField("batch_size", int),
    FormField("execution_pass", _upper, ("FORWARD", "BACKWARD")),
    FormField("filechecks", words),
    FormField("assert_allclose", _truth, ("true", "false")),
    FormField("allclose_rtol", _any_number),
    FormField("allclose_atol", _any_number),
    FormField("assert_atol", _truth, ("true", "false")),
    FormField("required_atol", _any_number),
    FormField("inject_custom_moe", _truth, ("true", "false")),
    FormField("emitpy_assert_exact", _truth, ("true", "false")),
)
_KNOWN = {field.name: field for field in (*FORM_FIELDS, *_MORE_FIELDS)}


def entry_fields(schema: Schema) -> tuple[FormField, ...]:
    """All fields that entries of a checkout can have, the usual ones first; one that is new in it takes any value."""
    own = [name for name in schema.fields if name != OVERRIDES]
    first = [field for field in _KNOWN.values() if field.name in own]
    return (*first, *(FormField(name, _any_value) for name in own if name not in _KNOWN))


def read_field(matrix: Matrix, name: str, text: str) -> object | None:
    """The value that `text` gives the field `name`; None: remove the field.

    Raises UsageError that says what the field can hold.
    """
    if not text.strip():
        return None
    field = _KNOWN.get(name) or FormField(name, _any_value)
    try:
        value = field.read(text)
    except ValueError as error:
        near = difflib.get_close_matches(text.strip().upper(), field.choices, 1, 0.6)
        hint = f"Did you mean {near[0]}?" if near else ""
        wanted = RULES[name].wanted if name in RULES else "a value"
        raise UsageError(f"{name} must be {wanted}, not {text.strip()!r}", "", hint) from error
    if problem := schema_problem(Operation(OpKind.SET, "", "", (name,), value), matrix.schema):
        items = value if isinstance(value, list) else []
        archs = matrix.schema.archs
        hints = [_did_you_mean(item, archs) for item in items if name == "supported_archs" and item not in archs]
        raise UsageError(f"{name}: {problem.removeprefix(f'{name}: ')}", "", " ".join(filter(None, hints)))
    return value


def _did_you_mean(text: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(text, known, 1, 0.6)
    return f"Did you mean {near[0]}?" if near else ""
