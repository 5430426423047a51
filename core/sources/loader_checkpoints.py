# SPDX-License-Identifier: Apache-2.0
"""The checkpoint that a loader names for each of its variants, from its syntax tree."""

import ast
from collections.abc import Mapping

from core.sources.syntax import parse_python

_CHECKPOINT = "pretrained_model_name"


def checkpoints(source: str) -> Mapping[str, str]:
    """By variant what its configuration calls `pretrained_model_name`: `_VARIANTS = {Enum.MEMBER: Config(name), ...}`.

    Only constants are read. Raises SyntaxError or ValueError where `source` is no Python.
    """
    tree = parse_python(source)
    members = {
        (scope.name, target.id): value.value
        for scope in ast.walk(tree)
        if isinstance(scope, ast.ClassDef)
        for statement in scope.body
        if isinstance(statement, ast.Assign) and isinstance(value := statement.value, ast.Constant)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    found: dict[str, str] = {}
    for mapping in ast.walk(tree):
        for key, config in zip(mapping.keys, mapping.values, strict=True) if isinstance(mapping, ast.Dict) else ():
            match key:
                case ast.Attribute(value=ast.Name(id=enum), attr=member) if checkpoint := _checkpoint(config):
                    found[str(members.get((enum, member), member))] = checkpoint
                case _:
                    pass
    return found


def _checkpoint(config: ast.expr) -> str:
    words = config.keywords if isinstance(config, ast.Call) else ()
    named = (word.value for word in words if word.arg == _CHECKPOINT)
    return next((one.value for one in named if isinstance(one, ast.Constant) and isinstance(one.value, str)), "")
