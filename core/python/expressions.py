# SPDX-License-Identifier: Apache-2.0
"""Evaluate expressions from their syntax trees."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.python import known
from core.python.calls import Calls
from core.python.interfaces import Imports, Runs
from core.python.methods import elements, has_method
from core.python.objects import Objects
from core.python.operations import binary, compare, failed, key_in, part_failed, truth, unary
from core.python.resolver import Imported
from core.python.texts import limited, shown, text
from core.python.values import (
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
    Raises,
    Scope,
    Super,
    Unknown,
    Value,
    is_plain,
)

_BINDING = re.compile(r"(?<![\w.])(?:globals|exec|eval|vars|setattr)\s*\(|\b(?:__dict__|sys\.modules|builtins)\b")
"""Code by which a module may have names that no statement binds; `model.eval()` is none."""
_NEWER = frozenset({"PythonFinalizationError", "_IncompleteInputError"})
"""Built-in names of versions of Python after ours."""


_NOTHING = object()


class NameMissing(Raises):
    """No statement binds a name."""


def may_bind(module: ModuleScope, name: str) -> bool:
    """Whether a module may have a name that no statement at its top level binds."""
    if name.startswith("__") or name in _NEWER or _BINDING.search(module.source):
        return True
    word = re.escape(name)
    return re.search(rf"\bglobal\b[^\n]{{0,200}}\b{word}\b|\b{word}\s*:=", module.source) is not None


class Expressions:
    """Evaluates expressions; raises Unknown with the reason."""

    statements: Runs
    """Set by the code that creates both."""

    def __init__(self, imports: Imports, *, lenient: bool = False) -> None:
        self._imports = imports
        self.lenient = lenient
        """Whether what raises is only unknown, and code that is not followed changes nothing."""
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
            ast.NamedExpr: self._named_expression,
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
        try:
            return handler(node, scope)
        except Raises as error:
            raise error.at(scope.module.path, node.lineno) from None

    def soft(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`, or an Opaque with the reason. Raises only Raises."""
        try:
            return self.evaluate(node, scope)
        except Unknown as error:
            if isinstance(error, Raises) and not self.lenient:
                raise
            return Opaque(str(error))

    def name(self, id: str, scope: Scope) -> Value:
        """The value of a name in `scope`. Raises Unknown."""
        at: Scope | None = scope
        while at is not None and at.names is not scope.module.names:
            if id in at.names and (at is scope or not at.is_class_body):
                return self.sure(at.names[id], scope.module)
            at = at.outer
        return self.global_name(scope.module, id)

    def known(self, value: Value) -> Value:
        """`value`. Raises Unknown if it is an Opaque."""
        if isinstance(value, Opaque):
            raise Unknown(value.reason)
        return value

    def check_name(self, node: ast.Name, scope: Scope) -> None:
        """Raises if nothing binds the name; what it is bound to is not looked up."""
        at: Scope | None = scope
        while at is not None:
            if node.id in at.names and (at is scope or not at.is_class_body):
                return
            at = at.outer
        module = scope.module
        if self.lenient:
            return
        if {node.id, "*"}.isdisjoint(module.names) and not hasattr(builtins, node.id) and not may_bind(module, node.id):
            raise NameMissing("NameError", f"name {node.id!r} is not defined", module.path, node.lineno)

    def global_name(self, module: ModuleScope, id: str) -> Value:
        """The value of a global name in `module`. Raises Unknown."""
        found = self._bound(module, id, set())
        if found is not _NOTHING:
            return found
        if hasattr(builtins, id):
            return External(f"builtins.{id}")
        if self.lenient or may_bind(module, id):
            raise Unknown(f"{module.path} does not bind {id}")
        raise NameMissing("NameError", f"name {id!r} is not defined")

    def _bound(self, module: ModuleScope, id: str, seen: set[str]) -> Value:
        """What the module binds, itself or by a star import; `_NOTHING` if it does not. Raises Unknown."""
        if id in module.names:
            return self.sure(module.names[id], module)
        seen.add(module.path)
        for star in module.names.get("*", ()):
            source = self._imports.imported(module, star._replace(name=""))
            if not isinstance(source, ModuleScope):
                raise Unknown(f"{id} may come from {star.module}")
            if source.path not in seen and (found := self._bound(source, id, seen)) is not _NOTHING:
                return found
        return _NOTHING

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
        if self.lenient:
            return
        if isinstance(value, list | dict | set):
            self.unsure[id(value)] = value
        elif isinstance(value, Class):
            value.doubt = "it is given to code that is not followed"
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
            case Class() | Instance() | Member() | Super():
                return self._objects.attribute(of, name)
            case Opaque(nameless=True) if (method := known.tensor_method(name)) is not None:
                return method
            case Opaque():
                raise Unknown(of.reason)
        return _native(of, name)

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
            raise failed(error, key) from None

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
            inner = Scope(scope.module, {}, scope, [], is_comprehension=True)
            self.statements.assign(first.target, value, inner)
            if all(truth(self.evaluate(test, inner)) for test in first.ifs):
                yield from self._rounds(rest, inner)

    def _named_expression(self, node: ast.NamedExpr, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        at = scope
        while at.is_comprehension and at.outer is not None:
            at = at.outer
        self.statements.assign(node.target, value, at)
        return value

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
            return self._objects.named_member(of, key)
        if not isinstance(of, str | tuple | list | dict | range):
            raise Unknown("takes a part of what is not known")
        try:
            found = of[key_in(of, key)]
        except (TypeError, LookupError, ValueError) as error:
            raise part_failed(error, of, key) from None
        if isinstance(found, Opaque):
            raise Unknown(found.reason)
        return self.sure(found, scope.module)


def _native(of: Value, name: str) -> Value:
    """A method of a value that is itself, or a part of a function or a slice. Raises Unknown."""
    if isinstance(of, Function) and name in ("__name__", "__qualname__"):
        return of.name
    if isinstance(of, slice) and name in ("start", "stop", "step"):
        return getattr(of, name)
    if has_method(of, name):
        return Method(of, name)
    if is_plain(of) and not hasattr(of, name):
        raise Raises("AttributeError", f"{type(of).__name__!r} object has no attribute {name!r}")
    raise Unknown(f"the attribute {name} is not known")
