# SPDX-License-Identifier: Apache-2.0
"""One module uses what is private in Textual, says why, and with which version."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

from textual._compositor import Compositor
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.drivers.linux_driver import LinuxDriver
from textual.drivers.web_driver import WebDriver
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tui.textual_private import CHECKED, PRIVATE

ROOT = Path(__file__).parents[2]
HOME = "tui/textual_private.py"
_KINDS = (
    App,
    Message,
    Screen,
    ScrollView,
    Input,
    TextArea,
    LinuxDriver,
    WebDriver,
    Compositor,
    XTermParser,
    Stylesheet,
)
_BASES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        App,
        Compositor,
        Input,
        LinuxDriver,
        Message,
        MessagePump,
        Screen,
        ScrollView,
        Stylesheet,
        Widget,
        XTermParser,
    )
}


def _private(kind: type) -> set[str]:
    """Private names of Textual in a class and its bases."""
    return set().union(*(_own_private(base) for base in kind.__mro__ if base.__module__.startswith("textual.")))


@cache
def _own_private(base: type) -> set[str]:
    # Cached, because Python parses the whole module to find the source of a class.
    own = re.findall(r"\bself\.(_[a-z]\w*)", inspect.getsource(base))
    return {name for name in (*vars(base), *own) if re.match("_[a-z]", name)}


def _modules() -> Iterator[Path]:
    for path in sorted((ROOT / "tui").rglob("*.py")):
        if path.name not in ("__init__.py", "__main__.py") and path.relative_to(ROOT).as_posix() != HOME:
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
            if holder not in ("self", "super()", "cls", "os"):
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


def _used_there() -> set[str]:
    """The private names of Textual in the one module, and its private modules."""
    private, found = set().union(*map(_private, _BASES.values())), set()
    for part in ast.walk(ast.parse((ROOT / HOME).read_text(encoding="utf-8"))):
        match part:
            case ast.ImportFrom(module=str(name)) if name.startswith("textual._"):
                found.add(name)
            case ast.Attribute(attr=name) | ast.FunctionDef(name=name) | ast.Constant(value=str(name)):
                found |= {name} & private
            case _:
                pass
    return found


def test_each_private_name_has_a_reason_and_is_one_of_textual() -> None:
    names = {}
    for whole in PRIVATE:
        kind, _, name = whole.rpartition(".")
        if kind == "textual":
            importlib.import_module(whole)
        else:
            assert name in _private(_BASES[kind]), f"Textual has no {whole} any more"
        names[whole if kind == "textual" else name] = whole
    assert names.keys() == _used_there()


def test_they_were_checked_with_the_version_that_is_used() -> None:
    assert version("textual").startswith(f"{CHECKED}.")
    assert f'"textual>={CHECKED}.' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
