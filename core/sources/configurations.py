# SPDX-License-Identifier: Apache-2.0
"""How a loader configures its variants, from its syntax tree: `_VARIANTS = {Enum.MEMBER: Config(field=...), ...}`."""

import ast
from collections.abc import Mapping
from typing import NamedTuple

from core.python import statements_in

Configuration = Mapping[str, ast.expr]
"""The expression of each field: as given, else the default of its dataclass."""


class Member(NamedTuple):
    """A constant in the body of a class, such as a member of an enumeration."""

    value: object
    line: int


def members_in(tree: ast.Module) -> dict[str, Member]:
    """The constants of all classes by `Class.NAME`."""
    return _members(_assigned(tree))


def configurations_in(tree: ast.Module) -> dict[str, Configuration]:
    """The configuration of each variant, keyed by its name in ids. Only the file itself is read."""
    assigned = _assigned(tree)
    members = _members(assigned)
    shared = {name.rpartition(".")[2]: value for name, (value, _) in assigned.items()}
    defaults = _defaults(tree)
    found: dict[str, Configuration] = {}
    for mapping in (one for one in ast.walk(tree) if isinstance(one, ast.Dict)):
        for key, value in zip(mapping.keys, mapping.values, strict=True):
            config = shared.get(value.id) if isinstance(value, ast.Name) else value
            if isinstance(key, ast.Attribute) and isinstance(key.value, ast.Name) and isinstance(config, ast.Call):
                name = f"{key.value.id}.{key.attr}"
                variant = str(members[name].value if name in members else key.attr)
                found[variant] = {**found.get(variant, {}), **_fields(config, defaults)}
    return found


def _fields(config: ast.Call, defaults: Mapping[str, Configuration]) -> Configuration:
    given = {word.arg: word.value for word in config.keywords if word.arg}
    return {**defaults.get(ast.unparse(config.func), {}), **given}


def _members(assigned: Mapping[str, tuple[ast.expr, int]]) -> dict[str, Member]:
    return {
        name: Member(value.value, line) for name, (value, line) in assigned.items() if isinstance(value, ast.Constant)
    }


def _assigned(tree: ast.Module) -> dict[str, tuple[ast.expr, int]]:
    """The assignments in the bodies of classes, by `Class.NAME`, each with its line."""
    return {
        f"{scope.name}.{target.id}": (statement.value, statement.lineno)
        for scope in statements_in(tree.body)
        if isinstance(scope, ast.ClassDef)
        for statement in scope.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _defaults(tree: ast.Module) -> dict[str, Configuration]:
    """The defaults of the annotated fields of each class."""
    return {
        scope.name: {
            statement.target.id: statement.value
            for statement in scope.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value
        }
        for scope in tree.body
        if isinstance(scope, ast.ClassDef)
    }
