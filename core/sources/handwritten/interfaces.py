# SPDX-License-Identifier: Apache-2.0
"""What the parts of the evaluator ask of each other."""

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol

from core.sources.handwritten.imports import Imported
from core.sources.handwritten.values import Class, Function, ModuleScope, Scope, Value


class Imports(Protocol):
    """Looks up what modules of the checkout bind. All raise Unknown."""

    def imported(self, module: ModuleScope, name: Imported) -> Value:
        """What an import in `module` binds."""

    def module_attribute(self, path: str, name: str) -> Value:
        """A name of the module or package at `path`, or a module in it."""


class Runs(Protocol):
    """Runs statements. All raise Unknown."""

    def run_function(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """What a call of `function` gives."""

    def function(self, node: ast.Lambda, scope: Scope) -> Function:
        """The function that a lambda makes."""

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """`target = value`."""


class Evaluates(Protocol):
    """Knows values. All but `soft` and `doubt` raise Unknown."""

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`."""

    def soft(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`, or an Opaque with the reason."""

    def name(self, id: str, scope: Scope) -> Value:
        """What a name means in `scope`."""

    def module_named(self, name: str) -> Value:
        """What importing `name` gives anywhere."""

    def sure(self, value: Value, module: ModuleScope) -> Value:
        """`value`, looked up where it is imported."""

    def doubt(self, value: Value) -> None:
        """From here on it is not known what `value` holds, if it is a collection."""

    def attribute(self, of: Value, name: str) -> Value:
        """`of.name`."""

    def elements(self, value: Value) -> list[Value]:
        """What iterating over `value` gives."""

    def text(self, value: Value) -> str:
        """`str(value)`."""

    def shown(self, value: Value) -> str:
        """`repr(value)`."""

    def call(self, callee: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """What calling `callee` gives."""

    def make(self, of: Class, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """What calling a class gives."""

    def run(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """What running a function gives."""
