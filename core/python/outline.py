# SPDX-License-Identifier: Apache-2.0
"""The outline of one Python file of the models tree: its classes, variants and imports, from its syntax tree alone."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

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


def read_module(source: str | bytes, filename: str) -> ModuleFacts:
    """Read the facts of `source`. Raises SyntaxError or ValueError (null bytes) as Python would.

    Bytes are decoded as Python does it.
    """
    classes: dict[str, ClassFacts] = {}
    imports: dict[str, Imported] = {}
    dicts: dict[str, tuple[tuple[str, str], ...]] = {}
    defined: set[str] = set()
    for node, guarded in _top_level(parse_python(source, filename).body):
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _class_facts(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = Imported(node.level, node.module or "", alias.name, guarded, node.lineno)
                imports[alias.asname or alias.name] = found
        elif (assigned := _assigned(node)) and isinstance(assigned[1], ast.Dict):
            dicts[assigned[0]] = _keys(assigned[1])
        defined.update(_bound(node))
    return ModuleFacts(classes, imports, dicts, frozenset(defined), bool(defined & {"*", "__getattr__"}))


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
    variant_keys: tuple[tuple[str, str], ...] | str | None = None
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            methods.add(statement.name)
        elif assigned := _assigned(statement):
            name, value = assigned
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                members[name] = value.value
            elif name == "_VARIANTS":
                variant_keys = value.id if isinstance(value, ast.Name) else _keys(value)
    bases = tuple(name for base in node.bases if (name := _last_name(base)))
    return ClassFacts(bases, frozenset(methods), members, variant_keys)


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
