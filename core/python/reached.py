# SPDX-License-Identifier: Apache-2.0
"""The calls that functions reach, with what is known of their values. Nothing is run.

Where running code stops at a value that is not known, this goes on: both branches of an undecided condition count.
A function that is named is reached, with the arguments of the call; of a class that is named, the methods that reached
code names. Lookups by a text, as in a registry of decorators, are not found.
"""

import ast
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from core.python.operations import truth
from core.python.program import Program
from core.python.resolver import Imported
from core.python.statements import imports_of
from core.python.syntax import statements_below, statements_in
from core.python.values import (
    Bound,
    Class,
    External,
    Function,
    Instance,
    Member,
    ModuleScope,
    Opaque,
    Partial,
    Scope,
    Sets,
    Unknown,
    Value,
    is_plain,
)

_IMPLICIT = frozenset({"forward", "setup", "__call__", "__getitem__", "__iter__", "__next__", "__post_init__"})
"""Methods that are called without being named, such as those of torch and jax modules and of data sets."""
_MOST_ARGUMENTS = 6
"""How many different arguments of one function are followed; with more, its arguments are unknown."""
_MOST_VISITS = 4000
_MOST_STEPS = 2000
"""How many expressions are evaluated for one value."""
_MOST_NODES = 2**16
"""How many parts of syntax trees are cached if they are the same for all values: enough for the largest loader."""
_MOST_INSIDE = 200
"""How many members of a collection that is named are looked at for functions and classes."""
_UNKNOWN = Opaque("is only known when the code runs")
_GIVEN = Opaque("is given by a caller")
"""The value of an argument that is not known, other than that it is there: neither None nor a text."""

_SAMENESS = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Named = ast.Call | ast.Name | ast.Attribute


class ReachedCall(NamedTuple):
    """One call. Its arguments are evaluated when somebody asks."""

    node: ast.Call
    callee: Value
    """What is called; unknown where it could only be a method of a value that the function has made."""
    one_of_several: bool
    """Whether it is in a branch whose condition is unknown, so that only one of several branches runs."""
    path: str
    """The path of its file, relative to the root of the tree."""
    scope: Scope
    evaluate: Callable[[ast.expr, Scope], Value]

    @property
    def name(self) -> str:
        """The last part of the function's name, as written; empty: it is no name."""
        return last_name(self.node.func)

    def argument(self, position: int, name: str) -> Value:
        """The argument at a position or of a name; None also if the call has none."""
        node = self.node.args[position] if position < len(self.node.args) else self.keyword(name)
        return None if node is None else self.evaluate(node, self.scope)

    def argument_named(self, name: str) -> Value:
        """The argument of a name; None also if the call has none."""
        node = self.keyword(name)
        return None if node is None else self.evaluate(node, self.scope)

    def keyword(self, name: str) -> ast.expr | None:
        """The expression of a keyword argument."""
        return next((one.value for one in self.node.keywords if one.arg == name), None)


class _Local(NamedTuple):
    """What the body of a function binds."""

    assigned: Mapping[str, ast.expr]
    """The values of names that are assigned exactly once."""
    stored: frozenset[str]
    imports: Mapping[str, Imported]


class _Visit(NamedTuple):
    function: Function
    receiver: Value
    """The instance or class whose method it is; None: it is a function."""
    given: Mapping[str, Value]
    one_of_several: bool = False


class _Mention(NamedTuple):
    """The place where something is named; `call` is None if it is not called."""

    call: ast.Call | None
    scope: Scope
    one_of_several: bool = False


