# SPDX-License-Identifier: Apache-2.0
"""Names that a function looks up and that nothing binds: calling it raises NameError."""

import ast
import builtins
import importlib.util
import symtable
from collections.abc import Iterator
from typing import NamedTuple

from core.python.syntax import parse_python

_GIVEN = frozenset(dir(builtins)) | {
    "__file__",
    "__path__",
    "__builtins__",
    "__annotations__",
    "__class__",
    "WindowsError",
}
_OF_CLASSES = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
"""Methods that Python makes class methods by itself."""
_BINDS_ANYTHING = frozenset({"exec", "eval", "globals", "locals", "vars", "setattr"})
"""A module that calls one of these may have names that are not visible."""


class Undefined(NamedTuple):
    """A name in a function."""

    name: str
    function: str
    line: int


class LostClass(NamedTuple):
    """A method that takes `cls` and gets something else."""

    function: str
    line: int


def undefined_names(source: bytes, filename: str = "<unknown>") -> tuple[Undefined, ...]:
    """The first place of each such name. Raises SyntaxError or ValueError as Python would."""
    table = symtable.symtable(importlib.util.decode_source(source), filename, "exec")
    bound = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    bound |= {one.get_name() for one in table.get_symbols() if one.is_namespace()}
    looked_up = {name for scope in _below(table) for name in _globals(scope)}
    bound |= {name for scope in _below(table) for name in _bound_globals(scope)}
    missing = looked_up - bound - _GIVEN
    if not missing or "__getattr__" in bound or (looked_up | _used(table)) & _BINDS_ANYTHING:
        return ()
    tree = parse_python(source, filename)
    return () if _has_star(tree) else tuple(_places(tree, missing))


def lost_classes(tree: ast.Module) -> tuple[LostClass, ...]:
    """Methods that take `cls` first and are no class methods: what is passed first takes its place."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    plain = [one for one in classes if not any(isinstance(base, ast.Name) and base.id == "type" for base in one.bases)]
    functions = (node for one in plain for node in one.body if isinstance(node, ast.FunctionDef))
    return tuple(
        LostClass(one.name, one.lineno)
        for one in functions
        if not one.decorator_list and one.args.args and one.args.args[0].arg == "cls" and one.name not in _OF_CLASSES
    )


def _below(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        if child.get_type() == "function":
            yield child
        yield from _below(child)


def _used(table: symtable.SymbolTable) -> set[str]:
    return {one.get_name() for one in table.get_symbols() if one.is_referenced()}


def _globals(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that a function looks up in its module."""
    return (one.get_name() for one in scope.get_symbols() if one.is_global() and one.is_referenced())


def _bound_globals(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names of the module that a function binds."""
    return (one.get_name() for one in scope.get_symbols() if one.is_declared_global() and one.is_assigned())


def _has_star(tree: ast.Module) -> bool:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return any(alias.name == "*" for node in imports for alias in node.names)


def _places(tree: ast.Module, missing: set[str]) -> Iterator[Undefined]:
    """Where the names are evaluated: not in annotations, nor where a NameError is expected."""
    told: set[str] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in _evaluated(function.body):
                if isinstance(node, ast.Name) and node.id in missing and node.id not in told:
                    told.add(node.id)
                    yield Undefined(node.id, function.name, node.lineno)


def _evaluated(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.Try) and any(_expects_name_error(one) for one in node.handlers):
            waiting += reversed([*node.orelse, *node.finalbody])
        elif isinstance(node, ast.AnnAssign):
            waiting += [one for one in (node.value, node.target) if one is not None]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += reversed([*node.decorator_list, *node.args.defaults, *node.body])
        elif not isinstance(node, ast.ClassDef):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _expects_name_error(handler: ast.ExceptHandler) -> bool:
    named = {one.id for one in ast.walk(handler.type) if isinstance(one, ast.Name)} if handler.type else set()
    return not named or not named.isdisjoint({"NameError", "Exception", "BaseException"})
