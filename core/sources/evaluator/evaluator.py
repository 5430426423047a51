# SPDX-License-Identifier: Apache-2.0
"""Evaluate the expressions of a loader from its syntax tree; nothing of the loader is executed."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from core.sources.evaluator.namespace import Bound
from core.sources.evaluator.objects import Objects
from core.sources.evaluator.statements import (
    Returned,
    bind,
    call_external,
    call_text_method,
    defaults,
    elements,
    not_followed,
    run,
)
from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import (
    Dictionary,
    External,
    Get,
    Lazy,
    Method,
    Scope,
    Super,
    TextMethod,
    TreeClass,
    Unknown,
    Value,
    contains,
    equal,
    find,
    limited,
    same,
    text,
    truth,
)

_MAX_STEPS = 20_000
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Value, Value], bool]] = {
    ast.Eq: equal,
    ast.NotEq: lambda left, right: not equal(left, right),
    ast.Is: same,
    ast.IsNot: lambda left, right: not same(left, right),
    ast.In: lambda left, right: contains(right, left),
    ast.NotIn: lambda left, right: not contains(right, left),
}


class Evaluator:
    """Evaluates expressions and class methods of `tree`; raises Unknown with the reason if that is not possible.

    Endless recursion in the source raises RecursionError, as it would when run.
    """

    def __init__(self, tree: TreeNames) -> None:
        self._tree = tree
        self._steps = 0
        self._objects = Objects(tree, self._evaluate)
        self._expressions: Mapping[type[ast.expr], Callable[[Any, Scope], Value]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: lambda node, scope: self._objects.attribute(self._evaluate(node.value, scope), node.attr),
            ast.List: self._display,
            ast.Tuple: self._display,
            ast.Set: self._display,
            ast.Dict: self._dictionary,
            ast.GeneratorExp: self._comprehension,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.IfExp: self._if_expression,
            ast.BoolOp: self._bool_operation,
            ast.UnaryOp: self._unary_operation,
            ast.BinOp: self._binary_operation,
            ast.Compare: self._comparison,
            ast.JoinedStr: self._f_string,
            ast.Subscript: self._subscript,
            ast.Call: self._call,
        }

    def call_method(self, of: TreeClass, name: str, *given: Value) -> Value:
        """The result of the class method `name` of `of` for the arguments `given`."""
        method = self.attribute(of, name)
        if not isinstance(method, Method):
            raise Unknown(f"{name} is not a class method")
        return self._invoke(method, list(given), {})

    def forget(self) -> None:
        """Clear the caches; values that were returned stay valid."""
        self._tree.forget()
        self._objects.forget()

    def attribute(self, of: Value, name: str) -> Value:
        """`of.name`."""
        self._steps = 0
        return self._objects.attribute(of, name)

    def _evaluate(self, node: ast.expr, scope: Scope) -> Value:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise Unknown("takes too many steps to evaluate")
        handler = self._expressions.get(type(node))
        if handler is None:
            raise not_followed(node)
        return handler(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Value:
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return node.value
        raise not_followed(node)

    def _name(self, node: ast.Name, scope: Scope) -> Value:
        if scope.names is not None:
            if node.id in scope.names:
                return scope.names[node.id]
        elif scope.owner and (bound := scope.owner.source.names.get(node.id)) and _stands_before(bound, node):
            return self._objects.class_attribute(scope.owner, scope.owner, bound, node.id)
        found = self._tree.lookup(scope.path, node.id)
        return self._objects.force(found)

    def _display(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
        return tuple(self._evaluate(one, scope) for one in node.elts)

    def _dictionary(self, node: ast.Dict, scope: Scope) -> Value:
        items: list[tuple[Value, Lazy]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise not_followed(node)
            items.append((self._evaluate(key, scope), Lazy(value, scope)))
        return Dictionary(tuple(items))

    def _comprehension(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp, scope: Scope) -> Value:
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=source, ifs=tests, is_async=0)]:
                found: list[Value] = []
                for item in elements(self._evaluate(source, scope)):
                    inner = replace(scope, names={**(scope.names or {}), name: item})
                    if all(truth(self._evaluate(test, inner)) for test in tests):
                        found.append(self._evaluate(node.elt, inner))
                return tuple(found)
        raise not_followed(node)

    def _if_expression(self, node: ast.IfExp, scope: Scope) -> Value:
        return self._evaluate(node.body if truth(self._evaluate(node.test, scope)) else node.orelse, scope)

    def _bool_operation(self, node: ast.BoolOp, scope: Scope) -> Value:
        decisive = isinstance(node.op, ast.Or)
        for part in node.values[:-1]:
            value = self._evaluate(part, scope)
            if truth(value) is decisive:
                return value
        return self._evaluate(node.values[-1], scope)

    def _unary_operation(self, node: ast.UnaryOp, scope: Scope) -> Value:
        value = self._evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return not truth(value)
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return -value
        raise not_followed(node)

    def _binary_operation(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self._evaluate(node.left, scope), self._evaluate(node.right, scope)
        if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
            return limited(left + right)
        raise not_followed(node)

    def _comparison(self, node: ast.Compare, scope: Scope) -> Value:
        left = self._evaluate(node.left, scope)
        for operator, operand in zip(node.ops, node.comparators, strict=True):
            right = self._evaluate(operand, scope)
            if type(operator) not in _COMPARISONS:
                raise not_followed(node)
            if not _COMPARISONS[type(operator)](left, right):
                return False
            left = right
        return True

    def _f_string(self, node: ast.JoinedStr, scope: Scope) -> Value:
        parts: list[str] = []
        for part in node.values:
            match part:
                case ast.Constant(value=str(literal)):
                    parts.append(literal)
                case ast.FormattedValue(value=value, conversion=-1 | 115, format_spec=None):
                    parts.append(text(self._evaluate(value, scope)))
                case _:
                    raise not_followed(node)
        return limited("".join(parts))

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        match self._evaluate(node.value, scope), self._evaluate(node.slice, scope):
            case Dictionary() as mapping, key:
                if (found := find(mapping, key)) is not None:
                    return self._objects.force(found)
                raise Unknown(f"{ast.unparse(node.value)} has no such key")
            case tuple(items), int(index) if -len(items) <= index < len(items):
                return items[index]
        raise not_followed(node)

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        called = self._evaluate(node.func, scope)
        keywords = {one.arg: one.value for one in node.keywords if one.arg}
        if len(keywords) < len(node.keywords):
            raise not_followed(node)
        if isinstance(called, TreeClass):
            lazy = {name: Lazy(value, scope) for name, value in keywords.items()}
            return self._objects.record(called, [Lazy(one, scope) for one in node.args], lazy)
        if called == External("builtins.super") and scope.owner and scope.receiver and not node.args:
            return Super(scope.owner, scope.receiver)
        given = [self._evaluate(one, scope) for one in node.args]
        named = {name: self._evaluate(value, scope) for name, value in keywords.items()}
        return self._apply(called, given, named)

    def _apply(self, called: Value, given: list[Value], named: dict[str, Value]) -> Value:
        match called:
            case Method():
                return self._invoke(called, given, named)
            case External(name=name):
                return call_external(name, given, named)
            case TextMethod() if not named:
                return call_text_method(called, given)
            case Get(of=mapping) if 1 <= len(given) <= 2 and not named:
                found = find(mapping, given[0])
                if found is None:
                    return given[1] if len(given) > 1 else None
                return self._objects.force(found)
        raise Unknown("calls what is not known here")

    def _invoke(self, method: Method, given: list[Value], named: dict[str, Value]) -> Value:
        function, owner = method.function, method.owner
        if any(isinstance(one, ast.Name) and one.id == "classmethod" for one in function.decorator_list):
            given = [method.receiver, *given]
        names = bind(function, given, named)
        body = Scope(owner.path, owner)
        names |= {name: self._evaluate(node, body) for name, node in defaults(function).items() if name not in names}
        done = run(function.body, Scope(owner.path, owner, names, method.receiver), self._evaluate)
        return done.value if isinstance(done, Returned) else None


def _stands_before(bound: Bound, node: ast.expr) -> bool:
    """Whether a class body has bound a name before `node`; else the module's name is used."""
    if not isinstance(bound, ast.expr):
        return True
    return (bound.end_lineno or 0, bound.end_col_offset or 0) <= (node.lineno, node.col_offset)
