# SPDX-License-Identifier: Apache-2.0
"""Operators on known values, with bounds on the size of results."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from core.python import known
from core.python.values import (
    MOST_ITEMS,
    MOST_TEXT,
    Class,
    External,
    Function,
    Instance,
    Member,
    Opaque,
    Param,
    Raises,
    Unknown,
    Value,
    is_plain,
)

_MOST_BITS = 4096
_NUMBERS = (bool, int, float, complex)

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def failed(error: Exception, *values: Value, what: str = "") -> Unknown:
    """What Python says of `values`: it raises that for certain if they consist of constants."""
    if all(map(is_plain, values)):
        return Raises(type(error).__name__, str(error))
    return Unknown(f"{what} fails: {error}" if what else str(error))


def part_failed(error: Exception, of: Value, key: Value) -> Unknown:
    """The failure of `of[key]`, which is certain where no other key can be meant."""
    if isinstance(of, str | list | tuple | range) and is_plain(key):
        return Raises(type(error).__name__, str(error))
    keys = (*of, key) if isinstance(of, dict) else ()
    if isinstance(error, KeyError) and keys and all(map(_is_distinct, keys)):
        return Raises("KeyError", f"{key.of.name}.{key.name}" if isinstance(key, Member) else repr(key))
    return Unknown(f"there is no such part: {error}")


def _is_distinct(key: Value) -> bool:
    """Whether a key equals nothing but itself."""
    return is_plain(key) or (isinstance(key, Member) and key.of.has_plain_members)


def binary(sign: ast.operator, left: Value, right: Value) -> Value:
    """`left sign right`. Raises Unknown."""
    if any(isinstance(one, Opaque) and one.nameless for one in (left, right)):
        return Opaque("computed from a tensor", nameless=True)
    if not _is_own(left) or not _is_own(right) or type(sign) not in _BINARY:
        raise Unknown("an operator is applied to what is not known")
    if isinstance(left, str | bytes) and isinstance(sign, ast.Mod):
        raise Unknown("formats a text with %")
    _bounded(sign, left, right)
    try:
        return _BINARY[type(sign)](left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise failed(error, left, right, what="an operator") from None


def unary(sign: ast.unaryop, value: Value) -> Value:
    """`sign value`. Raises Unknown."""
    if isinstance(sign, ast.Not):
        return not truth(value)
    if not _is_own(value):
        raise Unknown("an operator is applied to what is not known")
    try:
        return _UNARY[type(sign)](value)
    except TypeError as error:
        raise failed(error, value, what="an operator") from None


def compare(sign: ast.cmpop, left: Value, right: Value) -> bool:
    """`left sign right`. Raises Unknown."""
    match sign:
        case ast.Is() | ast.IsNot():
            return same(left, right) is isinstance(sign, ast.Is)
        case ast.Eq() | ast.NotEq():
            return equal(left, right) is isinstance(sign, ast.Eq)
        case ast.In() | ast.NotIn():
            return contains(right, left) is isinstance(sign, ast.In)
    if not _is_own(left) or not _is_own(right):
        raise Unknown("compares what is not known")
    try:
        return bool(_COMPARE[type(sign)](left, right))
    except TypeError as error:
        raise failed(error, left, right, what="a comparison") from None


def truth(value: Value) -> bool:
    """`bool(value)`. Raises Unknown."""
    if isinstance(value, Function | Class):
        return True
    if isinstance(value, Member) and value.of.externals() <= {"enum.Enum"}:
        return True
    if isinstance(value, Instance) and value.of.is_simple:
        return True
    if not _is_own(value):
        raise Unknown("asks whether something is true that is not known")
    return bool(value)


def equal(left: Value, right: Value) -> bool:
    """`left == right`. Raises Unknown."""
    if left is right and isinstance(left, Member):
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Member) and not isinstance(other, Member | Opaque | External):
            texts = one.of.externals() & {"builtins.str", "enum.StrEnum", "enum.IntEnum", "builtins.int"}
            return equal(one.value, other) if texts else False
    if isinstance(left, Opaque | Instance) or isinstance(right, Opaque | Instance):
        raise Unknown("compares what is not known")
    if isinstance(left, External) and isinstance(right, External):
        return known.same(left, right)
    if isinstance(left, External) or isinstance(right, External):
        if isinstance(left, Param | Function | Class) or isinstance(right, Param | Function | Class):
            return False
        raise Unknown("compares what is not known")
    if type(left) is type(right) and isinstance(left, list | tuple):
        return len(left) == len(right) and all(equal(one, other) for one, other in zip(left, right, strict=True))
    return bool(left == right)


def same(left: Value, right: Value) -> bool:
    """`left is right`. Raises Unknown."""
    if isinstance(left, Opaque | External) or isinstance(right, Opaque | External):
        raise Unknown("asks whether two values are one")
    if isinstance(left, Member) and isinstance(right, Member):
        return left == right
    return left is right or (type(left) is type(right) and isinstance(left, bool | int | str) and left == right)


def contains(container: Value, item: Value) -> bool:
    """`item in container`. Raises Unknown."""
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    if isinstance(container, dict | set | frozenset) and isinstance(item, Member) and item in container:
        return True
    if isinstance(container, tuple | list | dict | set | frozenset | range):
        return any(equal(one, item) for one in container)
    raise Unknown("asks for membership in what is not known")


def key_in(of: Value, key: Value) -> Value:
    """The key of a dict that `key` is equal to: a member of an enum of texts finds what is under its text."""
    if not isinstance(of, dict) or not isinstance(key, Member) or key in of:
        return key
    return next((one for one in of if equal(one, key)), key)


def _is_own(value: Value) -> bool:
    return value is None or isinstance(value, (*_NUMBERS, str, bytes, tuple, list, dict, set, frozenset, range))


def _bounded(sign: ast.operator, left: Value, right: Value) -> None:
    """Raise Unknown for an operation that would take long or much memory."""
    match sign:
        case ast.Pow() | ast.LShift() if isinstance(left, int) and isinstance(right, int):
            grown = left.bit_length() * right if isinstance(sign, ast.Pow) else left.bit_length() + right
            too_much = grown > _MOST_BITS
        case ast.Mult() if not (isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS)):
            sequence, times = (right, left) if isinstance(left, int) else (left, right)
            too_much = not hasattr(sequence, "__len__") or not isinstance(times, int)
            too_much = too_much or len(sequence) * times > MOST_ITEMS
        case ast.Mult() if isinstance(left, int) and isinstance(right, int):
            too_much = left.bit_length() + right.bit_length() > _MOST_BITS
        case ast.Add() if hasattr(left, "__len__") and hasattr(right, "__len__"):
            too_much = len(left) + len(right) > max(MOST_ITEMS, MOST_TEXT)
        case _:
            too_much = False
    if too_much:
        raise Unknown("an operator makes too much")
