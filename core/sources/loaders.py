# SPDX-License-Identifier: Apache-2.0
"""Which tests the models tree contributes: loaders, variants, adapters and LLM phases (spec 1), nothing imported."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from core.model import Finding, Framework, Loader
from core.sources.checkout import Checkout
from core.sources.modules import ClassFacts, ImportedName, ModuleFacts, read_module

LOADER_FILE = "loader.py"
_PREFILL_BASE = "ForgePrefillModel"
_DECODE_METHOD = "load_inputs_decode"


def loader_directories(models: Path, excluded: tuple[str, ...]) -> Iterator[str]:
    """Directories named `pytorch` or `jax` that hold a loader, relative to `models` (spec 1.1).

    A torch loader is left out where its parent directory's name is in `excluded`.
    """
    for where, directories, names in os.walk(models):
        directories.sort()
        path = PurePosixPath(Path(where).relative_to(models))
        if path.name not in tuple(Framework) or LOADER_FILE not in names:
            continue
        if path.name == Framework.PYTORCH and path.parent.name in excluded:
            continue
        yield str(path)


def scan_loaders(checkout: Checkout, excluded: tuple[str, ...]) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """Every loader of the checkout. One that cannot be parsed is a finding and contributes nothing."""
    scan = _Scan(checkout.models)
    loaders: list[Loader] = []
    findings: list[Finding] = []
    for directory in loader_directories(checkout.models, excluded):
        path = checkout.models / directory / LOADER_FILE
        module = scan.module(f"{directory}/{LOADER_FILE}")
        if isinstance(module, ModuleFacts):
            loaders.append(_describe(directory, module, scan))
        else:
            message = f"Cannot be parsed, contributes no tests: {module.reason}"
            where = checkout.relative(path)
            findings.append(Finding("broken-loader", message, where, module.line, module.column, directory))
    return tuple(loaders), tuple(findings)


@dataclass(frozen=True, slots=True)
class _Unreadable:
    reason: str
    line: int = 0
    column: int = 0


@dataclass(slots=True)
class _Scan:
    """Reads each module of the models tree at most once."""

    models: Path
    _modules: dict[str, ModuleFacts | _Unreadable] = field(default_factory=dict)

    def module(self, path: str) -> ModuleFacts | _Unreadable:
        """Facts of the file at `path`, relative to the models root."""
        if path not in self._modules:
            self._modules[path] = _read(self.models / path)
        return self._modules[path]

    def imported(self, importer: str, name: ImportedName) -> tuple[str, ModuleFacts] | None:
        """The module of the tree that `name` is imported from, seen from the file `importer`."""
        if name.level:
            package = PurePosixPath(importer).parents
            if name.level > len(package):
                return None
            base = package[name.level - 1]
        elif name.module.partition(".")[0] == "tt_forge_models":
            return self._facts(PurePosixPath(*name.module.split(".")[1:]))
        elif name.module.startswith("third_party.tt_forge_models."):
            return self._facts(PurePosixPath(*name.module.split(".")[2:]))
        else:
            return None
        return self._facts(base.joinpath(*filter(None, name.module.split("."))))

    def _facts(self, module: PurePosixPath) -> tuple[str, ModuleFacts] | None:
        path = f"{module}.py"
        if not (self.models / path).is_file():
            path = f"{module}/__init__.py"
        facts = self.module(path)
        return (path, facts) if isinstance(facts, ModuleFacts) else None


def _read(path: Path) -> ModuleFacts | _Unreadable:
    try:
        return read_module(path.read_text(encoding="utf-8-sig"), str(path))
    except SyntaxError as error:
        return _Unreadable(error.msg, error.lineno or 0, error.offset or 0)
    except (OSError, ValueError, RecursionError) as error:
        return _Unreadable(str(error))


@dataclass(frozen=True, slots=True)
class _Found:
    """A class and where it stands."""

    path: str
    module: ModuleFacts
    name: str
    facts: ClassFacts


def _lineage(path: str, module: ModuleFacts, name: str, scan: _Scan) -> Iterator[_Found]:
    """The class and its bases within the models tree, nearest first, as Python would look an attribute up."""
    seen: set[tuple[str, str]] = set()
    queue = [(path, module, name)]
    while queue:
        path, module, name = queue.pop(0)
        if (path, name) in seen:
            continue
        seen.add((path, name))
        if name in module.classes:
            facts = module.classes[name]
            yield _Found(path, module, name, facts)
            queue[:0] = [(path, module, base) for base in facts.bases]
        elif name in module.imports and (found := scan.imported(path, module.imports[name])):
            queue.insert(0, (*found, module.imports[name].name))


def _describe(directory: str, module: ModuleFacts, scan: _Scan) -> Loader:
    path = f"{directory}/{LOADER_FILE}"
    if "ModelLoader" not in module.classes and "ModelLoader" not in module.imports:
        return Loader(directory, broken="defines no class ModelLoader")
    variants = _variants(path, module, "ModelLoader", scan) or ()
    if directory.endswith(f"/{Framework.JAX}"):
        return Loader(directory, variants)
    prefill = _prefill_class(path, module, scan)
    return Loader(
        directory,
        variants,
        _variants(path, module, prefill, scan) or variants if prefill else None,
        any(_DECODE_METHOD in found.facts.methods for found in _lineage(path, module, "ModelLoader", scan)),
    )


def _prefill_class(path: str, module: ModuleFacts, scan: _Scan) -> str:
    """The class defined in this very module that descends from ForgePrefillModel; empty: none."""
    for name in module.classes:
        if any(_PREFILL_BASE in found.facts.bases for found in _lineage(path, module, name, scan)):
            return name
    return ""


def _variants(path: str, module: ModuleFacts, name: str, scan: _Scan) -> tuple[str, ...] | None:
    """Variant values of class `name`, own or inherited; None: no `_VARIANTS` anywhere in the tree."""
    for found in _lineage(path, module, name, scan):
        keys = found.facts.variant_keys
        if isinstance(keys, str):
            keys = found.module.variant_dicts.get(keys, ())
        if keys is not None:
            return tuple(dict.fromkeys(_value(found, enum, member, scan) for enum, member in keys))
    return None


def _value(owner: _Found, enum: str, member: str, scan: _Scan) -> str:
    """The text of an enum member; an unknown one prints as upstream's validator prints it."""
    if not enum:
        return member
    for found in _lineage(owner.path, owner.module, enum, scan):
        if member in found.facts.members:
            return found.facts.members[member]
    return member.lower()
