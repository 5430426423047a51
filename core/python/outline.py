# SPDX-License-Identifier: Apache-2.0
"""The outline of one Python file of the models tree: its classes, variants and imports, from its syntax tree alone."""

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from core.python.resolver import Imported
from core.python.syntax import parse_python


class ClassFacts(NamedTuple):
    """One top-level class."""

    bases: tuple[str, ...]
    """Last part of each base as written: `ForgeModel` for `base.ForgeModel`."""
    methods: frozenset[str]
    members: Mapping[str, str]
    """Attributes assigned a string constant: the members of an enum."""
    variant_keys: tuple[tuple[str, str], ...] | str | None
    """Keys of `_VARIANTS` as (enum class, member); or the module-level name it refers to; None: not assigned.

    A key that is a plain string has an empty enum class.
    """
    names: frozenset[str] = frozenset()
    """All names that its body binds."""
    has_hidden_keys: bool = False
    """Whether `_VARIANTS` may have more keys than `variant_keys` shows."""


class ModuleFacts(NamedTuple):
    """The facts about one module that the index needs."""

    classes: Mapping[str, ClassFacts]
    imports: Mapping[str, Imported]
    """By local name."""
    variant_dicts: Mapping[str, tuple[tuple[str, str], ...]]
    """The keys of module-level dict literals, by name."""
    defined: frozenset[str] = frozenset()
    """Names that the module binds at its top level, including those under `if`, `try` and loops."""
    open_ended: bool = False
    """Whether it may have names that are not visible here: a star import or a `__getattr__`."""
    unbound: frozenset[str] = frozenset()
    """Names that it looks up when it is imported and that nothing in it seems to bind. Evaluating it tells."""
    attributes: frozenset[tuple[str, str]] = frozenset()
    """Attributes of its classes and of names that it imports, which are looked up when it is imported or asked."""
    packages: Mapping[str, int] = {}
    """The packages from elsewhere without which importing it fails, each with a line."""


