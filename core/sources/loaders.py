# SPDX-License-Identifier: Apache-2.0
"""The tests that the models tree contributes: loaders, variants, adapters and LLM phases. Nothing is imported.

See docs/rules.md 1.
"""

import os
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from core.model import Finding, Framework, Loader
from core.python import ModuleFacts
from core.sources.checkout import Checkout
from core.sources.models_tree import PREFILL_BASE, ClassPlace, Lineages, ModelsTree
from core.sources.stamps import walk

_LOADER_FILE = "loader.py"
_FRAMEWORKS = frozenset(Framework)
_DECODE_METHOD = "load_inputs_decode"
_PREFILL_METHOD = "load_inputs_prefill"


def loader_directories(models: Path, excluded: tuple[str, ...]) -> Iterator[str]:
    """Directories named `pytorch` or `jax` that hold a loader, relative to `models` (docs/rules.md 1.1).

    A torch loader is left out if its parent directory's name is in `excluded`.
    """
    root = os.fspath(models)
    for where, names in walk(root):
        # Strings instead of paths for speed: most of a thousand directories are not needed.
        above, _, name = where.rpartition(os.sep)
        if name not in _FRAMEWORKS or _LOADER_FILE not in names:
            continue
        if name != Framework.PYTORCH or above.rpartition(os.sep)[2] not in excluded:
            yield where[len(root) + 1 :].replace(os.sep, "/")


def loader_file(directory: str) -> str:
    """The path of a loader relative to the models root."""
    return f"{directory}/{_LOADER_FILE}"


def scan_loaders(
    checkout: Checkout, directories: Iterable[str], tree: ModelsTree | None = None
) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """The loaders of `directories`. One that cannot be parsed is a finding and contributes nothing.

    Pass `tree` if the modules that are read here are needed afterwards, or were read ahead.
    """
    tree = tree or ModelsTree(checkout.models)
    loaders: list[Loader] = []
    findings: list[Finding] = []
    lineages = Lineages(tree)
    for directory in directories:
        module = tree.module(loader_file(directory))
        if isinstance(module, ModuleFacts):
            loaders.append(_describe(directory, module, lineages))
        else:
            message = f"Cannot be parsed, contributes no tests: {module.reason}"
            where = checkout.relative(checkout.models / loader_file(directory))
            findings.append(Finding("broken-loader", message, where, module.line, module.column, directory))
    return tuple(loaders), tuple(findings)


def _describe(directory: str, module: ModuleFacts, lineages: Lineages) -> Loader:
    path = loader_file(directory)
    if "ModelLoader" not in module.classes and "ModelLoader" not in module.imports:
        return Loader(directory, broken="defines no class ModelLoader")
    variants = _variants(path, module, "ModelLoader", lineages) or ()
    if directory.endswith(f"/{Framework.JAX}"):
        return Loader(directory, variants)
    methods = {name for found in lineages.of(path, module, "ModelLoader") for name in found.facts.methods}
    return Loader(
        directory, variants, _prefill_variants(path, module, variants, methods, lineages), _DECODE_METHOD in methods
    )


def _prefill_variants(
    path: str, module: ModuleFacts, variants: tuple[str, ...], methods: set[str], lineages: Lineages
) -> tuple[str, ...] | None:
    """Variants of the prefill class; in older trees without such classes, all variants of a loader with the method."""
    if not lineages.tree.has_prefill_classes:
        return variants if _PREFILL_METHOD in methods else None
    prefill = _prefill_class(path, module, lineages)
    return _variants(path, module, prefill, lineages) or variants if prefill else None


def _prefill_class(path: str, module: ModuleFacts, lineages: Lineages) -> str:
    """The class in this module that descends from ForgePrefillModel; empty: none."""
    for name in module.classes:
        if any(PREFILL_BASE in found.facts.bases for found in lineages.of(path, module, name)):
            return name
    return ""


def _variants(path: str, module: ModuleFacts, name: str, lineages: Lineages) -> tuple[str, ...] | None:
    """Variant values of class `name`, own or inherited; None: there is no `_VARIANTS` in the tree."""
    for found in lineages.of(path, module, name):
        keys = found.facts.variant_keys
        if isinstance(keys, str):
            keys = found.module.variant_dicts.get(keys, ())
        if keys is not None:
            enums = {enum: _members(found, enum, lineages) for enum in {enum for enum, _ in keys if enum}}
            return tuple(dict.fromkeys(_value(enums, enum, member) for enum, member in keys))
    return None


def _members(owner: ClassPlace, enum: str, lineages: Lineages) -> Mapping[str, str]:
    """Texts of an enum's members, inherited ones included."""
    return ChainMap(*(dict(one.facts.members) for one in lineages.of(owner.path, owner.module, enum)))


def _value(enums: Mapping[str, Mapping[str, str]], enum: str, member: str) -> str:
    """The text of an enum member; an unknown one is written as upstream's validator writes it."""
    return enums[enum].get(member, member.lower()) if enum else member
