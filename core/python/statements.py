# SPDX-License-Identifier: Apache-2.0
"""Evaluate statements to find what they bind. A statement that cannot be evaluated makes its names unknown."""

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.python.interfaces import Evaluates
from core.python.operations import binary, truth
from core.python.resolver import Imported
from core.python.values import (
    Class,
    External,
    FixtureMaker,
    Function,
    Instance,
    Mark,
    Opaque,
    Raised,
    Raises,
    Scope,
    Unknown,
    Value,
)

_PLAIN_DECORATORS = (
    "functools.cache",
    "functools.lru_cache",
    "functools.wraps",
    "torch.no_grad",
    "torch.inference_mode",
)
"""Decorators that do not change the result of a call."""
_HARMLESS_DECORATORS = ("dataclasses.dataclass", "enum.unique", "functools.total_ordering", "typing.final")
"""Decorators of classes that add no names but those with double underscores."""
_MOST_ROUNDS = 20_000
_PLAIN_OPTIONS = frozenset({"frozen", "eq", "order", "repr", "slots"})
"""Options of a dataclass that leave its constructor as it is."""
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)


@dataclass(frozen=True, slots=True)
class _Returned:
    value: Value


@dataclass(frozen=True, slots=True)
class _Signature:
    """The parameters of a function."""

    positional: tuple[str, ...]
    by_name: frozenset[str]
    """Those that a call may name."""
    names: frozenset[str]
    rest: str
    """The parameter with a star; empty: none."""
    keywords: str
    """The parameter with two stars; empty: none."""

    @property
    def count(self) -> int:
        """How many names a call binds."""
        return len(self.names) + bool(self.rest) + bool(self.keywords)


def _signature(spec: ast.arguments) -> _Signature:
    only, plain, named = ([one.arg for one in some] for some in (spec.posonlyargs, spec.args, spec.kwonlyargs))
    return _Signature(
        (*only, *plain),
        frozenset((*plain, *named)),
        frozenset((*only, *plain, *named)),
        spec.vararg.arg if spec.vararg else "",
        spec.kwarg.arg if spec.kwarg else "",
    )


_BREAK, _CONTINUE = object(), object()


