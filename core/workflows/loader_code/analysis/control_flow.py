# SPDX-License-Identifier: Apache-2.0
"""What the variables of `for x in ...` mean, in loops and comprehensions alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import libcst as cst

from core.workflows.loader_code.analysis.code import constant, dotted
from core.workflows.loader_code.analysis.frames import Followed, Frame, Path, mentions

Key: TypeAlias = str | int | None
Keys: TypeAlias = Mapping[str, Key]
"""Loop variables that hold the key or index of the followed value."""
_ELSEWHERE = "\0"
"""A key under which nothing is found."""


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
        """Loop variables that hold `key` of `container`; None if unknown."""
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
    """What is iterated over, and how: its elements, keys, values, items, indexes, or numbered elements."""
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
    """The value of the first loop variable in one round, if it is a literal."""
    if names > 1 and isinstance(element, cst.Tuple | cst.List) and element.elements:
        element = element.elements[0].value
    return constant(element)


_VARIANT = frozenset({"self._variant", "self.variant", "variant"})
_EQUALITY = (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot)
_TENSOR_TESTS = frozenset({"is_tensor", "isinstance", "hasattr"})
_FLOAT_TEST = "is_floating_point"


class Conditions:
    """What is known of one followed tensor: its names, and the names that hold its key."""

    def __init__(self, frame: Frame, keys: Mapping[str, str | int | None], names: frozenset[str]) -> None:
        self.frame = frame
        self.keys = keys
        self.names = names | frozenset(keys)

    def holds(self, test: cst.BaseExpression) -> bool | None:
        """Whether the test is true for the followed tensor; None: unknown."""
        match test:
            case cst.UnaryOperation(operator=cst.Not(), expression=inner):
                found = self.holds(inner)
                return None if found is None else not found
            case cst.BooleanOperation(left=left, operator=operator, right=right):
                return _both(isinstance(operator, cst.And), self.holds(left), self.holds(right))
            case cst.Comparison(left=left, comparisons=[one]):
                return self._compared(left, one.operator, one.comparator)
            case cst.Name(value=name):
                return True if name in self.frame.aware else None
            case cst.Call() | cst.Attribute():
                return self._tensor_test(test)
        return None

    def _compared(self, left: cst.BaseExpression, operator: cst.CSTNode, right: cst.BaseExpression) -> bool | None:
        if dotted(right) == "None" and dotted(left) in self.frame.aware:
            return {cst.IsNot: True, cst.NotEqual: True, cst.Is: False, cst.Equal: False}.get(type(operator))
        if self.frame.variant and dotted(left) in _VARIANT:
            return _is_variant(self.frame.variant, operator, right)
        if isinstance(operator, cst.In) and constant(left) is not None and mentions(right, self.names):
            return True  # The followed value was found under its key.
        if isinstance(left, cst.Name) and left.value in self.keys:
            return _among(self.keys[left.value], operator, right)
        if isinstance(left, cst.Attribute) and left.attr.value == "dtype" and mentions(left, self.names):
            return self._floats if _names_float(operator, right) else None
        return None

    def _tensor_test(self, test: cst.BaseExpression) -> bool | None:
        """Tests that ask whether the followed value is a (floating-point) tensor."""
        called = test.func if isinstance(test, cst.Call) else test
        name = called.attr.value if isinstance(called, cst.Attribute) else dotted(called)
        if not mentions(test, self.names):
            return None
        if name == _FLOAT_TEST:
            return self._floats
        return self.frame.followed is not Followed.NO_TENSOR if name in _TENSOR_TESTS else None

    @property
    def _floats(self) -> bool:
        return self.frame.followed is Followed.FLOATS


def _is_variant(variant: str, operator: cst.CSTNode, right: cst.BaseExpression) -> bool | None:
    """Compare with one member of the enum, or with a literal list, set or tuple of several."""
    if isinstance(right, cst.List | cst.Tuple | cst.Set):
        named = [dotted(one.value) for one in right.elements]
    else:
        named = [dotted(right)] if isinstance(operator, _EQUALITY) else [""]
    if not all("." in name for name in named):
        return None
    among = variant in {name.rpartition(".")[2] for name in named}
    return among is isinstance(operator, cst.Equal | cst.Is | cst.In)


def _both(conjunction: bool, left: bool | None, right: bool | None) -> bool | None:
    """And, or or, over three values."""
    decisive = not conjunction
    if left is decisive or right is decisive:
        return decisive
    return None if left is None or right is None else conjunction


def _among(key: str | int | None, operator: cst.CSTNode, right: cst.BaseExpression) -> bool | None:
    if key is None:
        return None
    if isinstance(operator, cst.Equal | cst.NotEqual):
        value = constant(right)
        return None if value is None else (value == key) is isinstance(operator, cst.Equal)
    if isinstance(operator, cst.In | cst.NotIn) and isinstance(right, cst.List | cst.Tuple | cst.Set):
        values = [constant(one.value) for one in right.elements]
        return None if None in values else (key in values) is isinstance(operator, cst.In)
    return None


def _names_float(operator: cst.CSTNode, right: cst.BaseExpression) -> bool:
    """Whether a dtype is compared with float32, or against several of which it is one."""
    return isinstance(operator, cst.Equal | cst.In) and "torch.float32" in cst.Module([]).code_for_node(right)