class CallGraph:
    """Follows calls of a program from the functions that are given to `start`."""

    def __init__(self, program: Program, looked_at: Collection[str]) -> None:
        """`looked_at` are the names of functions from outside of the tree that callers ask about."""
        self._program = program
        self._looked_at = looked_at
        self._waiting: deque[_Visit] = deque()
        self._seen: dict[int, set[object]] = {}
        self._contents: dict[int, Value] = {}
        """Collections whose members were reached, by identity."""
        self._entered: dict[int, Class] = {}
        self._methods: dict[str, list[Function]] = {}
        self._mentions: dict[str, list[_Mention]] = {}
        self._objects: dict[int, Instance] = {}
        """For each class the instance that is taken where nothing else is known of one."""

    def value(self, node: ast.expr | None, scope: Scope) -> Value:
        """The value of an expression, or an Opaque with the reason."""
        if node is None:
            return _UNKNOWN
        expressions = self._program.expressions
        before, expressions.steps = expressions.steps, _MOST_STEPS
        try:
            return expressions.evaluate(node, scope)
        except Unknown as error:
            return Opaque(str(error))
        except RecursionError:
            return Opaque("nests too deeply")
        finally:
            expressions.steps = before

    def instance(self, of: Class, known: Mapping[str, Value], given: Mapping[str, Value]) -> Instance:
        """The instance whose methods `start` begins with, made with the arguments `given`.

        `known` are attributes that its code need not show.
        """
        made = Instance(of, {})
        for one in _lineage(of):
            self._objects[id(one.node)] = made
        made.fields = _Fields({}, self, made)
        made.fields.update(known)
        holder = next((one for one in _lineage(of) if isinstance(one.names.get("__init__"), Function)), None)
        if holder is not None:
            with suppress(Unknown, RecursionError), self._program.budget(_MOST_STEPS):
                self._program.expressions.call(Bound(holder.names["__init__"], made), [], given)
        for name, value in known.items():
            if _is_unknown(made.fields.get(name, _UNKNOWN)):
                made.fields[name] = value
        for name in _sets(of).several:
            if name not in known:
                made.fields[name] = _UNKNOWN
        return made

    def start(self, function: Function, receiver: Value = None, given: Mapping[str, Value] | None = None) -> None:
        """Begin with a function. Parameters that are in `given` are as there; the others have their defaults."""
        asked = given or {}
        names = _parameters(function.node)
        found = {name: asked.get(name, function.defaults.get(name, _UNKNOWN)) for name in names}
        self._queue(_Visit(function, receiver, found))

    def enter(self, one: Class) -> None:
        """Reach a class that is named: from now on, its methods are reached where their names are mentioned."""
        if id(one.node) in self._entered:
            return
        self._entered[id(one.node)] = one
        for name, method in one.names.items():
            if not isinstance(method, Function):
                continue
            self._methods.setdefault(name, []).append(method)
            for mention in self._mentions.get(name, ()):
                self._visit(method, self._receiver(method), mention)
            if name in _IMPLICIT:
                self._visit(method, self._receiver(method), _Mention(None, method.scope))

    def _follow(self, body: Sequence[ast.stmt], scope: Scope, one_of_several: bool = False) -> Iterator[ReachedCall]:
        """The calls in statements; what they name is followed by `calls`."""
        called: set[int] = set()
        for node, several in self._live(body, scope, one_of_several):
            if isinstance(node, ast.Call):
                called.add(id(node.func))
                callee = self._callee(node.func, scope)
                yield ReachedCall(node, callee, several, scope.module.path, scope, self.value)
                mention = _Mention(node, scope, several)
                if not isinstance(callee, Opaque):
                    self._reach(callee, mention)
                elif isinstance(node.func, ast.Attribute):
                    self._mention(node.func.attr, mention)
            elif id(node) not in called:
                self._name(node, _Mention(None, scope, several))

    def module(self, module: ModuleScope) -> Iterator[ReachedCall]:
        """The calls in the statements of a module and of its classes; what they name is followed by `calls`."""
        tree, _ = self._program.trees[module.path]
        bodies = [tree.body, *(one.body for one in tree.body if isinstance(one, ast.ClassDef))]
        top = [one for body in bodies for one in body if not isinstance(one, Definition | ast.ClassDef)]
        return self._follow(top, Scope(module, module.names))

    def calls(self) -> Iterator[ReachedCall]:
        """The calls of everything that is reached; some of them repeatedly."""
        visits = 0
        while self._waiting and visits < _MOST_VISITS:
            visits += 1
            one = self._waiting.popleft()
            node = one.function.node
            if isinstance(node, Definition):
                yield from self._follow(node.body, self._scope(one), one.one_of_several)

    def _callee(self, node: ast.expr, scope: Scope) -> Value:
        """What a call calls. Nothing is evaluated for what is not asked about, and would be a method of an object."""
        of_tree = not isinstance(node, ast.Attribute) or node.attr in self._methods
        outside = not of_tree and (last_name(node) in self._looked_at or _is_local(node, scope))
        return _UNKNOWN if outside else self.value(node, scope)

    def _name(self, node: ast.Name | ast.Attribute, mention: _Mention) -> None:
        """Reach what is named without a call."""
        found = _UNKNOWN if _is_local(node, mention.scope) else self.value(node, mention.scope)
        if not _is_unknown(found):
            self._reach(found, mention)
        elif isinstance(node, ast.Attribute):
            self._mention(node.attr, mention)

    def _mention(self, name: str, mention: _Mention) -> None:
        """Reach the methods of a name, of whatever class."""
        if not name or name == "__init__":
            return
        self._mentions.setdefault(name, []).append(mention)
        for method in self._methods.get(name, ()):
            self._visit(method, self._receiver(method), mention)

    def _reach(self, value: Value, mention: _Mention) -> None:
        match value:
            case Function():
                self._visit(value, None, mention)
            case Bound(function=function, receiver=receiver):
                self._visit(function, receiver, mention)
            case Class():
                self._initialize(value, mention)
            case Partial(of=of):
                self._reach(of, _Mention(None, mention.scope, mention.one_of_several))
            case dict() | list() | tuple() if id(value) not in self._contents:
                self._contents[id(value)] = value
                inside = [*value.values()] if isinstance(value, dict) else value
                for one in inside[:_MOST_INSIDE]:
                    self._reach(one, _Mention(None, mention.scope, mention.one_of_several))

    def _initialize(self, of: Class, mention: _Mention) -> None:
        lineage = _lineage(of)
        for one in lineage:
            self.enter(one)
        for one in lineage:
            initializer = one.names.get("__init__")
            if isinstance(initializer, Function):
                made = self._object(of)
                visit = self._visit(initializer, made, mention)
                if visit is not None:
                    self._join(made, visit)
                return

    def _join(self, made: Instance, visit: _Visit) -> None:
        """Record the attributes that an initializer sets; those that are always the same are known in all methods."""
        scope = self._scope(visit)
        changing = _sets(made.of).several
        for name, (node, *_) in _attributes(visit.function.node).items():
            value = _UNKNOWN if name in changing else self.value(node, scope)
            before = dict.get(made.fields, name, value)
            made.fields[name] = value if _key(before) == _key(value) else _UNKNOWN

    def _visit(self, function: Function, receiver: Value, mention: _Mention) -> _Visit | None:
        """Follow a function with the given arguments; None: that was done before."""
        many = len(self._seen.get(id(function.node), ())) >= _MOST_ARGUMENTS
        if many or mention.call is None:
            given = dict.fromkeys(_parameters(function.node), _UNKNOWN)
        else:
            given = self._arguments(function, receiver is not None, mention.call, mention.scope)
        return self._queue(_Visit(function, receiver, given, mention.one_of_several))

    def _arguments(self, function: Function, bound: bool, call: ast.Call, scope: Scope) -> dict[str, Value]:
        """The arguments that a call passes to a function, by parameter."""
        names = _parameters(function.node)
        taken = names[1:] if bound and function.kind != "staticmethod" else names
        starred = any(isinstance(one, ast.Starred) for one in call.args)
        open_ended = starred or any(not one.arg for one in call.keywords)
        found = {name: _UNKNOWN if open_ended else function.defaults.get(name, _UNKNOWN) for name in taken}
        values = [
            *zip(taken, [] if starred else call.args, strict=False),
            *((one.arg, one.value) for one in call.keywords),
        ]
        for name, node in values:
            if name in found:
                value = self.value(node, scope)
                found[name] = _GIVEN if _is_unknown(value) else value
        return found

    def _queue(self, visit: _Visit) -> _Visit | None:
        seen = self._seen.setdefault(id(visit.function.node), set())
        key = (_key(visit.receiver), *((name, _key(value)) for name, value in visit.given.items()))
        if key in seen:
            return None
        seen.add(key)
        self._waiting.append(visit)
        return visit

    def _scope(self, visit: _Visit) -> Scope:
        """The context of expressions in a function."""
        function, receiver = visit.function, visit.receiver
        given = {**visit.given}
        names = _parameters(function.node)
        if receiver is not None and names and function.kind != "staticmethod":
            given[names[0]] = receiver
        local = _local(function.node)
        unknown = {name: _UNKNOWN for name in local.stored if name not in local.assigned or name in given}
        found = _Locals({**given, **unknown}, local, self.value)
        found.scope = Scope(function.scope.module, found, function.scope, [], function.owner, receiver)
        return found.scope

    def unknown_scope(self, function: Function, receiver: Value) -> Scope:
        """The context of expressions in a method of which only the receiver is known."""
        return self._scope(_Visit(function, receiver, dict.fromkeys(_parameters(function.node), _UNKNOWN)))

    def _receiver(self, method: Function) -> Value:
        return None if method.owner is None or method.kind == "staticmethod" else self._object(method.owner)

    def _object(self, of: Class) -> Instance:
        if id(of.node) not in self._objects:
            self._objects[id(of.node)] = made = Instance(of, {})
            made.fields = _Fields({}, self, made)
        return self._objects[id(of.node)]

    def decide(self, test: ast.expr, scope: Scope) -> bool | None:
        """Whether a condition holds; None: only known when the code runs."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                decided = self.decide(operand, scope)
                return None if decided is None else not decided
            case ast.BoolOp(op=op, values=values):
                decisive = isinstance(op, ast.Or)
                found = [self.decide(one, scope) for one in values]
                return decisive if decisive in found else None if None in found else not decisive
            case ast.Compare(left=left, ops=[op], comparators=[ast.Constant(value=None)]):
                if isinstance(op, _SAMENESS) and self.value(left, scope) is _GIVEN:
                    return isinstance(op, ast.NotEq | ast.IsNot)
            case ast.Call(func=ast.Name(id="isinstance"), args=[of, ast.Name(id="str")]):
                if self.value(of, scope) is _GIVEN:
                    return False
        try:
            return truth(self.value(test, scope))
        except Unknown:
            return None

    def _live(self, body: Sequence[ast.stmt], scope: Scope, several: bool = False) -> Iterator[tuple[Named, bool]]:
        """The calls, names and attributes in statements, without those in branches that cannot be taken."""
        for node in body:
            if (parts := _unbranched(node)) is not None:
                yield from ((part, several) for part in parts)
                continue
            if isinstance(node, ast.If):
                decided = self.decide(node.test, scope)
                inner = several or (decided is None and _compares_values(node.test))
                yield from self._parts(node.test, scope, several)
                yield from self._live([] if decided is False else node.body, scope, inner)
                yield from self._live([] if decided is True else node.orelse, scope, inner)
                taken = node.body if decided else node.orelse
                if decided is not None and taken and isinstance(taken[-1], ast.Return | ast.Raise):
                    return
                continue
            yield from self._live(statements_below(node), scope, several)
            for part in ast.iter_child_nodes(node):
                if isinstance(part, ast.expr | ast.withitem):
                    yield from self._parts(part, scope, several)

    def _parts(self, node: ast.AST, scope: Scope, several: bool) -> Iterator[tuple[Named, bool]]:
        if (parts := _unbranched(node)) is not None:
            yield from ((part, several) for part in parts)
            return
        waiting = deque([node])
        while waiting:
            part = waiting.popleft()
            if isinstance(part, Named):
                yield part, several
            if isinstance(part, ast.IfExp):
                decided = self.decide(part.test, scope)
                waiting += [part.test, *([] if decided is False else [part.body]), *([] if decided else [part.orelse])]
            elif not isinstance(part, ast.Constant | ast.expr_context):
                waiting += ast.iter_child_nodes(part)


class _Locals(dict[str, Value]):
    """The names of a function: parameters are given, the others are evaluated when they are first looked up."""

    scope: Scope

    def __init__(self, given: Mapping[str, Value], local: _Local, value: Callable[[ast.expr, Scope], Value]) -> None:
        super().__init__(given)
        self._local = local
        self._value = value

    def binds(self, name: str) -> bool:
        """Whether it is a name of the function, other than by an import."""
        return name in self and name not in self._local.imports

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._local.assigned or name in self._local.imports

    def __getitem__(self, name: str) -> Value:
        if not super().__contains__(name):
            self[name] = Opaque(f"{name} refers to itself")
            imported = self._local.imports.get(name)
            self[name] = self._value(self._local.assigned[name], self.scope) if imported is None else imported
        return super().__getitem__(name)


class _Fields(dict[str, Value]):
    """The attributes of an instance: those that only one statement sets are evaluated when they are first looked up."""

    def __init__(self, known: Mapping[str, Value], graph: CallGraph, owner: Instance) -> None:
        super().__init__(known)
        self._graph = graph
        self._owner = owner

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in _sets(self._owner.of).once

    def __getitem__(self, name: str) -> Value:
        if not super().__contains__(name):
            self[name] = Opaque(f"{name} refers to itself")
            method, node = _sets(self._owner.of).once[name]
            self[name] = self._graph.value(node, self._graph.unknown_scope(method, self._owner))
        return super().__getitem__(name)


def last_name(node: ast.expr) -> str:
    """The last part of a name as written; empty: it is none."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_local(node: ast.expr, scope: Scope) -> bool:
    """Whether a chain of attributes begins with a value that the function has been given or has made."""
    while isinstance(node, ast.Attribute):
        node = node.value
    names = scope.names
    return isinstance(node, ast.Name) and isinstance(names, _Locals) and names.binds(node.id)


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Opaque)


