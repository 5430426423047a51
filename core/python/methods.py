# SPDX-License-Identifier: Apache-2.0
"""Methods of texts and collections, and functions of the standard library, applied to known values."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from core.python.operations import equal, failed, truth
from core.python.values import MOST_ITEMS, Member, Method, Unknown, Value


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEXT = _words(
    """capitalize casefold count endswith find format index isalnum isalpha isdecimal isdigit islower isupper join lower
    lstrip partition removeprefix removesuffix replace rpartition rsplit rstrip split splitlines startswith strip
    swapcase title upper"""
)
_METHODS: Mapping[type, frozenset[str]] = {
    str: _TEXT,
    tuple: frozenset({"count", "index"}),
    list: _words("append extend insert pop remove reverse clear copy count index"),
    dict: _words("items keys values get update setdefault pop copy clear"),
    set: _words("add update discard remove union intersection difference copy issubset issuperset"),
}


def has_method(value: Value, name: str) -> bool:
    """Whether `value` has a method of that name that can be evaluated."""
    return name in _METHODS.get(type(value), ())


def call_method(method: Method, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """The result of a method, which may change its object. Raises Unknown."""
    of, name = method.of, method.name
    if isinstance(of, str):
        return _text_method(of, name, args, kwargs)
    if isinstance(of, dict) and name in ("items", "keys", "values"):
        return list(getattr(of, name)()) if name != "items" else [tuple(one) for one in of.items()]
    if name in ("extend", "update") and args:
        args = [one if isinstance(one, dict) else elements(one) for one in args]
    try:
        made = getattr(of, name)(*args, **kwargs)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise failed(error, of, *args, *kwargs.values(), what=name) from None
    if hasattr(of, "__len__") and len(of) > MOST_ITEMS:
        raise Unknown(f"{name} makes too much")
    return made


def elements(value: Value) -> list[Value]:
    """The elements of an iteration over `value`. Raises Unknown."""
    if isinstance(value, range) and len(value) > MOST_ITEMS:
        raise Unknown("iterates over too much")
    if isinstance(value, set | frozenset) and len(value) > 1:
        raise Unknown("iterates over a set, which has no order")
    if isinstance(value, tuple | list | dict | set | frozenset | range | str):
        return list(value)
    raise Unknown("iterates over what is not known")


def _text_method(of: str, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    if name == "join" and len(args) == 1:
        args = [elements(args[0])]
    elif name == "format":
        raise Unknown("formats a text")
    plain = [one for one in (*args, *kwargs.values()) if not isinstance(one, list)]
    plain += [inner for one in args if isinstance(one, list) for inner in one]
    if not all(one is None or isinstance(one, str | int | tuple) for one in plain):
        raise Unknown(f"calls {name} with what is not known")
    try:
        return getattr(of, name)(*args, **kwargs)
    except (TypeError, ValueError, LookupError) as error:
        raise failed(error, of, *args, *kwargs.values(), what=name) from None


def _length(value: Value) -> int:
    if isinstance(value, tuple | list | dict | set | frozenset | range | str | bytes):
        return len(value)
    raise Unknown("asks for the length of what is not known")


def _zip(*many: Value, strict: bool = False) -> list[Value]:
    return [tuple(one) for one in zip(*map(elements, many), strict=strict)]


def _enumerate(value: Value, start: int = 0) -> list[Value]:
    return [(start + at, one) for at, one in enumerate(elements(value))]


def _sorted(value: Value, *, reverse: bool = False) -> list[Value]:
    found = list(value) if isinstance(value, set | frozenset) else elements(value)
    if not all(isinstance(one, int | float | str | tuple) for one in found):
        raise Unknown("sorts what is not known")
    return sorted(found, reverse=reverse)


def _product(*many: Value, repeat: int = 1) -> list[Value]:
    parts = [elements(one) for one in many] * min(repeat, 64)
    if math.prod(len(one) for one in parts) > MOST_ITEMS:
        raise Unknown("makes too many combinations")
    return list(itertools.product(*parts))


def _combined(combine: Callable[..., Iterable[Any]], count: Callable[[int, int], int]) -> Callable[..., list[Value]]:
    def made(value: Value, length: Value = None) -> list[Value]:
        found = elements(value)
        size = len(found) if length is None else length
        if len(found) > 64 or count(len(found), size) > MOST_ITEMS:
            raise Unknown("makes too many combinations")
        return list(combine(found, size))

    return made


def _chain(*many: Value) -> list[Value]:
    return [one for part in many for one in elements(part)]


def _distinct(value: Value = ()) -> set[Value]:
    found = list(value) if isinstance(value, set | frozenset) else elements(value)
    if any(equal(one, other) for one, other in itertools.combinations(found[:64], 2) if isinstance(one, Member)):
        raise Unknown("makes a set of equal members")
    return set(found)


def _dictionary(value: Value = (), **more: Value) -> dict[Value, Value]:
    return {**(value if isinstance(value, dict) else dict(map(tuple, elements(value)))), **more}


def _least(choose: Callable[..., Any]) -> Callable[..., Value]:
    def made(*args: Value) -> Value:
        found = elements(args[0]) if len(args) == 1 else list(args)
        if not all(isinstance(one, int | float | str) for one in found):
            raise Unknown("compares what is not known")
        return choose(found)

    return made


def _sum(value: Value, start: Value = 0) -> Value:
    found = elements(value)
    if not all(isinstance(one, int | float) for one in (*found, start)):
        raise Unknown("adds what is not known")
    return sum(found, start)


def _number(of: type) -> Callable[..., Value]:
    def made(value: Value = 0) -> Value:
        if not isinstance(value, int | float | str) or (isinstance(value, str) and len(value) > 64):
            raise Unknown("makes a number of what is not known")
        return of(value)

    return made


def _range(*args: Value) -> range:
    if not all(isinstance(one, int) for one in args):
        raise Unknown("makes a range of what is not known")
    return range(*args)


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "builtins.len": _length,
    "builtins.range": _range,
    "builtins.list": lambda value=(): elements(value),
    "builtins.tuple": lambda value=(): tuple(elements(value)),
    "builtins.set": _distinct,
    "builtins.frozenset": lambda value=(): frozenset(_distinct(value)),
    "builtins.dict": _dictionary,
    "builtins.dict.fromkeys": lambda keys, value=None: dict.fromkeys(elements(keys), value),
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.sorted": _sorted,
    "builtins.reversed": lambda value: elements(value)[::-1],
    "builtins.any": lambda value: any(truth(one) for one in elements(value)),
    "builtins.all": lambda value: all(truth(one) for one in elements(value)),
    "builtins.bool": lambda value=False: truth(value),
    "builtins.int": _number(int),
    "builtins.float": _number(float),
    "builtins.min": _least(min),
    "builtins.max": _least(max),
    "builtins.sum": _sum,
    "builtins.abs": lambda value: _number(abs)(value),  # type: ignore[arg-type]
    "builtins.slice": lambda *args: slice(*args),
    "itertools.product": _product,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": lambda value: _chain(*elements(value)),
    "itertools.combinations": _combined(itertools.combinations, math.comb),
    "itertools.permutations": _combined(itertools.permutations, math.perm),
    "math.prod": lambda value: math.prod(_least(list)(value)),
    "copy.copy": lambda value: value.copy() if isinstance(value, list | dict | set) else value,
}
"""By full name; called with the evaluated arguments. They raise Unknown, TypeError and ValueError."""
