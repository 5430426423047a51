# SPDX-License-Identifier: Apache-2.0
"""Which tests the models tree contributes: loaders, variants, adapters and LLM phases (spec 1), nothing imported."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.model import Finding, Framework, Loader
from core.sources.checkout import Checkout
from core.sources.models_tree import PREFILL_BASE, ModelsTree
from core.sources.modules import ClassFacts, ModuleFacts

LOADER_FILE = "loader.py"
_FRAMEWORKS = frozenset(Framework)
_DECODE_METHOD = "load_inputs_decode"
_PREFILL_METHOD = "load_inputs_prefill"


def loader_directories(models: Path, excluded: tuple[str, ...]) -> Iterator[str]:
    """Directories named `pytorch` or `jax` that hold a loader, relative to `models` (spec 1.1).

    A torch loader is left out where its parent directory's name is in `excluded`.
    """
    root = os.fspath(models)
    for where, directories, names in os.walk(root):
        directories.sort()
        # Text, not paths: most of a thousand directories are none of ours.
        above, _, name = where.rpartition(os.sep)
        if name not in _FRAMEWORKS or LOADER_FILE not in names:
            continue
        if name != Framework.PYTORCH or above.rpartition(os.sep)[2] not in excluded:
            yield where[len(root) + 1 :].replace(os.sep, "/")


def scan_loaders(
    checkout: Checkout, excluded: tuple[str, ...], tree: ModelsTree | None = None
) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """Every loader of the checkout. One that cannot be parsed is a finding and contributes nothing.

    `tree` is given where the modules that are read here are wanted afterwards.
    """
    tree = tree or ModelsTree(checkout.models)
    loaders: list[Loader] = []
    findings: list[Finding] = []
    for directory in loader_directories(checkout.models, excluded):
        path = checkout.models / directory / LOADER_FILE
        module = tree.module(f"{directory}/{LOADER_FILE}")
        if isinstance(module, ModuleFacts):
            loaders.append(_describe(directory, module, tree))
        else:
            message = f"Cannot be parsed, contributes no tests: {module.reason}"
            where = checkout.relative(path)
            findings.append(Finding("broken-loader", message, where, module.line, module.column, directory))
    return tuple(loaders), tuple(findings)


@dataclass(frozen=True, slots=True)
class _Found:
    """A class and where it stands."""

    path: str
    module: ModuleFacts
    name: str
    facts: ClassFacts


def _lineage(path: str, module: ModuleFacts, name: str, tree: ModelsTree) -> Iterator[_Found]:
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
        elif name in module.imports and (found := tree.imported(path, module.imports[name])):
            queue.insert(0, (*found, module.imports[name].name))


def _describe(directory: str, module: ModuleFacts, tree: ModelsTree) -> Loader:
    path = f"{directory}/{LOADER_FILE}"
    if "ModelLoader" not in module.classes and "ModelLoader" not in module.imports:
        return Loader(directory, broken="defines no class ModelLoader")
    variants = _variants(path, module, "ModelLoader", tree) or ()
    if directory.endswith(f"/{Framework.JAX}"):
        return Loader(directory, variants)
    methods = {name for found in _lineage(path, module, "ModelLoader", tree) for name in found.facts.methods}
    return Loader(
        directory, variants, _prefill_variants(path, module, variants, methods, tree), _DECODE_METHOD in methods
    )


def _prefill_variants(
    path: str, module: ModuleFacts, variants: tuple[str, ...], methods: set[str], tree: ModelsTree
) -> tuple[str, ...] | None:
    """Variants of the prefill class; before there were such classes, all variants of a loader with the method."""
    if not tree.has_prefill_classes:
        return variants if _PREFILL_METHOD in methods else None
    prefill = _prefill_class(path, module, tree)
    return _variants(path, module, prefill, tree) or variants if prefill else None


def _prefill_class(path: str, module: ModuleFacts, tree: ModelsTree) -> str:
    """The class defined in this very module that descends from ForgePrefillModel; empty: none."""
    for name in module.classes:
        if any(PREFILL_BASE in found.facts.bases for found in _lineage(path, module, name, tree)):
            return name
    return ""


def _variants(path: str, module: ModuleFacts, name: str, tree: ModelsTree) -> tuple[str, ...] | None:
    """Variant values of class `name`, own or inherited; None: no `_VARIANTS` anywhere in the tree."""
    for found in _lineage(path, module, name, tree):
        keys = found.facts.variant_keys
        if isinstance(keys, str):
            keys = found.module.variant_dicts.get(keys, ())
        if keys is not None:
            return tuple(dict.fromkeys(_value(found, enum, member, tree) for enum, member in keys))
    return None


def _value(owner: _Found, enum: str, member: str, tree: ModelsTree) -> str:
    """The text of an enum member; an unknown one prints as upstream's validator prints it."""
    if not enum:
        return member
    for found in _lineage(owner.path, owner.module, enum, tree):
        if member in found.facts.members:
            return found.facts.members[member]
    return member.lower()
