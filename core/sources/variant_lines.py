# SPDX-License-Identifier: Apache-2.0
"""Where a loader names a variant: for a person who wants to read or change it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from core.sources.syntax import parse_python

_LOADER, _VARIANTS = "ModelLoader", "_VARIANTS"


def variant_line(loader: Path, variant: str) -> int:
    """The line at which `loader` has the configuration of a variant, else its name, else its class begins; else 1.

    `variant` is as ids have it; empty: the loader has none.
    """
    try:
        tree = parse_python(loader.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return 1
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    names = {
        f"{one.name}.{target.id}": (node.value.value, node.lineno)
        for one in classes
        for node in one.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = [
        *(key.lineno for key in _keys(classes) if variant and names.get(ast.unparse(key), (_text(key),))[0] == variant),
        *(line for text, line in names.values() if variant and text == variant),
        *(one.lineno for one in classes if one.name == _LOADER),
    ]
    return found[0] if found else 1


def _text(key: ast.expr) -> object:
    return key.value if isinstance(key, ast.Constant) else None


def _keys(classes: list[ast.ClassDef]) -> Iterator[ast.expr]:
    """The keys of the table of variants."""
    for one in classes:
        for node in one.body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if isinstance(value, ast.Dict) and any(isinstance(it, ast.Name) and it.id == _VARIANTS for it in targets):
                yield from (key for key in value.keys if key is not None)
