# SPDX-License-Identifier: Apache-2.0
"""Modules of a checkout, evaluated statement by statement from their syntax trees; nothing of them is executed."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.sources.handwritten.expressions import Expressions
from core.sources.handwritten.imports import Files, Imported
from core.sources.handwritten.statements import Statements
from core.sources.handwritten.values import External, Function, ModuleScope, Opaque, Scope, Unknown, Value
from core.sources.syntax import parse_python

_MOST_STEPS = 400_000
"""How many expressions are evaluated for one module, including those in the functions that it calls."""


class Program:
    """The modules below `root`, read on request and at most once."""

    def __init__(self, root: Path) -> None:
        self.files = Files(root)
        self.read: dict[str, ModuleScope | Opaque] = {}
        """Modules by path; for an unreadable one, the reason."""
        self.trees: dict[str, tuple[ast.Module, str]] = {}
        """The syntax tree and text of each module."""
        self._pending: set[tuple[str | None, str]] = set()
        """Imports that are being resolved, by file and name."""
        self.expressions = Expressions(self)
        self._statements = Statements(self.expressions)
        self.expressions.statements = self._statements

    def module(self, path: str) -> ModuleScope:
        """The module at `path`. Raises Unknown if it cannot be read."""
        if path not in self.read:
            self.read[path] = scope = ModuleScope(path, self.files.base_of(path))
            try:
                self._run(path, scope)
            except Unknown as error:
                self.read[path] = Opaque(str(error))
        found = self.read[path]
        if isinstance(found, Opaque):
            raise Unknown(found.reason)
        return found

    def imported(self, module: ModuleScope, name: Imported) -> Value:
        """The value that an import in `module` binds. Raises Unknown."""
        path = self.files.module_file(module.path, module.base, name)
        if (path, name.name) in self._pending:
            raise Unknown(f"{path} imports {name.name} from itself")
        if path is None:
            if name.level:
                raise Unknown(f"there is no {'.' * name.level}{name.module}")
            return External(".".join(filter(None, (name.module, name.name))), is_module=not name.name)
        self._pending.add((path, name.name))
        try:
            return self.module_attribute(path, name.name) if name.name else self.module(path)
        finally:
            self._pending.discard((path, name.name))

    def module_attribute(self, path: str, name: str) -> Value:
        """A name of the module or package at `path`, or a module in it. Raises Unknown."""
        if path.endswith(".py"):
            module = self.module(path)
            if name in module.names or "*" in module.names:
                return self.expressions.global_name(module, name)
        below = self.files.submodule(path, name) if not path.endswith(".py") or path.endswith("/__init__.py") else None
        if below is None:
            return self._asked(path, name)
        return self.module(below) if below.endswith(".py") else Opaque(f"{below} is a directory")

    def _asked(self, path: str, name: str) -> Value:
        """The result of the module's own `__getattr__` (PEP 562)."""
        getter = self.module(path).names.get("__getattr__") if path.endswith(".py") else None
        if not isinstance(getter, Function):
            raise Unknown(f"{path} does not bind {name}")
        return self.expressions.call(getter, [name], {})

    @contextmanager
    def budget(self) -> Iterator[None]:
        """A new budget of evaluated expressions for the block, as large as for one module."""
        before, self.expressions.steps = self.expressions.steps, _MOST_STEPS
        try:
            yield
        finally:
            self.expressions.steps = before

    def _run(self, path: str, scope: ModuleScope) -> None:
        if not path.endswith(".py"):
            return
        try:
            source = self.files.read(path)
            tree = parse_python(source, path)
        except (OSError, SyntaxError, ValueError) as error:
            raise Unknown(f"{path} cannot be read: {getattr(error, 'msg', None) or error}") from None
        self.trees[path] = tree, source.decode(errors="replace")
        scope.names["__name__"] = _dotted(path, scope.base)
        with self.budget():
            self._statements.top_level(tree.body, Scope(scope, scope.names))


def _dotted(path: str, base: str) -> str:
    """The name under which a module is imported."""
    inside = path[len(base) + 1 :] if base else path
    return inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
