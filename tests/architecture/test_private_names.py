# SPDX-License-Identifier: Apache-2.0
"""Tests go through the faces: how many private names of the product they use only shrinks."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 54
"""Of 594. Give what a test needs a public name, or have it look at what a person sees."""
_OF_OTHERS = frozenset(
    {
        *("_replace", "_fields", "_asdict"),  # of every named tuple
        *("_exit", "_actions", "_subparsers", "_choices", "_groups"),  # os and argparse
        *("_dynamo", "_markers", "_ready", "_run", "_wait"),  # torch, pytest, asyncio
        *("_driver", "_exception", "_display", "_on_timer_update", "_repaint_required"),  # Textual
        "_VARIANTS",  # the loaders of a checkout
    }
)
"""Private names of others that our code has too."""


@cache
def _ours() -> frozenset[str]:
    """The private names that the product defines."""
    found = set()
    for package in ("core", "tui"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                match node:
                    case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                        found.add(name)
                    case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
                        found.add(name)
                    case _:
                        pass
    return frozenset(name for name in found if name[:1] == "_" and name[:2] != "__") - _OF_OTHERS


def _used(source: str, ours: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Private names of the product in the source of a test: taken from a module, or from an object that is not its own."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    own = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _of_itself(node)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in ours - own and not _of_itself(node):
            yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("core", "tui"):
            yield from ((node.lineno, one.name) for one in node.names if one.name in ours)


def _of_itself(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


@pytest.mark.slow("every file is parsed")
def test_tests_use_few_private_names() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line, name in _used(path.read_text(encoding="utf-8"), _ours())
    ]
    assert len(found) <= MOST, "\n".join(found)


def test_a_private_name_would_be_found() -> None:
    source = "from core.runs import _secret\n\ndef look(screen):\n    return screen._rows, screen.rows, self._rows\n"
    assert list(_used(source, frozenset({"_secret"}))) == [(1, "_secret")]
    assert list(_used(source.replace("self._rows", "1"), frozenset({"_rows"}))) == [(4, "screen._rows")]