def read_module(source: str | bytes, filename: str) -> ModuleFacts:
    """Read the facts of `source`. Raises SyntaxError or ValueError (null bytes) as Python would.

    Bytes are decoded as Python does it.
    """
    classes: dict[str, ClassFacts] = {}
    imports: dict[str, Imported] = {}
    dicts: dict[str, tuple[tuple[str, str], ...]] = {}
    defined: set[str] = set()
    body = parse_python(source, filename).body
    for node, guarded in _top_level(body):
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _class_facts(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = Imported(node.level, node.module or "", alias.name, guarded, node.lineno)
                imports[alias.asname or alias.name] = found
        elif (assigned := _assigned(node)) and isinstance(assigned[1], ast.Dict):
            dicts[assigned[0]] = _keys(assigned[1])
        defined.update(_bound(node))
    open_ended = bool(defined & {"*", "__getattr__"})
    looked_up = _Lookups(body, not _has_lazy_annotations(body))
    unbound = frozenset() if open_ended else looked_up.loaded - looked_up.stored - defined - _BUILT_IN
    near = classes.keys() | {name for name, one in imports.items() if one.level or "tt_forge_models" in one.module}
    inner = frozenset(one for one in looked_up.attributes if one[0] in near and one[1][0] != "_")
    packages = {name: line for name, line in _packages(body) if name not in sys.stdlib_module_names}
    return ModuleFacts(classes, imports, dicts, frozenset(defined), open_ended, frozenset(unbound), inner, packages)


def _packages(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Top-level packages that are imported absolutely, the last place of each first."""
    found = [(one.module.partition(".")[0], one.line) for one in needed_imports(body) if not one.level]
    return reversed(found)


def needed_imports(body: list[ast.stmt]) -> Iterator[Imported]:
    """The imports without which the module of these statements fails: not those under `if` or `try`."""
    for node, guarded in _top_level(body):
        if not guarded:
            yield from _imported(node)


def imports_in(source: str | bytes) -> Iterator[Imported]:
    """All imports of a file, also those in functions. Raises SyntaxError or ValueError as Python would."""
    for node in ast.walk(parse_python(source)):
        yield from _imported(node)


def _imported(node: ast.AST) -> Iterator[Imported]:
    """What an import asks for, name by name."""
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield Imported(node.level, node.module or "", alias.name, line=node.lineno)
    elif isinstance(node, ast.Import):
        yield from (Imported(0, alias.name, line=node.lineno) for alias in node.names)


_BUILT_IN = frozenset(dir(builtins)) | {"__file__", "__path__", "__builtins__", "__annotations__", "__qualname__"}
_ASKED = "_get_model_info"
"""The method that upstream calls for each variant when it collects (docs/rules.md 1.7)."""


def _has_lazy_annotations(body: list[ast.stmt]) -> bool:
    imports = (one for one in body[:3] if isinstance(one, ast.ImportFrom) and one.module == "__future__")
    return any(alias.name == "annotations" for one in imports for alias in one.names)


class _Lookups:
    """What a module looks up when it is imported, and in `_ASKED`: the bodies of other functions wait."""

    def __init__(self, body: list[ast.stmt], annotated: bool) -> None:
        self._annotated = annotated
        self._waiting: list[ast.AST | None] = [*body]
        self.loaded: set[str] = set()
        self.stored: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self._walk()

    def _walk(self) -> None:
        """All nodes, the most frequent kinds first: this runs on every loader when a checkout is first read."""
        waiting, loaded, attributes = self._waiting, self.loaded, self.attributes
        while waiting:
            node: Any = waiting.pop()
            kind = type(node)
            if kind is ast.Constant or node is None:
                continue
            if kind is ast.Attribute:
                inner = node.value
                if type(inner) is ast.Name:
                    loaded.add(inner.id)
                    attributes.add((inner.id, node.attr))
                else:
                    waiting.append(inner)
            elif kind is ast.Name:
                (loaded if type(node.ctx) is ast.Load else self.stored).add(node.id)
            elif kind is ast.Call:
                waiting.append(node.func)
                waiting += node.args
                waiting += [value for one in node.keywords if type(value := one.value) is not ast.Constant]
            elif kind is ast.Expr:
                waiting.append(node.value)
            elif kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
                self._function(node)
            elif kind not in _NOTHING_INSIDE:
                self._others(node)

    def _others(self, node: ast.AST) -> None:
        if isinstance(node, ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            self.stored.add(str(node.name))
        for name, value in node.__dict__.items():
            if type(value) is list:
                self._waiting += value
            elif isinstance(value, ast.AST) and (name != "annotation" or self._annotated):
                self._waiting.append(value)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """What runs of a function when it is defined."""
        self.stored.add(node.name)
        spec = node.args
        self._waiting += [*node.decorator_list, *spec.defaults, *spec.kw_defaults]
        named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        named += [one for one in (spec.vararg, spec.kwarg) if one is not None]
        if self._annotated:
            self._waiting.append(node.returns)
            self._waiting += [one.annotation for one in named if one.annotation is not None]
        if node.name == _ASKED:
            self.stored.update([one.arg for one in named])
            self._waiting += node.body


_NOTHING_INSIDE = frozenset({ast.Lambda, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass})


_PLAIN = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
"""Statements without nested statements that run when the module is imported."""


def _top_level(body: list[ast.stmt], guarded: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Statements that run when the module is imported, and whether they are under a condition."""
    for node in body:
        yield node, guarded
        if isinstance(node, _PLAIN):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from _top_level(getattr(node, block, []), guarded=True)
        for handler in getattr(node, "handlers", []):
            yield from _top_level(handler.body, guarded=True)


def _bound(node: ast.stmt) -> Iterator[str]:
    """Names that one statement binds by itself."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Import(names=names):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
        case ast.ImportFrom(names=names):
            yield from (alias.asname or alias.name for alias in names)
        case ast.Assign(targets=targets):
            yield from (name for target in targets for name in _target_names(target))
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target) | ast.For(target=target):
            yield from _target_names(target)
        case ast.With(items=items):
            yield from (name for item in items if item.optional_vars for name in _target_names(item.optional_vars))


def _target_names(target: ast.expr) -> Iterator[str]:
    return (node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _class_facts(node: ast.ClassDef) -> ClassFacts:
    methods: set[str] = set()
    members: dict[str, str] = {}
    names: set[str] = set()
    variant_keys: tuple[tuple[str, str], ...] | str | None = None
    hidden = False
    for statement, _ in _top_level(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            methods.add(statement.name)
        elif (assigned := _assigned(statement)) is None:
            names.update(_bound(statement))
        else:
            name, value = assigned
            names.add(name)
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                members[name] = value.value
            elif name == "_VARIANTS":
                variant_keys = value.id if isinstance(value, ast.Name) else _keys(value)
                hidden = not isinstance(value, ast.Name) and not _shows_keys(value)
    bases = tuple(name for base in node.bases if (name := _last_name(base)))
    return ClassFacts(bases, frozenset(methods), members, variant_keys, frozenset(names | methods), hidden)


def _shows_keys(node: ast.expr) -> bool:
    """Whether `_keys` shows all keys of a dict."""
    return isinstance(node, ast.Dict) and len(_keys(node)) == len(node.keys)


def _assigned(node: ast.stmt) -> tuple[str, ast.expr] | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, value
    return None


def _keys(node: ast.expr) -> tuple[tuple[str, str], ...]:
    """The visible keys of a dict literal; none for any other expression."""
    found: list[tuple[str, str]] = []
    for key in node.keys if isinstance(node, ast.Dict) else ():
        match key:
            case ast.Attribute(value=ast.Name(id=enum), attr=member):
                found.append((enum, member))
            case ast.Constant(value=str(text)):
                found.append(("", text))
            case _:
                pass
    return tuple(found)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
