# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of the checkout, and of known functions of pytest and the standard library."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.python import known
from core.python.interfaces import Evaluates
from core.python.methods import FUNCTIONS, call_method
from core.python.values import (
    Bound,
    Class,
    External,
    Fixture,
    FixtureMaker,
    Function,
    Instance,
    Mark,
    Member,
    Method,
    Opaque,
    Param,
    Partial,
    Raises,
    Scope,
    Super,
    Unknown,
    Value,
)

_BUILT_IN = ("str", "repr", "getattr", "hasattr", "isinstance", "map", "super", "type")
_SPECIAL = frozenset(f"builtins.{name}" for name in _BUILT_IN) | {
    "dataclasses.field",
    "dataclasses.replace",
    "functools.partial",
    "importlib.import_module",
}
_MOST_CALLS = 40
"""The largest depth of nested calls."""


class Calls:
    """Evaluates calls."""

    def __init__(self, expressions: Evaluates) -> None:
        self._expressions = expressions
        self._depth = 0

    def call_node(self, node: ast.Call, scope: Scope) -> Value:
        """The value of a call. Raises Unknown."""
        callee = self._expressions.evaluate(node.func, scope)
        if isinstance(callee, External) and callee.name == "builtins.super" and not node.args:
            return _super(scope)
        args: list[Value] = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                args += self._expressions.elements(self._expressions.evaluate(one.value, scope))
            else:
                args.append(self._expressions.soft(one, scope))
        kwargs: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self._expressions.soft(keyword.value, scope)
            if keyword.arg is not None:
                kwargs[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                kwargs |= value
            else:
                raise Unknown("unpacks what is not known")
        return self.call(callee, args, kwargs)

    def call(self, callee: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling `callee`. Raises Unknown; collections among the arguments are then unknown."""
        try:
            return self._call(callee, args, kwargs)
        except Raises:
            raise
        except Unknown:
            if not isinstance(callee, External | Class | Mark):
                for one in (*args, *kwargs.values()):
                    self._expressions.doubt(one)
            raise

    def _call(self, callee: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        match callee:
            case Function():
                return self._invoke(callee, args, kwargs)
            case Bound(function=function, receiver=receiver):
                return self._invoke(function, (receiver, *args), kwargs)
            case Method():
                return call_method(callee, args, kwargs)
            case Class():
                return self._expressions.make(callee, args, kwargs)
            case Mark():
                return _called_mark(callee, args, kwargs)
            case FixtureMaker(fixture=fixture) if len(args) == 1 and isinstance(args[0], Function):
                return replace(args[0], fixture=fixture)
            case Partial():
                return self.call(callee.of, (*callee.args, *args), {**callee.kwargs, **kwargs})
            case External():
                return self._external(callee, args, kwargs)
        raise Unknown("calls what is not known")

    def _invoke(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        if function.doubt:
            raise Unknown(function.doubt)
        if function.wrapper:
            raise Unknown(f"calls what {function.wrapper} decorates")
        if self._depth >= _MOST_CALLS:
            raise Unknown("calls nest too deeply")
        self._depth += 1
        try:
            return self._expressions.run(function, args, kwargs)
        finally:
            self._depth -= 1

    def _external(self, callee: External, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        name = callee.name
        if name.startswith("pytest."):
            return _pytest(name, args, kwargs)
        if name in _SPECIAL:
            return self._special(name, args, kwargs)
        if name in FUNCTIONS:
            return self._function(name, args, kwargs)
        if not known.leaves_alone(callee):
            for one in (*args, *kwargs.values()):
                self._expressions.doubt(one)
        return Opaque(f"calls {name}", known.nameless_result(callee), name)

    def _special(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """Functions that need the evaluator itself."""
        match name, args:
            case "builtins.str", [value] if not kwargs:
                return self._expressions.text(value)
            case "builtins.repr", [value]:
                return self._expressions.shown(value)
            case "functools.partial", [Function() | Bound() | Class() | Partial() as of, *rest]:
                return Partial(of, tuple(rest), kwargs)
            case "builtins.map", [function, values]:
                return [self.call(function, [one], {}) for one in self._expressions.elements(values)]
            case "importlib.import_module", [str() as module]:
                return self._expressions.module_named(module)
        if name.startswith("dataclasses."):
            return _of_dataclass(name, args, kwargs)
        return self._look(name, args)

    def _look(self, name: str, args: Sequence[Value]) -> Value:
        """Functions that look at an object."""
        match name, args:
            case "builtins.getattr", [value, str() as attribute, *default]:
                return self._attribute(value, attribute, default)
            case "builtins.hasattr", [value, str() as attribute]:
                return self._attribute(value, attribute, [_ABSENT]) is not _ABSENT
            case "builtins.isinstance", [value, kinds]:
                return any(_is_a(value, kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
            case "builtins.type", [value]:
                return type_of(value)
        return Opaque(f"calls {name}", name == "functools.partial", name)

    def _function(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        given = [self._expressions.elements(one) if isinstance(one, Class) else one for one in args]
        if any(isinstance(one, Opaque) for one in given):
            raise Unknown(next(one.reason for one in given if isinstance(one, Opaque)))
        try:
            return FUNCTIONS[name](*given, **kwargs)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise Unknown(f"{name.rpartition('.')[2]} fails: {error}") from None

    def _attribute(self, value: Value, name: str, default: Sequence[Value]) -> Value:
        """`getattr(value, name, *default)`. Raises Unknown."""
        try:
            return self._expressions.attribute(value, name)
        except Raises as error:
            if default and error.raised.exception == "AttributeError":
                return default[0]
            raise


_ABSENT = object()


def _of_dataclass(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    match name, args:
        case "dataclasses.field", [] if "default" in kwargs:
            return kwargs["default"]
        case "dataclasses.replace", [Instance() as instance] if instance.of.is_simple:
            return Instance(instance.of, {**instance.fields, **kwargs})
    return Opaque(f"calls {name}", called=name)


def _super(scope: Scope) -> Value:
    """`super()` in a method. Raises Unknown elsewhere."""
    at: Scope | None = scope
    while at is not None and at.yields is None:
        at = at.outer
    if at is None or at.owner is None or not isinstance(at.receiver, Class | Instance):
        raise Unknown("super() is not in a method")
    return Super(at.owner, at.receiver)


def type_of(value: Value) -> Value:
    """`type(value)`. Raises Unknown."""
    if isinstance(value, Member | Instance):
        return value.of
    if value is None or type(value) in _TYPES.values():
        return External(f"builtins.{type(value).__name__}")
    return Opaque("calls builtins.type", called="builtins.type")


_TYPES = {f"builtins.{kind.__name__}": kind for kind in (str, bytes, bool, int, float, tuple, list, dict, set)}


def _is_a(value: Value, kind: Value) -> bool:
    """`isinstance(value, kind)`. Raises Unknown."""
    if isinstance(kind, Class) and not isinstance(value, Opaque | External):
        return isinstance(value, Instance | Member) and kind in value.of.line()
    if isinstance(kind, External) and kind.name == "builtins.NoneType" and not isinstance(value, Opaque | External):
        return value is None
    if (
        isinstance(kind, External)
        and kind.name in _TYPES
        and not isinstance(value, Opaque | External | Instance | Member)
    ):
        return isinstance(value, _TYPES[kind.name])
    raise Unknown("asks for the type of what is not known")


def _called_mark(mark: Mark, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """As `MarkDecorator.__call__`: a mark called with a single function that is not a lambda decorates it."""
    if len(args) == 1 and not kwargs and isinstance(args[0], Function | Class) and args[0].name != "<lambda>":
        args[0].marks.append(mark)
        return args[0]
    return Mark(mark.name, (*mark.args, *args), {**mark.kwargs, **kwargs}, called=True)


def _pytest(name: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    match name:
        case "pytest.param":
            marks = kwargs.get("marks", ())
            return Param(tuple(args), tuple(marks) if isinstance(marks, tuple | list) else (marks,), kwargs.get("id"))
        case "pytest.fixture":
            return _fixture(args, kwargs)
        case "pytest.importorskip" if args and isinstance(args[0], str):
            return External(args[0])
    return Opaque(f"calls {name}", called=name)


def _fixture(args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    autouse = kwargs.get("autouse", False)
    name = kwargs.get("name")
    fixture = Fixture(
        name if isinstance(name, str) else "",
        kwargs.get("params"),
        kwargs.get("ids"),
        kwargs.get("scope", "function"),
        autouse is True,
    )
    if len(args) == 1 and isinstance(args[0], Function):
        return replace(args[0], fixture=fixture)
    return FixtureMaker(fixture)