def _lineage(of: Class) -> list[Class]:
    """A class and its bases within the tree, nearest first."""
    try:
        return [one for one in of.line() if isinstance(one, Class)]
    except Unknown:
        return [of]


def _sets(of: Class) -> Sets:
    """What the methods of a class set, found out once."""
    if of.sets is None:
        found: dict[str, list[tuple[Function, ast.expr]]] = {}
        for one in _lineage(of):
            for method in one.names.values():
                for name, values in _attributes(method.node).items() if isinstance(method, Function) else ():
                    found.setdefault(name, []).extend((method, value) for value in values)
        once = {name: values[0] for name, values in found.items() if _same([node for _, node in values])}
        of.sets = Sets(once, frozenset(found.keys() - once.keys()))
    return of.sets


@lru_cache(maxsize=4096)
def _attributes(function: ast.AST) -> Mapping[str, Sequence[ast.expr]]:
    """What the body of a method assigns to attributes of `self`."""
    found: dict[str, list[ast.expr]] = {}
    for target, value in _assigned(getattr(function, "body", ())) if isinstance(function, Definition) else ():
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            found.setdefault(target.attr, []).append(value)
    return found


@lru_cache(maxsize=4096)
def _local(function: ast.AST) -> _Local:
    """What the body of a function binds, with the functions inside of it."""
    if not isinstance(function, Definition):
        return _Local({}, frozenset(), {})
    values: dict[str, list[ast.expr]] = {}
    for target, value in _assigned(function.body):
        if isinstance(target, ast.Name):
            values.setdefault(target.id, []).append(value)
    nodes = [one for part in function.body for one in ast.walk(part)]
    stored = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    stored |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    lines = [one for one in nodes if isinstance(one, ast.Import | ast.ImportFrom)]
    imports = {name: imported for line in lines for name, imported in imports_of(line)}
    once = {name: found[0] for name, found in values.items() if _same(found) and name not in imports}
    return _Local(once, frozenset(stored), imports)


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The assignments in statements: target and value."""
    for node in statements_in(body):
        match node:
            case ast.Assign(targets=[target], value=value):
                yield target, value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield target, value


def _same(values: Sequence[ast.expr]) -> bool:
    return len(values) == 1 or len({ast.unparse(one) for one in values}) == 1


@lru_cache(maxsize=4096)
def _parameters(function: ast.AST) -> tuple[str, ...]:
    """The names of the parameters; those with stars are left out."""
    spec = function.args if isinstance(function, Definition | ast.Lambda) else None
    named = () if spec is None else (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)
    return tuple(one.arg for one in named)


def _key(value: Value) -> object:
    """The same for values that make no difference to what is called."""
    if is_plain(value) and not isinstance(value, list | dict | set):
        return type(value), value
    if isinstance(value, Opaque):
        return value is _GIVEN
    if isinstance(value, Member):
        return value.of.node, value.name
    return value.name if isinstance(value, External) else id(value)


def _compares_values(test: ast.expr) -> bool:
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()]):
            return True
        case ast.BoolOp(values=values):
            return any(map(_compares_values, values))
    return False


@lru_cache(maxsize=_MOST_NODES)
def _unbranched(node: ast.AST) -> tuple[Named, ...] | None:
    """The live parts of a node if they are the same for all values; None: it has branches that depend on them."""
    if isinstance(node, ast.If):
        return None
    found: list[Named] = []
    if isinstance(node, ast.stmt):
        own = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr | ast.withitem))
        for below in (*statements_below(node), *own):
            if (parts := _unbranched(below)) is None:
                return None
            found += parts
        return tuple(found)
    waiting = deque([node])
    while waiting:
        part = waiting.popleft()
        if isinstance(part, ast.IfExp):
            return None
        if isinstance(part, Named):
            found.append(part)
        if not isinstance(part, ast.Constant | ast.expr_context):
            waiting += ast.iter_child_nodes(part)
    return tuple(found)
