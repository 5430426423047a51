# SPDX-License-Identifier: Apache-2.0
"""What a loader says of its variants, from its syntax tree: where each is configured, and which checkpoint it names."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from core.sources.syntax import parse_python

_LOADER, _VARIANTS, _CHECKPOINT = "ModelLoader", "_VARIANTS", "pretrained_model_name"


class _Member(NamedTuple):
    """A constant in the body of a class, such as a member of an enumeration."""

    value: object
    line: int


def variant_line(loader: Path, variant: str) -> int:
    """The line at which `loader` has the configuration of a variant, else its name, else its class begins; else 1.

    `variant` is as ids have it; empty: the loader has none.
    """
    try:
        tree = parse_python(loader.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return 1
    members = _members(tree)
    found = [
        *(key.lineno for key in _keys(tree) if variant and _name(key, members) == variant),
        *(one.line for one in members.values() if variant and one.value == variant),
        *(node.lineno for node in tree.body if isinstance(node, ast.ClassDef) and node.name == _LOADER),
    ]
    return found[0] if found else 1


def checkpoints(source: str) -> Mapping[str, str]:
    """By variant what its configuration calls `pretrained_model_name`: `_VARIANTS = {Enum.MEMBER: Config(name), ...}`.

    Only constants are read. Raises SyntaxError or ValueError where `source` is no Python.
    """
    return checkpoints_in(parse_python(source))


def checkpoints_in(tree: ast.Module) -> Mapping[str, str]:
    """As `checkpoints`, of a loader that is parsed already."""
    members = _members(tree)
    return {
        str(members[name].value if (name := ast.unparse(key)) in members else key.attr): checkpoint
        for mapping in ast.walk(tree)
        if isinstance(mapping, ast.Dict)
        for key, config in zip(mapping.keys, mapping.values, strict=True)
        if isinstance(key, ast.Attribute) and isinstance(key.value, ast.Name) and (checkpoint := _checkpoint(config))
    }


def _members(tree: ast.Module) -> dict[str, _Member]:
    """The constants of all classes by `Class.NAME`."""
    return {
        f"{scope.name}.{target.id}": _Member(statement.value.value, statement.lineno)
        for scope in ast.walk(tree)
        if isinstance(scope, ast.ClassDef)
        for statement in scope.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _name(key: ast.expr, members: Mapping[str, _Member]) -> object:
    """What a key of the table of variants comes to; None where only running the loader would tell."""
    if isinstance(key, ast.Constant):
        return key.value
    member = members.get(ast.unparse(key))
    return member.value if member else None


def _keys(tree: ast.Module) -> Iterator[ast.expr]:
    """The keys of the table of variants."""
    statements = (node for scope in tree.body if isinstance(scope, ast.ClassDef) for node in scope.body)
    for node in statements:
        match node:
            case ast.Assign(targets=targets, value=ast.Dict(keys=keys)):
                pass
            case ast.AnnAssign(target=target, value=ast.Dict(keys=keys)):
                targets = [target]
            case _:
                continue
        if any(isinstance(one, ast.Name) and one.id == _VARIANTS for one in targets):
            yield from (key for key in keys if key is not None)


def _checkpoint(config: ast.expr) -> str:
    words = config.keywords if isinstance(config, ast.Call) else ()
    named = (word.value for word in words if word.arg == _CHECKPOINT)
    return next((one.value for one in named if isinstance(one, ast.Constant) and isinstance(one.value, str)), "")
