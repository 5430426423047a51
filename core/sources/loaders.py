# SPDX-License-Identifier: Apache-2.0
"""The tests that the models tree contributes: loaders, variants, adapters and LLM phases. Nothing is imported.

See docs/rules.md 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import core.sources
from core.domain.model import Finding, Framework, Loader
from core.python import ModuleFacts
from core.sources.checkout import Checkout
from core.sources.models_tree import (
    LOADER_CLASS,
    LOADER_FILE,
    PREFILL_BASE,
    ClassPlace,
    Lineages,
    ModelsTree,
    loader_file,
)
from core.sources.stamps import walk

if TYPE_CHECKING:
    from core.sources.loader_program import LoaderProgram

_FRAMEWORKS = frozenset(Framework)
_DECODE_METHOD = "load_inputs_decode"
_PREFILL_METHOD = "load_inputs_prefill"
_HIDDEN = "\0"
"""A key whose text the outline does not show. If nothing else does, it is written as upstream's validator does it."""


def loader_directories(models: Path, excluded: tuple[str, ...]) -> Iterator[str]:
    """Directories named `pytorch` or `jax` that hold a loader, relative to `models` (docs/rules.md 1.1).

    A torch loader is left out if its parent directory's name is in `excluded`.
    """
    root = os.fspath(models)
    for where, names in walk(root):
        # Strings instead of paths for speed: most of a thousand directories are not needed.
        above, _, name = where.rpartition(os.sep)
        if name not in _FRAMEWORKS or LOADER_FILE not in names:
            continue
        if name != Framework.PYTORCH or above.rpartition(os.sep)[2] not in excluded:
            yield where[len(root) + 1 :].replace(os.sep, "/")


def scan_loaders(
    checkout: Checkout, directories: Iterable[str], tree: ModelsTree | None = None
) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """The loaders of `directories`. One that cannot be parsed is a finding and contributes nothing.

    Pass `tree` if the modules that are read here are needed afterwards, or were read ahead.
    """
    scan = _Scan(checkout, tree or ModelsTree(checkout.models))
    loaders = [loader for directory in directories if (loader := scan.loader(directory)) is not None]
    return tuple(loaders), tuple(scan.findings)


class _Scan:
    """Reads loaders. What their outlines leave open is evaluated."""

    def __init__(self, checkout: Checkout, tree: ModelsTree) -> None:
        self._checkout = checkout
        self._tree = tree
        self._lineages = Lineages(tree)
        self._program: LoaderProgram | None = None
        self.findings: list[Finding] = []

    def loader(self, directory: str) -> Loader | None:
        """The loader in a directory; None if it cannot be parsed."""
        path = loader_file(directory)
        module = self._tree.module(path)
        if not isinstance(module, ModuleFacts):
            message = f"Cannot be parsed, contributes no tests: {module.reason}"
            self._find(directory, message, module.line, module.column)
            return None
        broken = self._broken(directory, path, module)
        variants = self._variants(path, module, LOADER_CLASS, broken) or ()
        if directory.endswith(f"/{Framework.JAX}"):
            return Loader(directory, variants, broken=broken)
        lineage = self._lineages.of(path, module, LOADER_CLASS)
        decodes = any(_DECODE_METHOD in found.facts.methods for found in lineage)
        return Loader(directory, variants, self._prefill_variants(path, module, variants, broken), decodes, broken)

    def _find(self, directory: str, message: str, line: int = 0, column: int = 0) -> None:
        where = self._checkout.relative(self._checkout.models / loader_file(directory))
        self.findings.append(Finding("broken-loader", message, where, line, column, directory))

    def _broken(self, directory: str, path: str, module: ModuleFacts) -> str:
        """Why a loader contributes nothing; empty if nothing is seen."""
        if LOADER_CLASS not in module.classes and LOADER_CLASS not in module.imports and not module.open_ended:
            reason = f"defines no class {LOADER_CLASS}"
            self._find(directory, f"Contributes no tests: {reason}")
            return reason
        hidden = any(one.has_hidden_keys for one in module.classes.values())
        asked = hidden or self._lineages.may_raise(path, module)
        failure = self._evaluated.failure(directory) if asked else None
        if failure is None:
            return ""
        self.findings.append(failure.finding(directory))
        return "" if failure.stage == "instance" else failure.raised.text

    @property
    def _evaluated(self) -> LoaderProgram:
        if self._program is None:
            self._program = core.sources.LoaderProgram(self._checkout)
        return self._program

    def _prefill_variants(
        self, path: str, module: ModuleFacts, variants: tuple[str, ...], broken: str
    ) -> tuple[str, ...] | None:
        """Variants of the prefill class; in older trees without such classes, all of a loader with the method."""
        if not self._tree.has_prefill_classes:
            lineage = self._lineages.of(path, module, LOADER_CLASS)
            return variants if any(_PREFILL_METHOD in found.facts.methods for found in lineage) else None
        prefill = self._prefill_class(path, module)
        return self._variants(path, module, prefill, broken) or variants if prefill else None

    def _prefill_class(self, path: str, module: ModuleFacts) -> str:
        """The class in this module that descends from ForgePrefillModel; empty: none."""
        for name in module.classes:
            if any(PREFILL_BASE in found.facts.bases for found in self._lineages.of(path, module, name)):
                return name
        return ""

    def _variants(self, path: str, module: ModuleFacts, name: str, broken: str) -> tuple[str, ...] | None:
        """Variant values of class `name`, own or inherited; None: there is no `_VARIANTS` in the tree.

        None is invented for a loader that is `broken`.
        """
        for found in self._lineages.of(path, module, name):
            keys = found.facts.variant_keys
            if keys is None:
                continue
            hidden = found.facts.has_hidden_keys
            if isinstance(keys, str):
                hidden = keys not in found.module.variant_dicts
                keys = found.module.variant_dicts.get(keys, ())
            texts = [self._value(found, enum, member) for enum, member in keys]
            if (hidden or _HIDDEN in texts) and (known := self._evaluated.variants_of(path, name)) is not None:
                return known
            lost = {} if broken else {at: member.lower() for at, (_, member) in enumerate(keys)}
            shown = [lost.get(at, "") if text == _HIDDEN else text for at, text in enumerate(texts)]
            return tuple(dict.fromkeys(filter(None, shown)))
        return None

    def _value(self, owner: ClassPlace, enum: str, member: str) -> str:
        """The text of a key, or `_HIDDEN`."""
        places = self._lineages.of(owner.path, owner.module, enum) if enum else ()
        place = next((one for one in places if member in one.facts.names), None)
        return place.facts.members.get(member, _HIDDEN) if place else _HIDDEN if enum else member