class Statements:
    """Runs statements on known values."""

    def __init__(self, expressions: Evaluates) -> None:
        self._expressions = expressions
        self._generators: dict[ast.FunctionDef, bool] = {}
        self._signatures: dict[ast.AST, _Signature] = {}

    def forget(self) -> None:
        """Let go of the functions that were called."""
        self._generators.clear()
        self._signatures.clear()

    def top_level(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """Run the statements of a module or class. One that cannot be evaluated makes its names Opaque.

        The rest of the module continues also after one that raises, which `raised` then says.
        """
        for node in body:
            try:
                self._step(node, scope, top=True)
            except Unknown as error:
                if self._expressions.lenient or not isinstance(error, Raises):
                    self._poison(node, scope, f"{error} (line {node.lineno})")
                    continue
                found = error.at(scope.module.path, node.lineno)
                if scope.is_class_body:
                    raise found from None
                scope.module.raised = scope.module.raised or found.raised
                self._poison(node, scope, str(found))
            except RecursionError:
                self._poison(node, scope, f"nests too deeply (line {node.lineno})")

    def run_function(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling `function`. Raises Unknown."""
        node = function.node
        if isinstance(node, ast.AsyncFunctionDef):
            raise Unknown("calls an asynchronous function")
        receiver = args[0] if args else None
        bound = self._bind(function, args, kwargs)
        scope = Scope(function.scope.module, bound, function.scope, [], function.owner, receiver)
        if isinstance(node, ast.Lambda):
            return self._expressions.evaluate(node.body, scope)
        done = self._block(node.body, scope)
        if self._is_generator(node):
            return scope.yields
        return done.value if isinstance(done, _Returned) else None

    def _is_generator(self, node: ast.FunctionDef) -> bool:
        if node not in self._generators:
            self._generators[node] = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own_nodes(node))
        return self._generators[node]

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> Function:
        """The function that a `def` or a lambda makes, before decorators."""
        spec = node.args
        names = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        values = [self._expressions.soft(one, scope) for one in spec.defaults]
        found = dict(zip(names[len(names) - len(values) :], values, strict=True))
        for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            if default is not None:
                found[one.arg] = self._expressions.soft(default, scope)
        self._check_annotations(node, scope)
        if scope.is_class_body:
            # The names of a class body are not visible in its functions.
            return Function(node, scope.outer or scope, found, owner=scope.owner)
        return Function(node, scope, found)

    def _check_annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, scope: Scope) -> None:
        """Raise what evaluating the annotations raises; only names are looked up."""
        if isinstance(node, ast.Lambda) or scope.module.lazy_annotations:
            return
        spec = node.args
        every = (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg)
        for one in (*(one.annotation for one in every if one is not None), node.returns):
            if one is not None:
                self._check_names(one, scope)

    def _check_names(self, node: ast.expr, scope: Scope) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self._expressions.check_name(part, scope)

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """`target = value`. Raises Unknown."""
        match target:
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value, scope)
            case ast.Attribute(value=of, attr=name):
                self._set_attribute(self._expressions.evaluate(of, scope), name, value)
            case ast.Subscript(value=of, slice=key):
                self._set_part(self._expressions.evaluate(of, scope), self._expressions.evaluate(key, scope), value)
            case _:
                raise Unknown("assigns to what is not followed")

    def _bind(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> dict[str, Value]:
        spec = self._signature(function)
        bound = {**function.defaults, **dict(zip(spec.positional, args, strict=False))}
        if spec.rest:
            bound[spec.rest] = tuple(args[len(spec.positional) :])
        elif len(args) > len(spec.positional):
            message = f"{function.name}() takes {len(spec.positional)} values but {len(args)} were given"
            raise Raises("TypeError", message)
        extra: dict[str, Value] = {}
        for name, value in kwargs.items():
            if name not in spec.by_name:
                extra[name] = value
            elif name in spec.positional[: len(args)]:
                raise Raises("TypeError", f"{function.name}() got multiple values for argument {name!r}")
            else:
                bound[name] = value
        if spec.keywords:
            bound[spec.keywords] = extra
        elif extra:
            raise Raises("TypeError", f"{function.name}() got an unexpected keyword argument {next(iter(extra))!r}")
        if len(bound) < spec.count and (missing := spec.names - bound.keys()):
            raise Raises("TypeError", f"{function.name}() missing argument {min(missing)!r}")
        return bound

    def _signature(self, function: Function) -> "_Signature":
        if function.node not in self._signatures:
            self._signatures[function.node] = _signature(function.node.args)
        return self._signatures[function.node]

    def _block(self, body: Sequence[ast.stmt], scope: Scope, *, top: bool = False) -> object:
        for node in body:
            done = self._step(node, scope, top=top)
            if done is not None:
                return done
        return None

    def _step(self, node: ast.stmt, scope: Scope, *, top: bool) -> object:
        """Run one statement; returns what ends the block, or None."""
        match node:
            case ast.Return(value=value):
                return _Returned(None if value is None else self._expressions.evaluate(value, scope))
            case ast.Break():
                return _BREAK
            case ast.Continue():
                return _CONTINUE
            case ast.Raise():
                raise self._exception(node, scope)
            case ast.Assert():
                self._assert(node, scope)
                return None
            case ast.Pass():
                return None
        if isinstance(node, _COMPOUND):
            return self._compound(node, scope, top=top)
        try:
            self._simple(node, scope)
        except Unknown as error:
            if isinstance(error, Raises) and not self._expressions.lenient:
                raise error.at(scope.module.path, node.lineno) from None
            self._poison(node, scope, str(error))
        return None

    def _exception(self, node: ast.Raise, scope: Scope) -> Unknown:
        """What a `raise` raises."""
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        kind = None if made is None else self._expressions.soft(made, scope)
        if not isinstance(kind, External | Class):
            return Unknown("raises an exception")
        said = node.exc.args[0] if isinstance(node.exc, ast.Call) and node.exc.args else None
        text = "" if said is None else self._expressions.soft(said, scope)
        name = kind.name.rpartition(".")[2]
        return Raises(name, text if isinstance(text, str) else "", scope.module.path, node.lineno)

    def _assert(self, node: ast.Assert, scope: Scope) -> None:
        try:
            holds = truth(self._expressions.evaluate(node.test, scope))
        except Raises:
            raise
        except Unknown:
            return
        if not holds:
            raise Raises("AssertionError", "", scope.module.path, node.lineno)

    def _compound(self, node: ast.stmt, scope: Scope, *, top: bool) -> object:
        match node:
            case ast.If(test=test):
                chosen = truth(self._expressions.evaluate(test, scope))
                return self._block(node.body if chosen else node.orelse, scope, top=top)
            case ast.For():
                return self._for(node, scope, top=top)
            case ast.While():
                return self._while(node, scope, top=top)
            case ast.With():
                for item in node.items:
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, Opaque("is bound by with"), scope)
                return self._block(node.body, scope, top=top)
            case ast.Try():
                return self._try(node, scope, top=top)
        raise Unknown(f"not followed: {type(node).__name__}")

    def _for(self, node: ast.For, scope: Scope, *, top: bool) -> object:
        for value in self._expressions.elements(self._expressions.evaluate(node.iter, scope)):
            self.assign(node.target, value, scope)
            done = self._block(node.body, scope, top=top)
            if done is _BREAK:
                return None
            if isinstance(done, _Returned):
                return done
        return self._block(node.orelse, scope, top=top)

    def _while(self, node: ast.While, scope: Scope, *, top: bool) -> object:
        for _ in range(_MOST_ROUNDS):
            if not truth(self._expressions.evaluate(node.test, scope)):
                return self._block(node.orelse, scope, top=top)
            done = self._block(node.body, scope, top=top)
            if done is _BREAK:
                return None
            if isinstance(done, _Returned):
                return done
        raise Unknown("loops too often")

    def _try(self, node: ast.Try, scope: Scope, *, top: bool) -> object:
        """Unless the body raises for certain, it is assumed to succeed if it only imports.

        Otherwise the names that handlers bind are unknown too.
        """
        try:
            done = self._block(node.body, scope, top=top)
            self._resolve_imports(node.body, scope)
        except Raises as error:
            handler = self._handler(node.handlers, error.raised, scope)
            if handler is None:
                raise
            done = self._block(handler.body, scope, top=top)
        else:
            done = done or self._block(node.orelse, scope, top=top)
            imported = {
                name for one in node.body if isinstance(one, ast.Import | ast.ImportFrom) for name, _ in imports_of(one)
            }
            for handler in node.handlers:
                for name in {name for one in handler.body for name in bound_names(one)} - imported:
                    scope.names[name] = Opaque(f"{name} is bound in a branch")
        return done if done is not None else self._block(node.finalbody, scope, top=top)

    def _resolve_imports(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """Raise what an import in `body` raises: a handler decides what happens then."""
        for node in body:
            for name, _ in imports_of(node) if isinstance(node, ast.Import | ast.ImportFrom) else ():
                if name != "*":
                    self._expressions.soft(ast.Name(name, lineno=node.lineno), scope)

    def _handler(self, handlers: Sequence[ast.ExceptHandler], raised: Raised, scope: Scope) -> ast.ExceptHandler | None:
        """The handler that catches an exception. Raises Unknown."""
        for handler in handlers:
            kinds = (External("builtins.BaseException"),)
            if handler.type is not None:
                caught = self._expressions.evaluate(handler.type, scope)
                kinds = caught if isinstance(caught, tuple) else (caught,)
            if any(_catches(kind, raised.exception) for kind in kinds):
                if handler.name:
                    scope.names[handler.name] = Opaque("is an exception")
                return handler
        return None

    def _simple(self, node: ast.stmt, scope: Scope) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self._assign_all(targets, value, scope)
            case ast.AnnAssign(target=target, value=value):
                if scope.yields is None and not scope.module.lazy_annotations:
                    self._check_names(node.annotation, scope)
                if value is not None:
                    self._assign_all([target], value, scope)
            case ast.AugAssign():
                self._augment(node, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                made = self._class(node, scope) if isinstance(node, ast.ClassDef) else self.function(node, scope)
                scope.names[node.name] = self._decorated(made, node.decorator_list, scope)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope)
            case ast.Expr(value=value):
                self._expression(value, scope)
            case ast.Delete(targets=[ast.Name(id=name)]):
                scope.names.pop(name, None)
            case _:
                raise Unknown(f"not followed: {type(node).__name__}")

    def _assign_all(self, targets: Sequence[ast.expr], value: ast.expr, scope: Scope) -> None:
        made = self._expressions.soft(value, scope)
        for target in targets:
            self.assign(target, made, scope)

    def _expression(self, value: ast.expr, scope: Scope) -> None:
        if isinstance(value, ast.Yield) and scope.yields is not None:
            scope.yields.append(None if value.value is None else self._expressions.soft(value.value, scope))
        elif isinstance(value, ast.YieldFrom) and scope.yields is not None:
            scope.yields += self._expressions.elements(self._expressions.evaluate(value.value, scope))
        elif not isinstance(value, ast.Constant):
            self._expressions.evaluate(value, scope)

    def _augment(self, node: ast.AugAssign, scope: Scope) -> None:
        if not isinstance(node.target, ast.Name):
            raise Unknown("changes a part of something")
        before = self._expressions.name(node.target.id, scope)
        added = self._expressions.evaluate(node.value, scope)
        if isinstance(before, list) and isinstance(node.op, ast.Add):
            before += self._expressions.elements(added)
        else:
            scope.names[node.target.id] = binary(node.op, before, added)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for name, imported in imports_of(node):
            if name == "*":
                scope.names.setdefault("*", []).append(imported)
            else:
                scope.names[name] = imported

    def _class(self, node: ast.ClassDef, scope: Scope) -> Class:
        bases = [self._expressions.soft(one, scope) for one in node.bases]
        doubt = ""
        for keyword in node.keywords:
            value = self._expressions.soft(keyword.value, scope)
            if keyword.arg == "metaclass" and value == External("abc.ABCMeta"):
                bases.append(External("abc.ABC"))
            elif keyword.arg == "metaclass":
                doubt = "it has a metaclass"
        made = Class(node, scope, tuple(bases), {}, doubt=doubt, **_fields(node))
        self.top_level(node.body, Scope(scope.module, made.names, scope, owner=made))
        return made

    def _decorated(self, made: Function | Class, decorators: Sequence[ast.expr], scope: Scope) -> Value:
        value: Value = made
        for node in reversed(decorators):
            decorator = self._expressions.soft(node, scope)
            try:
                value = self._decorate(decorator, value)
            except Raises as error:
                raise error.at(scope.module.path, node.lineno) from None
            except Unknown as error:
                if isinstance(value, Function | Class):
                    value.doubt = f"decorated by {ast.unparse(node)[:60]}: {error}"
        return value

    def _decorate(self, decorator: Value, value: Value) -> Value:
        if not isinstance(value, Function | Class):
            return value
        match decorator:
            case Mark():
                value.marks.append(decorator)
            case External(name="builtins.staticmethod" | "builtins.classmethod" | "builtins.property") if isinstance(
                value, Function
            ):
                value.kind = decorator.last
            case External(name="pytest.fixture") | FixtureMaker():
                return self._expressions.call(decorator, [value], {})
            case External(name="abc.abstractmethod") if isinstance(value, Function):
                value.abstract = True
            case External(name=name) | Opaque(called=name) if name:
                # Wrappers from torch and the standard library copy the name, the marks and the parameters.
                if isinstance(value, Function) and name not in _PLAIN_DECORATORS:
                    value.wrapper = name
                elif isinstance(value, Class) and name not in _HARMLESS_DECORATORS:
                    value.doubt = f"decorated by {name}"
            case Opaque(reason=reason):
                raise Unknown(reason)
            case _:
                return self._wrapped(self._expressions.call(decorator, [value], {}), value)
        return value

    def _wrapped(self, made: Value, value: Function | Class) -> Value:
        """A function decorated with `functools.wraps(value)` looks like `value`."""
        if isinstance(made, Function) and isinstance(made.node, ast.FunctionDef) and isinstance(value, Function):
            texts = [ast.unparse(one) for one in made.node.decorator_list]
            if made is not value and any("wraps(" in one for one in texts):
                return value
        if not isinstance(made, Function | Class):
            raise Unknown("what it makes is not known")
        return made

    def _unpack(self, targets: list[ast.expr], value: Value, scope: Scope) -> None:
        values = [value] * len(targets) if isinstance(value, Opaque) else self._expressions.elements(value)
        if any(isinstance(one, ast.Starred) for one in targets) or len(values) != len(targets):
            raise Unknown("unpacks what is not known")
        for target, one in zip(targets, values, strict=True):
            self.assign(target, one, scope)

    def _set_attribute(self, of: Value, name: str, value: Value) -> None:
        match of:
            case Instance(fields=names) | Class(names=names):
                names[name] = value
            case Function() if name == "pytestmark" and isinstance(value, list):
                of.marks[:] = value
            case _:
                raise Unknown(f"sets {name} of what is not known")

    def _set_part(self, of: Value, key: Value, value: Value) -> None:
        if not isinstance(of, list | dict):
            raise Unknown("changes a part of what is not known")
        try:
            of[key] = value
        except (TypeError, LookupError) as error:
            raise Unknown(f"there is no such part: {error}") from None

    def _poison(self, node: ast.stmt, scope: Scope, reason: str) -> None:
        """Mark every name that `node` may bind as unknown, and the content of every collection that it mentions."""
        for name in bound_names(node):
            scope.names[name] = Opaque(reason)
        for part in own_nodes(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                at: Scope | None = scope
                while at is not None and part.id not in at.names:
                    at = at.outer
                if at is not None:
                    self._expressions.doubt(at.names[part.id])


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below `node`, except those in nested functions and lambdas, which do not run with it."""
    waiting: list[ast.AST] = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(one)


def bound_names(node: ast.stmt) -> set[str]:
    """Names that a statement and its nested statements may bind."""
    found: set[str] = set()
    for part in (node, *own_nodes(node)):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            found |= {name for name, _ in imports_of(part)}
        elif isinstance(part, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and part.name:
            found.add(part.name)
        elif isinstance(part, ast.MatchMapping) and part.rest:
            found.add(part.rest)
    return found


def _catches(kind: Value, exception: str) -> bool:
    """Whether a handler for `kind` catches an exception of that name. Raises Unknown."""
    if isinstance(kind, External) and kind.name in ("builtins.Exception", "builtins.BaseException"):
        return True
    if not isinstance(kind, External | Class):
        raise Unknown("handles what is not known")
    name = kind.name.rpartition(".")[2]
    caught, raised = (getattr(builtins, one, None) for one in (name, exception))
    if not isinstance(caught, type) or not isinstance(raised, type):
        if name != exception:
            raise Unknown("handles what is not known")
        return True
    return issubclass(raised, caught)


def _fields(node: ast.ClassDef) -> Mapping[str, Any]:
    """What a dataclass or a named tuple shows of its constructor, as fields of `Class`."""
    makers = [one for one in node.decorator_list if "dataclass" in ast.unparse(one)]
    named = any(ast.unparse(one).rpartition(".")[2] == "NamedTuple" for one in node.bases)
    options = {word.arg for one in makers if isinstance(one, ast.Call) for word in one.keywords}
    plain = options <= _PLAIN_OPTIONS
    found: dict[str, bool] = {}
    for one in node.body if makers or named else ():
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            annotation = ast.unparse(one.annotation)
            if "ClassVar" in annotation:
                continue
            made = ast.unparse(one.value) if isinstance(one.value, ast.Call) else ""
            plain = plain and not any(word in f"{annotation} {made}" for word in ("InitVar", "KW_ONLY", "init=False"))
            found[one.target.id] = one.value is not None
    return {"is_dataclass": bool(makers), "fields": tuple(found.items()), "has_plain_fields": plain}


def imports_of(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Imported]]:
    """The names that an import binds, each with what it is."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, Imported(node.level, node.module or "", alias.name, line=node.lineno)
        elif alias.asname:
            yield alias.asname, Imported(0, alias.name, line=node.lineno)
        else:
            package = alias.name.partition(".")[0]
            yield package, Imported(0, package, line=node.lineno)
