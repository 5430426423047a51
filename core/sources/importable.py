# SPDX-License-Identifier: Apache-2.0
"""Loaders that cannot be imported for a reason visible in the tree itself: a missing name or file."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from core.domain.model import Finding, Loader
from core.python import ImportCheck, Imported, ModuleFacts, Raised, Unknown
from core.sources.checkout import Checkout
from core.sources.loader_program import LoaderProgram, placed
from core.sources.models_tree import Lineages, ModelsTree, loader_file


def mark_broken(
    checkout: Checkout, tree: ModelsTree, loaders: Iterable[Loader]
) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """`loaders` with those marked that cannot be imported, and a finding for each that was not marked before."""
    loaders = tuple(loaders)
    failures = import_failures(checkout, tree, [one for one in loaders if not one.broken])
    marked = tuple(
        one._replace(broken=failures[one.directory].text) if one.directory in failures else one for one in loaders
    )
    findings = (
        Finding("broken-loader", f"Contributes no tests: importing it {one.text}", one.path, one.line, id=directory)
        for directory, one in failures.items()
    )
    return marked, tuple(findings)


def import_failures(checkout: Checkout, tree: ModelsTree, loaders: Iterable[Loader]) -> dict[str, Raised]:
    """What importing a loader must raise, by its directory; whether others can be imported depends on packages.

    Imports under `if` or `try`, in functions, and from outside of the tree are left to run time (docs/rules.md 1.1).
    """
    failures = _Failures(checkout, tree)
    found = {loader.directory: failures.of(loader_file(loader.directory)) for loader in loaders}
    return {directory: placed(checkout, raised) for directory, raised in found.items() if raised}


class _Failures:
    """What importing each file raises, cached."""

    def __init__(self, checkout: Checkout, tree: ModelsTree) -> None:
        self._tree = tree
        self._lineages = Lineages(tree)
        self._program = LoaderProgram(checkout)
        self._imports = ImportCheck(tree.files, self._facts)
        self._found: dict[str, Raised | None] = {}

    def of(self, path: str) -> Raised | None:
        """What importing the file must raise; None: the tree shows nothing."""
        if path not in self._found:
            # Modules that import each other see each other partly initialised; that alone is no failure.
            self._found[path] = None
            self._found[path] = self._look(path)
        return self._found[path]

    def _look(self, path: str) -> Raised | None:
        module = self._tree.module(path)
        if not isinstance(module, ModuleFacts):
            # A newer Python may parse what this one does not.
            return None
        needed = (name for name in module.imports.values() if not name.guarded)
        raised = next((found for name in needed if (found := self._missing(path, name))), None)
        if raised is None and self._lineages.may_raise(path, module):
            with suppress(Unknown):
                raised = self._program.raised(path)
        return raised

    def _missing(self, importer: str, name: Imported) -> Raised | None:
        if failure := self._imports.failure(importer, name):
            return failure
        path = self._imports.target(importer, name)
        return self.of(path) if path else None

    def _facts(self, path: str) -> ModuleFacts | None:
        module = self._tree.module(path)
        return module if isinstance(module, ModuleFacts) else None


class NeededPackage(NamedTuple):
    """A package from elsewhere that must be installed when a loader is imported."""

    name: str
    path: str
    """The file that imports it, relative to the models tree."""
    line: int


def shared_modules(tree: ModelsTree, loaders: Iterable[Loader]) -> list[str]:
    """The modules of the tree that loaders of several models import, by path."""
    imports = ImportCheck(tree.files, lambda _: None)
    models: dict[str, set[str]] = {}

    def look(path: str, model: str) -> None:
        users = models.setdefault(path, set())
        if model in users:
            return
        users.add(model)
        facts = tree.module(path)
        for name in facts.imports.values() if isinstance(facts, ModuleFacts) else ():
            for target in _run_by(tree, imports, path, name):
                look(target, model)

    for one in loaders:
        look(loader_file(one.directory), one.directory.partition("/")[0])
    return sorted(path for path, users in models.items() if len(users) > 1 and not path.endswith("/loader.py"))


def needed_packages(tree: ModelsTree, loaders: Iterable[Loader]) -> dict[str, tuple[NeededPackage, ...]]:
    """What importing each loader needs, by its directory; in the order of its imports."""
    imports = ImportCheck(tree.files, lambda _: None)
    needed: dict[str, dict[str, NeededPackage]] = {}

    def look(path: str) -> dict[str, NeededPackage]:
        if path not in needed:
            found = needed[path] = {}
            facts = tree.module(path)
            if isinstance(facts, ModuleFacts):
                found |= {name: NeededPackage(name, path, line) for name, line in facts.packages.items()}
                for name in facts.imports.values():
                    for target in () if name.guarded else _run_by(tree, imports, path, name):
                        found |= {one: place for one, place in look(target).items() if one not in found}
        return needed[path]

    return {one.directory: tuple(look(loader_file(one.directory)).values()) for one in loaders}


def _run_by(tree: ModelsTree, imports: ImportCheck, path: str, name: Imported) -> Iterator[str]:
    """The files of the tree that an import runs: the module, and that of the name if it is one."""
    if target := imports.target(path, name):
        yield target
    module = tree.files.module(path, name)
    if module is not None and name.name and (inner := tree.files.file(f"{module}/{name.name}".lstrip("/"))):
        yield inner
