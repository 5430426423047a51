# SPDX-License-Identifier: Apache-2.0
"""Run the statements of a small function on known values: assignments, branches and return."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.sources.evaluator.values import Dictionary, Record, Scope, TextMethod, Unknown, Value, text, truth
from core.text import elide_middle, one_line

Evaluate = Callable[[ast.expr, Scope], Value]

_SHOWN = 60
"""Columns of source that a reason quotes at most."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The value of a `return`."""

    value: Value


def bind(function: ast.FunctionDef, given: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a call by parameter name, without those that keep their default."""
    positional_only = [one.arg for one in function.args.posonlyargs]
    parameters = positional_only + [one.arg for one in function.args.args]
    by_name = {*parameters[len(given) :], *_keyword_only(function)}.difference(positional_only)
    if len(given) > len(parameters) or not set(named) <= by_name:
        raise Unknown(f"calls {function.name} with arguments it has no parameters for")
    return {**dict(zip(parameters, given, strict=False)), **named}


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The default of each parameter that has one."""
    parameters = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    positional = function.args.defaults
    found = dict(zip(parameters[len(parameters) - len(positional) :], positional, strict=True))
    keyword_only = zip(_keyword_only(function), function.args.kw_defaults, strict=True)
    return found | {name: value for name, value in keyword_only if value is not None}


def run(body: Sequence[ast.stmt], scope: Scope, evaluate: Evaluate) -> Returned | Scope:
    """The value that `body` returns, or its scope if it runs to its end.

    Raises Unknown with the place of the statement that cannot be followed.
    """
    for node in body:
        try:
            done = _step(node, scope, evaluate)
        except Unknown as error:
            raise error.at(f"{scope.path}:{node.lineno}") from None
        if isinstance(done, Returned):
            return done
        scope = done
    return scope


def _step(node: ast.stmt, scope: Scope, evaluate: Evaluate) -> Returned | Scope:
    match node:
        case ast.Return(value=value):
            return Returned(None if value is None else evaluate(value, scope))
        case ast.If(test=test):
            return run(node.body if truth(evaluate(test, scope)) else node.orelse, scope, evaluate)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return _assigned(scope, name, evaluate(value, scope))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return _assigned(scope, name, evaluate(value, scope))
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return scope
    raise not_followed(node)


def not_followed(node: ast.stmt | ast.expr) -> Unknown:
    """The reason to give for a construct that is not evaluated."""
    return Unknown(f"not evaluated: {elide_middle(one_line(ast.unparse(node)), _SHOWN)}")


def _assigned(scope: Scope, name: str, value: Value) -> Scope:
    return replace(scope, names={**(scope.names or {}), name: value})


def _keyword_only(function: ast.FunctionDef) -> list[str]:
    return [one.arg for one in function.args.kwonlyargs]


TEXT_METHODS: Mapping[str, Callable[..., str | bool]] = {
    "lower": str.lower,
    "upper": str.upper,
    "startswith": str.startswith,
    "endswith": str.endswith,
}


def call_external(name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """The result of the function called `name`, for example `builtins.any`. Raises Unknown for any other."""
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
    """The result of a method of a text, with texts as arguments."""
    try:
        return TEXT_METHODS[method.name](method.of, *(text(one) for one in given))
    except TypeError as error:
        raise Unknown(f"calls {method.name} with the wrong arguments") from error


def elements(value: Value) -> tuple[Value, ...]:
    """The elements of an iteration over `value`."""
    if isinstance(value, Dictionary):
        return tuple(key for key, _ in value.items)
    if isinstance(value, tuple):
        return value
    raise Unknown("iterates over what is not a collection")
