# SPDX-License-Identifier: Apache-2.0
"""What the variables of `for x in ...` stand for, in loops and comprehensions alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from core.triage.loader_code.code import constant, dotted
from core.triage.loader_code.frames import Path

Key: TypeAlias = str | int | None
Keys: TypeAlias = Mapping[str, Key]
"""Loop variables that stand for the key or index of what is followed."""
_ELSEWHERE = "\0"
"""No key that anything is found under."""


@dataclass(frozen=True, slots=True)
class Walk:
    """One `for <target> in <iterable>`."""

    target: cst.BaseExpression
    iterable: cst.BaseExpression

    @property
    def names(self) -> frozenset[str]:
        """The loop variables."""
        return frozenset(name for name in _names(self.target) if name)

    def source(self, name: str, keys: Keys) -> "tuple[cst.BaseExpression, Path] | None":
        """Where the values of loop variable `name` come from: an expression, and the path from it."""
        over, kind = _unwrapped(self.iterable)
        if dotted(self.target) == name:
            return (over, (None,)) if kind in ("plain", "values") else None
        names = _names(self.target)
        if name not in names[1:] and kind != "zip":
            return None
        if kind in ("items", "enumerate"):
            return over, (keys.get(names[0]),)
        if kind == "zip" and name in names and isinstance(self.iterable, cst.Call):
            return self.iterable.args[names.index(name)].value, (None,)
        return (over, (None, names.index(name))) if kind == "plain" else None

    def keys_of(self, container: str, key: Key) -> Keys | None:
        """Loop variables that come to stand for `key` of `container`; None where that cannot be told."""
        over, kind = _unwrapped(self.iterable)
        names = _names(self.target)
        if dotted(over) == container and kind in ("plain", "keys", "items", "enumerate", "indexes"):
            return {names[0]: key}
        if kind == "plain" and isinstance(over, cst.List | cst.Tuple | cst.Set):
            literals = [_first(one.value, len(names)) for one in over.elements]
            return None if None in literals else {names[0]: key if key in literals else _ELSEWHERE}
        return None


@dataclass(frozen=True, slots=True)
class Bindings:
    """The variables of the comprehensions around an expression."""

    walks: tuple[Walk, ...] = ()
    keys: Keys = field(default_factory=dict)

    def source(self, name: str) -> "tuple[cst.BaseExpression, Path] | None":
        for walk in reversed(self.walks):
            if (found := walk.source(name, self.keys)) is not None:
                return found
        return None

    def within(self, comprehension: cst.CompFor, keys: Keys) -> "Bindings":
        """With the variables of `comprehension`, and what its keys are known to be."""
        walks = [*self.walks, Walk(comprehension.target, comprehension.iter)]
        inner = comprehension.inner_for_in
        while inner is not None:
            walks.append(Walk(inner.target, inner.iter))
            inner = inner.inner_for_in
        return Bindings(tuple(walks), {**self.keys, **keys})


def _unwrapped(iterable: cst.BaseExpression) -> tuple[cst.BaseExpression, str]:
    """What is walked over, and in which way: its elements, keys, values, items, indexes, or numbered elements."""
    match iterable:
        case cst.Call(func=cst.Name(value="list" | "tuple" | "sorted" | "reversed"), args=[one]):
            return _unwrapped(one.value)
        case cst.Call(func=cst.Name(value="enumerate"), args=[one, *_]):
            return one.value, "enumerate"
        case cst.Call(
            func=cst.Name(value="range"), args=[cst.Arg(value=cst.Call(func=cst.Name(value="len"), args=[one]))]
        ):
            return one.value, "indexes"
        case cst.Call(func=cst.Name(value="zip")):
            return iterable, "zip"
        case cst.Call(
            func=cst.Attribute(value=over, attr=cst.Name(value="items" | "keys" | "values" as kind)), args=[]
        ):
            return over, kind
    return iterable, "plain"


def _names(target: cst.BaseExpression) -> list[str]:
    if isinstance(target, cst.Tuple | cst.List):
        return [dotted(one.value) for one in target.elements]
    return [dotted(target)]


def _first(element: cst.BaseExpression, names: int) -> Key:
    """What the first loop variable is in one round, where it is a literal."""
    if names > 1 and isinstance(element, cst.Tuple | cst.List) and element.elements:
        element = element.elements[0].value
    return constant(element)
