# SPDX-License-Identifier: Apache-2.0
"""Loaders that cannot be imported for a reason visible in the tree itself: a missing name or file."""

from collections.abc import Iterable

from core.model import Finding, Loader
from core.python import Imported, ModuleFacts
from core.sources.checkout import Checkout
from core.sources.loaders import loader_file
from core.sources.models_tree import ModelsTree


def mark_broken(
    checkout: Checkout, tree: ModelsTree, loaders: Iterable[Loader]
) -> tuple[tuple[Loader, ...], tuple[Finding, ...]]:
    """`loaders` with those marked that cannot be imported, and a finding for each of these."""
    loaders = tuple(loaders)
    failures = import_failures(tree, loaders)
    marked = tuple(
        one._replace(broken=failures[one.directory]) if one.directory in failures else one for one in loaders
    )
    findings = tuple(
        Finding(
            "broken-loader",
            f"Cannot be imported, so its tests are not collected: {reason}",
            checkout.relative(checkout.models / loader_file(directory)),
            id=directory,
        )
        for directory, reason in failures.items()
    )
    return marked, findings


def import_failures(tree: ModelsTree, loaders: Iterable[Loader]) -> dict[str, str]:
    """Why importing a loader must fail, by its directory; whether others can be imported depends on packages.

    Imports under `if` or `try`, in functions, and from outside of the tree are left to run time (docs/rules.md 1.1).
    """
    failures = _Failures(tree)
    found = {loader.directory: failures.of(loader_file(loader.directory)) for loader in loaders}
    return {directory: reason for directory, reason in found.items() if reason}


class _Failures:
    """The failure reason of each file, cached."""

    def __init__(self, tree: ModelsTree) -> None:
        self._tree = tree
        self._reasons: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Why importing the file must fail; empty: the tree shows no reason."""
        if path not in self._reasons:
            # Modules that import each other see each other partly initialised; that alone is no failure.
            self._reasons[path] = ""
            self._reasons[path] = self._look(path)
        return self._reasons[path]

    def _look(self, path: str) -> str:
        module = self._tree.module(path)
        if not isinstance(module, ModuleFacts):
            # A newer Python may parse what this one does not.
            return ""
        needed = (name for name in module.imports.values() if not name.guarded)
        return next((reason for name in needed if (reason := self._missing(path, name))), "")

    def _missing(self, importer: str, name: Imported) -> str:
        if name.level > importer.count("/") + 1:
            return f"imports {'.' * name.level}{name.module}, which is beyond the models tree"
        target = self._tree.files.module(importer, name)
        if target is None:
            return ""
        path = self._tree.files.file(target)
        if path is None:
            known = self._is_package(target, name.name)
            return "" if known else f"imports {target.replace('/', '.')}, which does not exist"
        module = self._tree.module(path)
        if isinstance(module, ModuleFacts) and not self._offers(module, target, name.name):
            return f"imports {name.name} from {path}, which does not define it"
        reason = self.of(path)
        return f"{reason} (in {path})" if reason and " (in " not in reason else reason

    def _offers(self, module: ModuleFacts, package: str, name: str) -> bool:
        known = name == "*" or name in module.defined or module.open_ended or name.startswith("__")
        return known or self._is_package(package, name)

    def _is_package(self, package: str, name: str) -> bool:
        """Whether `name` is a module or directory in the directory `package`."""
        inside = self._tree.models / package
        return (inside / f"{name}.py").is_file() or (inside / name).is_dir() or (name == "*" and inside.is_dir())
