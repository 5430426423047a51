# SPDX-License-Identifier: Apache-2.0
"""Widgets and screens use no private API of Textual, except in one module that states the reasons."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widgets import Input, TextArea

ROOT = Path(__file__).parents[2]
HOME = "tui/widgets/internals.py"
_KINDS = (App, Message, Screen, ScrollView, Input, TextArea)


def _private(kind: type) -> set[str]:
    """Private names of Textual in a class and its bases."""
    return set().union(*(_own_private(base) for base in kind.__mro__ if base.__module__.startswith("textual")))


@cache
def _own_private(base: type) -> set[str]:
    # Cached, because Python parses the whole module to find the source of a class.
    own = re.findall(r"\bself\.(_[a-z]\w*)", inspect.getsource(base))
    return {name for name in (*vars(base), *own) if re.match("_[a-z]", name)}


def _modules() -> Iterator[Path]:
    for folder in ("widgets", "screens", "view_models"):
        for path in sorted((ROOT / "tui" / folder).rglob("*.py")):
            if path.name != "__init__.py" and path.relative_to(ROOT).as_posix() != HOME:
                yield path.relative_to(ROOT)


def _uses(source: Path, own: set[str], private: set[str]) -> Iterator[str]:
    """Names that a class of `source` shares with its Textual bases, and private names of any other object."""
    module = importlib.import_module(".".join(source.with_suffix("").parts))
    tree = ast.parse((ROOT / source).read_text(encoding="utf-8"))
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom) and (part.module or "").startswith("textual._"):
            yield f"{source}:{part.lineno} {part.module}"
        if isinstance(part, ast.Attribute) and part.attr in private - own:
            holder = ast.unparse(part.value)
            if holder not in ("self", "super()", "cls"):
                yield f"{source}:{part.lineno} {holder}.{part.attr}"
        kind = getattr(module, part.name, None) if isinstance(part, ast.ClassDef) else None
        if not isinstance(part, ast.ClassDef) or not isinstance(kind, type):
            continue
        shared = _private(kind)
        for inner in ast.walk(part):
            if not isinstance(inner, ast.Attribute | ast.FunctionDef):
                continue
            name = inner.name if isinstance(inner, ast.FunctionDef) else inner.attr if _is_self(inner) else ""
            if name in shared:
                yield f"{source}:{inner.lineno} {part.name}.{name}"


def _is_self(attribute: ast.Attribute) -> bool:
    return ast.unparse(attribute.value) in ("self", "super()")


def _own_names() -> set[str]:
    """Private names that our own classes define: on other objects they may be ours."""
    found: set[str] = set()
    for source in _modules():
        text = (ROOT / source).read_text(encoding="utf-8")
        found |= set(re.findall(r"\b(?:self\.|def )(_[a-z]\w*)", text))
    return found


def test_private_api_of_textual_is_used_in_one_module() -> None:
    private = set().union(*map(_private, _KINDS))
    own = _own_names() | {"_replace"}
    assert [use for source in _modules() for use in _uses(source, own, private)] == []


def test_the_one_module_uses_some() -> None:
    private = set().union(*map(_private, _KINDS))
    names = {part.attr for part in ast.walk(ast.parse((ROOT / HOME).read_text())) if isinstance(part, ast.Attribute)}
    assert {"_set_dirty", "_start_widget", "_suggestion"} <= names & private
