# SPDX-License-Identifier: Apache-2.0
"""Modules of a tree, evaluated statement by statement from their syntax trees; nothing of them is executed."""

import ast
import re
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

from core.python import known
from core.python.expressions import Expressions, NameMissing, may_bind
from core.python.imports import ImportCheck
from core.python.outline import ModuleFacts, needed_imports, read_module
from core.python.resolver import Imported, Resolver, package_of
from core.python.statements import Statements
from core.python.syntax import parse_python
from core.python.values import Class, External, Function, ModuleScope, Opaque, Raised, Raises, Scope, Unknown, Value


class Inputs:
    """The paths that each module looked at while it was evaluated, by its own path. A directory ends with `/`."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}
        self._at: list[set[str]] = []
        """The inputs of the modules that are being evaluated, the innermost last."""

    @contextmanager
    def reading(self, path: str) -> Iterator[None]:
        """What is noted in the block is an input of the module at `path`, which is one of the module around it."""
        self.note(path)
        self._at.append(self._of.setdefault(path, set()))
        try:
            yield
        finally:
            self._at.pop()

    def note(self, path: str) -> None:
        """The module that is being evaluated depends on what is at `path`, or on that nothing is there."""
        if self._at:
            self._at[-1].add(path)

    def of(self, *paths: str) -> frozenset[str]:
        """All that modules depend on: they themselves, what they look at, and what those modules look at."""
        found: set[str] = set()
        waiting = set(paths)
        while waiting:
            found |= waiting
            waiting = {inner for path in waiting for inner in self._of.get(path, ())} - found
        return frozenset(found)


_MOST_STEPS = 400_000
"""How many expressions are evaluated for one module, including those in the functions that it calls."""


_BUILT = ("python_package/", "integrations/")
"""Packages of which some modules are made when they are built."""
_LAZY = re.compile(r"^from __future__ import .*\bannotations\b", re.MULTILINE)


Parsed: TypeAlias = tuple[ast.Module, bytes]
"""The syntax tree and the bytes of a file."""
Parse: TypeAlias = Callable[[str], Parsed]
"""Gives those of the file at a path."""


class Lacking(Unknown):
    """A module has no such name, for certain."""


class Program:
    """The modules of a tree, read on request and at most once."""

    def __init__(
        self, files: Resolver, only: Container[str] | None = None, parse: Parse | None = None, *, lenient: bool = False
    ) -> None:
        """With `only`, what other files define is unknown. `lenient`: what raises is unknown, and no more than that.

        `parse` reads and parses the file at a path; it raises what `parse_python` and reading raise.
        """
        self.files = files
        self.inputs = Inputs()
        """What each module was evaluated from; not forgotten."""
        files.seen = self.inputs.note
        self._only = only
        self._parse = parse or self._read_and_parse
        self.read: dict[str, ModuleScope | Opaque] = {}
        """Modules by path; for an unreadable one, the reason."""
        self.trees: dict[str, tuple[ast.Module, str]] = {}
        """The syntax tree and text of each module."""
        self._pending: set[tuple[str | None, str]] = set()
        """Imports that are being resolved, by file and name."""
        self._outlines: dict[str, ModuleFacts | None] = {}
        self._raised: dict[str, Raised | None] = {}
        """What importing each module raises, as far as that was asked."""
        self._imports = ImportCheck(files, self._facts)
        self.expressions = Expressions(self, lenient=lenient)
        self._statements = Statements(self.expressions)
        self.expressions.statements = self._statements

    def module(self, path: str) -> ModuleScope:
        """The module at `path`. Raises Unknown if it cannot be read."""
        self.inputs.note(path)
        if path not in self.read:
            with self.inputs.reading(path):
                self.read[path] = scope = ModuleScope(path, self.files.base_of(path))
                try:
                    self._run(path, scope)
                except Unknown as error:
                    self.read[path] = Opaque(str(error))
        found = self.read[path]
        if isinstance(found, Opaque):
            raise Unknown(found.reason)
        return found

    def forget(self) -> None:
        """Let go of what was read; values of before may no longer be used.

        Modules, classes and functions refer to each other. Taken apart here, they are freed at once: the collector
        would take as long for a thousand loaders as evaluating them.
        """
        for module in self.read.values():
            if isinstance(module, ModuleScope):
                for value in module.names.values():
                    if isinstance(value, Class):
                        value.take_apart()
                module.names.clear()
                module.resolved.clear()
        self.read.clear()
        self._outlines.clear()
        self._raised.clear()
        self.trees.clear()
        self.expressions.unsure.clear()
        self._statements.forget()

    def imported(self, module: ModuleScope, name: Imported) -> Value:
        """The value that an import in `module` binds. Raises Unknown, and Raises where the import must fail."""
        if name not in module.resolved:
            # Who asks for it later does not look again, but depends on the module.
            with self.inputs.reading(module.path):
                module.resolved[name] = self._resolve(module, name)
        return module.resolved[name]

    def _resolve(self, module: ModuleScope, name: Imported) -> Value:
        target = self.files.module(module.path, name, module.base)
        if (target, name.name) in self._pending:
            raise Unknown(f"{target} imports {name.name} from itself")
        if target is None:
            if name.level:
                raise self._failed(module, name, "ImportError", "attempted relative import beyond top-level package")
            found = External(".".join(filter(None, (name.module, name.name))), is_module=not name.name)
            return known.constant(found) if name.name else found
        path = self.files.place(target)
        if path is None:
            raise self._failed(module, name, "ModuleNotFoundError", f"No module named {name.text!r}")
        if self._only is not None and path not in self._only:
            return Opaque(f"{path} is not read")
        self._pending.add((target, name.name))
        try:
            return self._taken(path, name.name) if name.name else self._whole(path)
        except Lacking:
            message = f"cannot import name {name.name!r} from {path}"
            raise self._failed(module, name, "ImportError", message) from None
        finally:
            self._pending.discard((target, name.name))

    def module_attribute(self, path: str, name: str) -> Value:
        """A name of the module or package at `path`, or a module in it. Raises Unknown."""
        try:
            return self._taken(path, name)
        except Lacking:
            raise Unknown(f"{path} does not bind {name}") from None

    def _failed(self, module: ModuleScope, name: Imported, exception: str, message: str) -> Unknown:
        """The failure of an import: certain, unless the file may be made when the package is built."""
        if module.path.startswith(_BUILT):
            return Unknown(f"there is no {name.text}")
        return Raises(exception, message, module.path, name.line)

    def _whole(self, path: str) -> Value:
        """The module at `path`. Raises what importing it raises."""
        found = self.module(path)
        if found.raised:
            raise Raises(*found.raised)
        return found

    def _taken(self, path: str, name: str) -> Value:
        """A name of the module or package at `path`, or a module in it. Raises Unknown; Lacking if there is none."""
        below = None
        if not path.endswith(".py") or path.endswith("__init__.py"):
            below = self.files.place("/".join(filter(None, (package_of(path), name))))
        if path.endswith(".py"):
            module = self.module(path)
            if module.raised:
                raise Raises(*module.raised)
            if name in module.names or "*" in module.names:
                try:
                    return self.expressions.global_name(module, name)
                except NameMissing:
                    pass
            elif below is None:
                return self._asked(module, name)
        if below is None:
            raise Lacking(f"{path} does not bind {name}")
        return self.module(below) if below.endswith(".py") else Opaque(f"{below} is a directory")

    def _asked(self, module: ModuleScope, name: str) -> Value:
        """The result of the module's own `__getattr__` (PEP 562)."""
        getter = module.names.get("__getattr__")
        if isinstance(getter, Function):
            return self.expressions.call(getter, [name], {})
        if getter is not None or may_bind(module, name):
            raise Unknown(f"{module.path} does not bind {name}")
        raise Lacking(f"{module.path} does not bind {name}")

    @contextmanager
    def budget(self, steps: int = _MOST_STEPS) -> Iterator[None]:
        """A new budget of evaluated expressions for the block, as large as for one module."""
        before, self.expressions.steps = self.expressions.steps, steps
        try:
            yield
        finally:
            self.expressions.steps = before

    def _read_and_parse(self, path: str) -> Parsed:
        source = self.files.read(path)
        return parse_python(source, path), source

    def _run(self, path: str, scope: ModuleScope) -> None:
        if not path.endswith(".py"):
            return
        try:
            tree, source = self._parse(path)
        except FileNotFoundError:
            raise Unknown(f"There is no {path}") from None
        except (OSError, SyntaxError, ValueError) as error:
            raise Unknown(f"{path} cannot be read: {getattr(error, 'msg', None) or error}") from None
        scope.source = source.decode(errors="replace")
        scope.lazy_annotations = bool(_LAZY.search(scope.source))
        self.trees[path] = tree, scope.source
        scope.names["__name__"] = _dotted(path, scope.base)
        with self.budget():
            self._statements.top_level(tree.body, Scope(scope, scope.names))

    def check_imports(self, path: str) -> None:
        """Note in `raised` if an import of the module at `path` must fail, also of what it does not use by itself."""
        module = self.module(path)
        with self.inputs.reading(path):
            for name in needed_imports(self.trees[path][0].body):
                target = self._imports.target(path, name, module.base)
                if not module.raised and not (target or "").startswith(_BUILT):
                    failure = self._imports.failure(path, name, module.base)
                    module.raised = failure or (self._raised_by(target) if target else None)

    def _raised_by(self, path: str) -> Raised | None:
        """What importing a module raises by itself or in what it imports, as far as outlines show where to look."""
        self.inputs.note(path)
        if path not in self._raised:
            # Modules that import each other see each other partly initialised; that alone is no failure.
            self._raised[path] = None
            with self.inputs.reading(path):
                self._raised[path] = None if path.startswith(_BUILT) else self._look(path)
        return self._raised[path]

    def _look(self, path: str) -> Raised | None:
        facts = self._facts(path)
        if facts is None:
            return None
        if facts.unbound:
            with suppress(Unknown):
                if raised := self.module(path).raised:
                    return raised
        base = self.files.base_of(path)
        for name in facts.imports.values():
            if not name.guarded:
                target = self._imports.target(path, name, base)
                found = self._raised_by(target) if target else None
                if found := found or self._imports.failure(path, name, base):
                    return found
        return None

    def _facts(self, path: str) -> ModuleFacts | None:
        self.inputs.note(path)
        if path not in self._outlines:
            try:
                self._outlines[path] = read_module(self.files.read(path), path)
            except (OSError, SyntaxError, ValueError, RecursionError):
                self._outlines[path] = None
        return self._outlines[path]


def _dotted(path: str, base: str) -> str:
    """The name under which a module is imported."""
    inside = path[len(base) + 1 :] if base else path
    return inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
