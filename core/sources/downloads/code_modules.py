# SPDX-License-Identifier: Apache-2.0
"""The modules of the models tree that a loader uses, and the resolution of names across them. Nothing is imported.

Only modules that download something, or import one that does, are parsed; their text shows that.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.python import Imported, module_files, parse_python, statements_in
from core.sources.configurations import Configuration, configurations_in
from core.sources.downloads.constant_texts import assignments
from core.sources.models_tree import models_resolver
from core.sources.stamps import Stamp, stamp_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef

SIGNS = re.compile(
    r"from_pretrained|hf_hub_download|snapshot_download|load_dataset|get_file|hub\.load|load_state_dict_from_url"
    r"|download_url_to_file|load_url|create_model|pytorchcv|torchvision\.models|torchvision import [\w\s,(]*\bmodels"
)
"""Matches the text of every module that downloads something."""
_FROM_HUB = "HUGGING_FACE"
_FROM = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n;]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n;]*)", re.MULTILINE)
_NAME, _DOTTED = re.compile(r"\w+"), re.compile(r"[\w.]+")
_MOST_HOPS = 8
_NAMES = models_resolver("")
"""Only for names: whether a file is there is decided by `code_files`."""


class _Scan(NamedTuple):
    """The facts that the text of a module shows before it is parsed."""

    signs: bool
    imports: tuple[str, ...]
    """Imported modules of the tree, as paths without suffix; packages included."""


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """One file of the tree, parsed."""

    path: str
    tree: ast.Module
    imports: Mapping[str, str]
    """The full name behind each name that is imported from outside of the tree."""
    inside: Mapping[str, tuple[str, str]]
    """By name: the module of the tree that it is imported from, and its name there; empty: the module itself."""
    stars: tuple[str, ...]
    """Modules of the tree with star imports."""
    definitions: Mapping[str, Definition]
    constants: Mapping[str, ast.expr]
    """Values assigned only once outside of functions, by the text of the target: `NAME`, `Class.NAME`, `self.NAME`."""
    configurations: Mapping[str, Configuration]
    """The configuration of each variant, if this is the module of a loader."""
    says_hub: bool
    """Whether it states that models are from the hub."""


class Place(NamedTuple):
    """The meaning of a name: something in a module or, with an empty name, the module itself."""

    module: Module
    name: str


class CodeModules:
    """The files with the code of one loader, at one moment."""

    def __init__(self, models: str, files: Mapping[str, Stamp | None]) -> None:
        """`files` are those to follow, by path relative to the root `models`."""
        self._models = models
        self._files = files
        self._loaded: dict[str, Module | None] = {}
        self._places: dict[tuple[str, str], Place | None] = {}

    def file(self, path: str) -> Module | None:
        """The module at a path relative to the root; None: it is none of these files, or not valid Python."""
        if path not in self._loaded:
            known = path in self._files
            self._loaded[path] = _parsed(f"{self._models}/{path}", path, self._files[path]) if known else None
        return self._loaded[path]

    def place(self, module: Module, name: str) -> Place | None:
        """The definition of `name`, which may have dots, as seen from a module; None: it is not in the tree."""
        asked = module.path, name
        if asked not in self._places:
            self._places[asked] = self._find(module, name, 0)
        return self._places[asked]

    def _find(self, module: Module, name: str, hops: int) -> Place | None:
        first, _, rest = name.partition(".")
        if first in module.definitions or first in module.constants or name in module.constants:
            return Place(module, name)
        if hops > _MOST_HOPS:
            return None
        if first not in module.inside:
            sources = (self._named(one) for one in module.stars)
            return next((one for source in sources if source and (one := self._find(source, name, hops + 1))), None)
        source, attribute = module.inside[first]
        package = self._named(source)
        if attribute and package and (found := self._find(package, f"{attribute}.{rest}".rstrip("."), hops + 1)):
            return found
        inner = self._named(f"{source}/{attribute}".strip("/"))
        return None if inner is None else self._find(inner, rest, hops + 1) if rest else Place(inner, "")

    def _named(self, module: str) -> Module | None:
        return next((found for file in module_files(module) if (found := self.file(file))), None)


def code_files(models: str, start: str) -> dict[str, Stamp | None]:
    """`start`, and those files it uses that download something or lead to one that does.

    Paths are relative to the root `models`; each has its stamp.
    """
    scans: dict[str, _Scan] = {}
    stamps: dict[str, Stamp | None] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in scans:
            stamps[path] = stamp_of(f"{models}/{path}")
            scans[path] = _scan(f"{models}/{path}", path, stamps[path])
            waiting += (file for module in scans[path].imports for file in module_files(module))
    importers: dict[str, list[str]] = {}
    for path, scan in scans.items():
        for module in scan.imports:
            for file in module_files(module):
                importers.setdefault(file, []).append(path)
    found = {start: stamps[start]}
    waiting = [path for path, scan in scans.items() if scan.signs]
    while waiting:
        path = waiting.pop()
        if path not in found or path == start:
            found[path] = stamps[path]
            waiting += (one for one in importers.get(path, ()) if one not in found)
    return found


@lru_cache(maxsize=4096)
def _scan(file: str, path: str, stamp: Stamp | None) -> _Scan:
    text = _text(file, stamp)
    return _Scan(bool(SIGNS.search(text)), tuple(dict.fromkeys(_named_modules(text, path))))


def _named_modules(text: str, path: str) -> Iterator[str]:
    for dots, module, names in _FROM.findall(text):
        source = _NAMES.module(path, Imported(len(dots), module, ""))
        if source is not None:
            yield source
            yield from (f"{source}/{name}".lstrip("/") for name in _NAME.findall(names))
    for names in _IMPORT.findall(text):
        for name in _DOTTED.findall(names):
            if (source := _NAMES.module(path, Imported(0, name, ""))) is not None:
                yield source


def _text(file: str, stamp: Stamp | None) -> str:
    if stamp is None:
        return ""
    try:
        return read_text(Path(file))
    except TTMatrixError:
        return ""


@lru_cache(maxsize=64)
def _parsed(file: str, path: str, stamp: Stamp | None) -> Module | None:
    try:
        text = _text(file, stamp)
        return _module(parse_python(text), path, _FROM_HUB in text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _module(tree: ast.Module, path: str, says_hub: bool) -> Module:
    imports: dict[str, str] = {}
    inside: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    for name, source, attribute, full in _imported(tree, path):
        if source is None:
            imports[name] = full
        elif attribute == "*":
            stars.append(source)
        else:
            inside[name] = source, attribute
    definitions: dict[str, Definition] = {}
    for node in _outside_functions(tree.body):
        if isinstance(node, Definition):
            definitions.setdefault(node.name, node)
    configured = configurations_in(tree) if path.endswith("loader.py") else {}
    return Module(path, tree, imports, inside, tuple(stars), definitions, _constants(tree), configured, says_hub)


def _imported(tree: ast.Module, path: str) -> Iterator[tuple[str, str | None, str, str]]:
    """For each imported name: the module of the tree it is from (if any), its name there, and its full name."""
    for node in statements_in(tree.body):
        match node:
            case ast.Import(names=names):
                for one in names:
                    if one.asname:
                        yield one.asname, _NAMES.module(path, Imported(0, one.name, "")), "", one.name
            case ast.ImportFrom(module=module, names=names, level=level):
                source = _NAMES.module(path, Imported(level, module or "", ""))
                for one in names:
                    yield one.asname or one.name, source, one.name, f"{module}.{one.name}"


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    found = assignments(_outside_functions(tree.body))
    everywhere = list(statements_in(tree.body))
    attributes = assignments(everywhere)
    found |= {name: value for name, value in attributes.items() if "." in name}
    for scope in (one for one in everywhere if isinstance(one, ast.ClassDef)):
        for name, value in assignments(scope.body).items():
            found.setdefault(f"{scope.name}.{name}", value)
            found.setdefault(f"self.{name}", value)
            found.setdefault(f"cls.{name}", value)
    return found


def _outside_functions(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, including those under `if`, `try` and `with`."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "finalbody"):
                yield from _outside_functions(getattr(node, name, []))
            for handler in getattr(node, "handlers", []):
                yield from _outside_functions(handler.body)
