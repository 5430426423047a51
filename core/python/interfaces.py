# SPDX-License-Identifier: Apache-2.0
"""The interfaces between the parts of the evaluator."""

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol

from core.python.resolver import Imported
from core.python.values import Class, Function, ModuleScope, Scope, Value


class Imports(Protocol):
    """Looks up names in modules of the checkout. All methods raise Unknown."""

    def imported(self, module: ModuleScope, name: Imported) -> Value:
        """The value that an import in `module` binds."""

    def module_attribute(self, path: str, name: str) -> Value:
        """A name of the module or package at `path`, or a module in it."""


class Runs(Protocol):
    """Runs statements. All methods raise Unknown."""

    def run_function(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling `function`."""

    def function(self, node: ast.Lambda, scope: Scope) -> Function:
        """The function that a lambda makes."""

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """`target = value`."""


class Evaluates(Protocol):
    """Evaluates expressions. All methods except `soft`, `check_name` and `doubt` raise Unknown."""

    lenient: bool
    """Whether what raises is only unknown."""

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`."""

    def soft(self, node: ast.expr, scope: Scope) -> Value:
        """The value of `node`, or an Opaque with the reason."""

    def name(self, id: str, scope: Scope) -> Value:
        """The value of a name in `scope`."""

    def known(self, value: Value) -> Value:
        """`value`, unless it is an Opaque."""

    def check_name(self, node: ast.Name, scope: Scope) -> None:
        """Raises if nothing binds the name; what it is bound to is not looked up."""

    def module_named(self, name: str) -> Value:
        """The result of importing `name`."""

    def sure(self, value: Value, module: ModuleScope) -> Value:
        """`value`, looked up if it is imported."""

    def doubt(self, value: Value) -> None:
        """Mark the content of `value`, if it is a collection, as unknown from here on."""

    def attribute(self, of: Value, name: str) -> Value:
        """`of.name`."""

    def elements(self, value: Value) -> list[Value]:
        """The elements of an iteration over `value`."""

    def text(self, value: Value) -> str:
        """`str(value)`."""

    def shown(self, value: Value) -> str:
        """`repr(value)`."""

    def call(self, callee: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling `callee`."""

    def make(self, of: Class, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of calling a class."""

    def run(self, function: Function, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
        """The result of running a function."""
