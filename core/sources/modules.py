# SPDX-License-Identifier: Apache-2.0
"""What one Python file of the models tree says about classes, variants and imports, read from its syntax tree."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClassFacts:
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


@dataclass(frozen=True, slots=True)
class ImportedName:
    """`from <dots><module> import <name>`; `level` counts the dots."""

    level: int
    module: str
    name: str


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What the index needs of one module."""

    classes: Mapping[str, ClassFacts]
    imports: Mapping[str, ImportedName]
    """By local name."""
    variant_dicts: Mapping[str, tuple[tuple[str, str], ...]]
    """Module-level dict literals by name, as keys."""


def read_module(source: str, filename: str) -> ModuleFacts:
    """Read the facts of `source`. Raises SyntaxError or ValueError (null bytes) where Python would."""
    classes: dict[str, ClassFacts] = {}
    imports: dict[str, ImportedName] = {}
    dicts: dict[str, tuple[tuple[str, str], ...]] = {}
    for node in _top_level(ast.parse(source, filename=filename).body):
        if isinstance(node, ast.ClassDef):
            classes[node.name] = _class_facts(node)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found = ImportedName(node.level, node.module or "", alias.name)
                imports[alias.asname or alias.name] = found
        elif (assigned := _assigned(node)) and isinstance(assigned[1], ast.Dict):
            dicts[assigned[0]] = _keys(assigned[1])
    return ModuleFacts(classes, imports, dicts)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported, those under `if` and `try` included."""
    for node in body:
        if isinstance(node, ast.If):
            yield from _top_level(node.body)
            yield from _top_level(node.orelse)
        elif isinstance(node, ast.Try):
            for block in (node.body, node.orelse, node.finalbody):
                yield from _top_level(block)
        else:
            yield node


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
    """Keys of a dict literal; anything else has none we can see."""
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
