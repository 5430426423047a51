# SPDX-License-Identifier: Apache-2.0
"""The few functions from outside the tree that a loader's model info is made with, over known values."""

from collections.abc import Callable, Mapping, Sequence

from core.sources.evaluator_operations import text, truth
from core.sources.evaluator_values import Dictionary, Record, TextMethod, Unknown, Value

TEXT_METHODS: Mapping[str, Callable[..., str | bool]] = {
    "lower": str.lower,
    "upper": str.upper,
    "startswith": str.startswith,
    "endswith": str.endswith,
}


def call_external(name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """What the function called `name`, for example `builtins.any`, returns. Raises Unknown for any other."""
    match name, given:
        case "dataclasses.replace", [Record() as record]:
            return Record(record.kind, {**record.fields, **named})
        case _ if named:
            pass
        case "builtins.any", [items]:
            return any(truth(item) for item in elements(items))
        case "builtins.all", [items]:
            return all(truth(item) for item in elements(items))
        case "builtins.bool", [value]:
            return truth(value)
        case "builtins.str", [value]:
            return text(value)
        case "builtins.set" | "builtins.frozenset" | "builtins.list" | "builtins.tuple", [items]:
            return elements(items)
    raise Unknown(f"calls {name}")


def call_text_method(method: TextMethod, given: Sequence[Value]) -> str | bool:
    """What a method of a text returns, given texts."""
    try:
        return TEXT_METHODS[method.name](method.of, *(text(one) for one in given))
    except TypeError as error:
        raise Unknown(f"calls {method.name} with the wrong arguments") from error


def elements(value: Value) -> tuple[Value, ...]:
    """What iterating over `value` gives."""
    if isinstance(value, Dictionary):
        return tuple(key for key, _ in value.items)
    if isinstance(value, tuple):
        return value
    raise Unknown("iterates over what is not a collection")
