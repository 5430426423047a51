# SPDX-License-Identifier: Apache-2.0
"""Facts about a loader's variants from its syntax tree: the place of each configuration, and its checkpoint."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.base.files import read_bytes
from core.python import parse_python
from core.sources.configurations import Configuration, Member, configurations_in, members_in

_LOADER, _VARIANTS = "ModelLoader", "_VARIANTS"
CHECKPOINT = "pretrained_model_name"
"""The field of a configuration that names what is downloaded."""


def variant_line(loader: Path, variant: str) -> int:
    """The line in `loader` of a variant's configuration, else of its name, else of its class; else 1.

    `variant` is as in ids; empty: the loader has none.
    """
    try:
        tree = parse_python(read_bytes(loader))
    except (OSError, SyntaxError, ValueError):
        return 1
    members = members_in(tree)
    found = [
        *(key.lineno for key in _keys(tree) if variant and _name(key, members) == variant),
        *(one.line for one in members.values() if variant and one.value == variant),
        *(node.lineno for node in tree.body if isinstance(node, ast.ClassDef) and node.name == _LOADER),
    ]
    return found[0] if found else 1


def checkpoints(source: str) -> Mapping[str, str]:
    """The `pretrained_model_name` in the configuration of each variant: `_VARIANTS = {Enum.MEMBER: Config(name), ...}`.

    Only constants are read. Raises SyntaxError or ValueError if `source` is not valid Python.
    """
    return checkpoints_in(parse_python(source))


def checkpoints_in(tree: ast.Module) -> Mapping[str, str]:
    """As `checkpoints`, for a loader that is parsed already."""
    return {variant: name for variant, fields in configurations_in(tree).items() if (name := checkpoint_of(fields))}


def _name(key: ast.expr, members: Mapping[str, Member]) -> object:
    """The value of a key of the table of variants; None if it is only known when the loader runs."""
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


def checkpoint_of(fields: Configuration) -> str:
    """The checkpoint in the configuration of a variant; empty: no constant gives it."""
    match fields.get(CHECKPOINT):
        case ast.Constant(value=str(name)):
            return name
    return ""
