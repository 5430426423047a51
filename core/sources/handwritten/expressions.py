# SPDX-License-Identifier: Apache-2.0
"""Evaluate expressions from their syntax trees."""

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.sources.handwritten import known
from core.sources.handwritten.calls import Calls
from core.sources.handwritten.imports import Imported
from core.sources.handwritten.interfaces import Imports, Runs
from core.sources.handwritten.methods import elements, has_method
from core.sources.handwritten.objects import Objects
from core.sources.handwritten.operations import binary, compare, truth, unary
from core.sources.handwritten.texts import limited, shown, text
from core.sources.handwritten.values import (
    MOST_ITEMS,
    Class,
    External,
    Function,
    Instance,
    Mark,
    Member,
    Method,
    ModuleScope,
    Opaque,
    Scope,
    Unknown,
    Value,
)


class Expressions:
    """Evaluates expressions; raises Unknown with the reason."""

    statements: Runs
    """Set by the code that creates both."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports
        self.steps = 0
        """How many expressions may still be evaluated."""
        self.unsure: dict[int, Value] = {}
        """Collections that unknown code may have changed, by identity."""
        self._objects = Objects(self)
        self._calls = Calls(self)
        self._handlers: Mapping[type[ast.expr], Callable[[Any, Scope], Value]] = {
            ast.Constant: lambda node, scope: node.value,
            ast.Name: lambda node, scope: self.name(node.id, scope),
            ast.Attribute: lambda node, scope: self.attribute(self.evaluate(node.value, scope), node.attr),
            ast.List: lambda node, scope: self._members(node.elts, scope),
            ast.Tuple: lambda node, scope: tuple(self._members(node.elts, scope)),
            ast.Set: lambda node, scope: self._set(self._members(node.elts, scope)),
            ast.Dict: self._dictionary,
            ast.ListComp: lambda node, scope: self._comprehension(node, scope),
            ast.GeneratorExp: lambda node, scope: self._comprehension(node, scope),
            ast.SetComp: lambda node, scope: self._set(self._comprehension(node, scope)),
            ast.DictComp: self._dict_comprehension,
            ast.IfExp: self._if_expression,
            ast.BoolOp: self._bool_operation,
            ast.UnaryOp: lambda node, scope: unary(node.op, self.evaluate(node.operand, scope)),
            ast.BinOp: self._binary_operation,
            ast.Compare: self._comparison,
            ast.JoinedStr: self._f_string,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Lambda: lambda node, scope: self.statements.function(node, scope),
            ast.Call: self._calls.call_node,
        }

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`. Raises Unknown."""
        self.steps -= 1
        if self.steps < 0:
            raise Unknown("takes too many steps to evaluate")
        handler = self._handlers.get(type(node))
        if handler is None:
            raise Unknown(f"not evaluated: {type(node).__name__} in line {node.lineno}")
        return handler(node, scope)

    def soft(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`, or an Opaque with the reason."""
        try:
            return self.evaluate(node, scope)
        except Unknown as error:
            return Opaque(str(error))

    def name(self, id: str, scope: Scope) -> Value:
        """The value of a name in `scope`. Raises Unknown."""
        at: Scope | None = scope
        while at is not None and at.names is not scope.module.names:
            if id in at.names:
                return self.sure(at.names[id], scope.module)
            at = at.outer
        return self.global_name(scope.module, id)

    def global_name(self, module: ModuleScope, id: str) -> Value:
        """The value of a global name in `module`. Raises Unknown."""
        if id in module.names:
            return self.sure(module.names[id], module)
        for star in module.names.get("*", ()):
            found = self._imports.imported(module, Imported(star.level, star.module))
            if not isinstance(found, ModuleScope):
                raise Unknown(f"{id} may come from {star.module}")
            if id in found.names:
                return self.global_name(found, id)
        if hasattr(builtins, id):
            return External(f"builtins.{id}")
        raise Unknown(f"{module.path} does not bind {id}")

    def module_named(self, name: str) -> Value:
        """The result of importing `name`. Raises Unknown."""
        return self._imports.imported(ModuleScope("", ""), Imported(0, name))

    def sure(self, value: Value, module: ModuleScope) -> Value:
        """`value`, looked up if it is imported. Raises Unknown if unknown code may have changed it."""
        if isinstance(value, Imported):
            return self._imports.imported(module, value)
        if id(value) in self.unsure:
            raise Unknown("a collection is given to code that is not followed")
        return value

    def doubt(self, value: Value) -> None:
        """Mark the content of `value`, if it is a collection, as unknown from here on."""
        if isinstance(value, list | dict | set):
            self.unsure[id(value)] = value
        elif isinstance(value, Instance):
            for one in value.fields.values():
                self.doubt(one)

    def attribute(self, of: Value, name: str) -> Value:
        """`of.name`. Raises Unknown."""
        match of:
            case External(name="pytest.mark"):
                return Mark(name)
            case External():
                return known.constant(External(f"{of.name}.{name}"))
            case ModuleScope():
                return self._imports.module_attribute(of.path, name)
            case Class() | Instance() | Member():
                return self._objects.attribute(of, name)
            case Function() if name in ("__name__", "__qualname__"):
                return of.name
            case slice() if name in ("start", "stop", "step"):
                return getattr(of, name)
            case Opaque(nameless=True) if (method := known.tensor_method(name)) is not None:
                return method
            case Opaque():
                raise Unknown(of.reason)
        if has_method(of, name):
            return Method(of, name)
        raise Unknown(f"the attribute {name} is not known")

    def call_named(self, of: Value, name: str) -> Value:
        """The result of the method `name` of an instance or a member; None: its class does not define it."""
        if not self._objects.has_own(of, name):
            return None
        return self._calls.call(self.attribute(of, name), [], {})

    def text(self, value: Value) -> str:
        """`str(value)`. Raises Unknown."""
        return text(value, self.call_named)

    def shown(self, value: Value) -> str:
        """`repr(value)`. Raises Unknown."""
        return shown(value, self.call_named)

    def elements(self, value: Value) -> list[Value]:
        """The elements of an iteration over `value`. Raises Unknown."""
        return self._objects.members(value) if isinstance(value, Class) else elements(value)

    def call(self, callee: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling `callee`. Raises Unknown."""
        return self._calls.call(callee, args, kwargs)

    def make(self, of: Class, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling a class. Raises Unknown."""
        return self._objects.make(of, args, kwargs)

    def run(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of running a function. Raises Unknown."""
        return self.statements.run_function(function, args, kwargs)

    def _members(self, nodes: list[ast.expr], scope: Scope) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.elements(self.evaluate(node.value, scope))
            else:
                found.append(self.soft(node, scope))
        return found

    def _set(self, found: list[Value]) -> set[Value]:
        if any(isinstance(one, Opaque) for one in found):
            raise Unknown("a set with a member that is not known")
        try:
            return set(found)
        except TypeError as error:
            raise Unknown(str(error)) from None

    def _dictionary(self, node: ast.Dict, scope: Scope) -> dict[Value, Value]:
        found: dict[Value, Value] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                more = self.evaluate(value, scope)
                if not isinstance(more, dict):
                    raise Unknown("unpacks what is no dict")
                found |= more
            else:
                self._put(found, self.evaluate(key, scope), self.soft(value, scope))
        return found

    def _put(self, found: dict[Value, Value], key: Value, value: Value) -> None:
        if isinstance(key, Opaque):
            raise Unknown(key.reason)
        try:
            found[key] = value
        except TypeError as error:
            raise Unknown(str(error)) from None

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> list[Value]:
        found: list[Value] = []
        for inner in self._rounds(node.generators, scope):
            found.append(self.soft(node.elt, inner))
            if len(found) > MOST_ITEMS:
                raise Unknown("makes too many members")
        return found

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> dict[Value, Value]:
        found: dict[Value, Value] = {}
        for inner in self._rounds(node.generators, scope):
            self._put(found, self.evaluate(node.key, inner), self.soft(node.value, inner))
        return found

    def _rounds(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        if not generators:
            yield scope
            return
        first, *rest = generators
        if first.is_async:
            raise Unknown("iterates asynchronously")
        for value in self.elements(self.evaluate(first.iter, scope)):
            inner = Scope(scope.module, {}, scope, [])
            self.statements.assign(first.target, value, inner)
            if all(truth(self.evaluate(test, inner)) for test in first.ifs):
                yield from self._rounds(rest, inner)

    def _if_expression(self, node: ast.IfExp, scope: Scope) -> Value:
        return self.evaluate(node.body if truth(self.evaluate(node.test, scope)) else node.orelse, scope)

    def _bool_operation(self, node: ast.BoolOp, scope: Scope) -> Value:
        value: Value = None
        for one in node.values:
            value = self.evaluate(one, scope)
            if truth(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _binary_operation(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return self._percent(left, right)
        return binary(node.op, left, right)

    def _percent(self, form: str, values: Value) -> str:
        given = values if isinstance(values, tuple) else (values,)
        parts = form.split("%s")
        if len(parts) != len(given) + 1 or any("%" in part for part in parts):
            raise Unknown("formats a text with %")
        return limited("".join(f"{part}{self.text(one)}" for part, one in zip(parts, (*given, ""), strict=True)))

    def _comparison(self, node: ast.Compare, scope: Scope) -> bool:
        left = self.evaluate(node.left, scope)
        for sign, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator, scope)
            if not compare(sign, left, right):
                return False
            left = right
        return True

    def _f_string(self, node: ast.JoinedStr, scope: Scope) -> str:
        return limited("".join(self._f_part(part, scope) for part in node.values))

    def _f_part(self, node: ast.expr, scope: Scope) -> str:
        if not isinstance(node, ast.FormattedValue):
            return self.text(self.evaluate(node, scope))
        value = self.evaluate(node.value, scope)
        made = self.shown(value) if node.conversion == ord("r") else None
        form = self.text(self.evaluate(node.format_spec, scope)) if node.format_spec else ""
        if not form:
            return self.text(value) if made is None else made
        if not isinstance(value, int | float | str) or sum(map(str.isdigit, form)) > 3:
            raise Unknown("formats what is not known")
        try:
            return format(value if made is None else made, form)
        except (ValueError, OverflowError) as error:
            raise Unknown(f"formatting fails: {error}") from None

    def _slice(self, node: ast.Slice, scope: Scope) -> slice:
        parts = [None if one is None else self.evaluate(one, scope) for one in (node.lower, node.upper, node.step)]
        return slice(*parts)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        of, key = self.evaluate(node.value, scope), self.evaluate(node.slice, scope)
        if isinstance(of, Class) and of.is_enum and isinstance(key, str):
            return self._objects.attribute(of, key)
        if not isinstance(of, str | tuple | list | dict | range):
            raise Unknown("takes a part of what is not known")
        try:
            found = of[key]
        except (TypeError, LookupError, ValueError) as error:
            raise Unknown(f"there is no such part: {error}") from None
        if isinstance(found, Opaque):
            raise Unknown(found.reason)
        return self.sure(found, scope.module)
