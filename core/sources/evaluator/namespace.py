# SPDX-License-Identifier: Apache-2.0
"""The names that the top level of a module or class binds, read from its syntax tree."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from core.python import Imported

_NO_CLASS_METHOD = "is a function that is not called on a class"
_READ_ONLY = frozenset({"print", "isinstance", "type", "len", "repr"})
"""Builtins that do not change their arguments."""


@dataclass(frozen=True, slots=True)
class ClassSource:
    """The statement of one class."""

    bases: tuple[ast.expr, ...]
    names: "Mapping[str, Bound]"
    fields: tuple[str, ...]
    """Annotated names in order: the fields, if it is a dataclass."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A name whose value is only known when the file runs."""

    reason: str


Bound: TypeAlias = ast.expr | ast.FunctionDef | ClassSource | Imported | Unclear


def read_namespace(body: list[ast.stmt]) -> dict[str, Bound]:
    """The meaning of each name that `body` binds.

    A name that is bound twice, or mentioned in any other statement (a loop, a call that may change it), is Unclear,
    because the effective binding is not certain. Repeating an import counts as one binding. In a branch, only imports
    and classes count, if nothing else could replace them.
    """
    names: dict[str, Bound] = {}
    for name, bound in _bindings(body):
        if name in names and names[name] != bound:
            names[name] = Unclear("is bound or changed more than once")
        else:
            names[name] = bound
    return names


def _bindings(body: list[ast.stmt]) -> Iterator[tuple[str, Bound]]:
    for node in body:
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                # Runs when the file is executed as a script, never on import.
                yield from _branch(node.orelse)
            case ast.If():
                yield from _branch([*node.body, *node.orelse])
            case ast.Try():
                handlers = [one for handler in node.handlers for one in handler.body]
                yield from _branch([*node.body, *handlers, *node.orelse, *node.finalbody])
            case _:
                yield from _binding(node)


def _branch(body: list[ast.stmt]) -> Iterator[tuple[str, Bound]]:
    for name, bound in _bindings(body):
        yield name, bound if isinstance(bound, Imported | ClassSource) else Unclear("is bound in a branch")


def _binding(node: ast.stmt) -> Iterator[tuple[str, Bound]]:
    match node:
        case ast.ClassDef(name=name):
            yield name, _class_source(node)
        case ast.FunctionDef(name="__post_init__") if _only_reads(node):
            pass
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name, _function(node)
        case ast.Import() | ast.ImportFrom():
            yield from _imports(node)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name)):
            if node.value is not None:
                yield name, node.value
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            pass
        case _:
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            yield from ((name, Unclear("is bound or changed by more than an assignment")) for name in names)


def _class_source(node: ast.ClassDef) -> ClassSource:
    fields = (
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and "ClassVar" not in ast.unparse(statement.annotation)
    )
    return ClassSource(tuple(node.bases), read_namespace(node.body), tuple(dict.fromkeys(fields)))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Bound:
    """Only functions that can be called on a class are recorded."""
    if isinstance(node, ast.FunctionDef) and len(node.decorator_list) == 1:
        match node.decorator_list[0]:
            case ast.Name(id="classmethod" | "staticmethod"):
                return node
    return Unclear(_NO_CLASS_METHOD)


def _only_reads(node: ast.FunctionDef) -> bool:
    """Whether `node` leaves its object unchanged: it stores and raises nothing, and only calls _READ_ONLY."""
    for part in ast.walk(node):
        match part:
            case ast.Call(func=ast.Name(id=name)) if name in _READ_ONLY:
                pass
            case ast.Call() | ast.Raise() | ast.Assert() | ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript():
                return False
    return True


def _imports(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Bound]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, Imported(node.level, node.module or "", alias.name)
        elif alias.asname:
            yield alias.asname, Imported(0, alias.name, "")
        else:
            package = alias.name.partition(".")[0]
            yield package, Imported(0, package, "")
