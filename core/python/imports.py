# SPDX-License-Identifier: Apache-2.0
"""Imports that must fail, because the tree lacks the module or the name. Nothing is evaluated for that."""

from collections.abc import Callable

from core.python.outline import ModuleFacts
from core.python.resolver import Imported, Resolver, package_of
from core.python.values import Raised


class ImportCheck:
    """Looks imports up among the files of a tree."""

    def __init__(self, files: Resolver, facts: Callable[[str], ModuleFacts | None]) -> None:
        """`facts` has the outline of a file; None: it cannot be read."""
        self._files = files
        self._facts = facts

    def target(self, importer: str, name: Imported, base: str | None = None) -> str | None:
        """The file that an import runs; None: none of the tree."""
        module = self._files.module(importer, name, base)
        return None if module is None else self._files.file(module)

    def failure(self, importer: str, name: Imported, base: str | None = None) -> Raised | None:
        """What an import raises; None: nothing that is certain."""
        if name.level > importer.count("/") + 1:
            return self._failed("ImportError", f"{name.text} is beyond the tree", importer, name)
        module = self._files.module(importer, name, base)
        if module is None:
            return None
        path = self._files.file(module)
        if path is None:
            known = self._has(module, name.name) or (not name.name and self._files.is_directory(module))
            missing = f"{module.replace('/', '.')} does not exist"
            return None if known else self._failed("ModuleNotFoundError", missing, importer, name)
        facts = self._facts(path)
        if not name.name or facts is None or self._offers(facts, path, name.name):
            return None
        return self._failed("ImportError", f"{path} does not define {name.name}", importer, name)

    def _failed(self, exception: str, message: str, importer: str, name: Imported) -> Raised:
        return Raised(exception, message, importer, name.line)

    def _offers(self, facts: ModuleFacts, path: str, name: str) -> bool:
        known = name == "*" or name in facts.defined or facts.open_ended or name.startswith("__")
        return known or (path.endswith("__init__.py") and self._has(package_of(path), name))

    def _has(self, package: str, name: str) -> bool:
        """Whether `name` is a module or directory in the directory `package`."""
        if name in ("", "*"):
            return name == "*" and self._files.is_directory(package)
        return self._files.place("/".join(filter(None, (package, name)))) is not None
