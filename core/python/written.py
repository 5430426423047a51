# SPDX-License-Identifier: Apache-2.0
"""How a class of the tree is written, where its values alone do not tell: the items of a dict, the line of a name."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from core.python.syntax import statements_in
from core.python.values import Class, Scope


class WrittenItem(NamedTuple):
    """A key of a dict with its value, as expressions."""

    key: ast.expr
    value: ast.expr
    scope: Scope
    """Where both are evaluated."""
    table: ast.Dict
    """The dict that it is one of."""

    @property
    def member(self) -> str:
        """The name that the key has in its class, `BASE` of `Variant.BASE`; empty: it is written otherwise."""
        return self.key.attr if isinstance(self.key, ast.Attribute) else ""

    @property
    def words(self) -> Mapping[str, ast.expr]:
        """The keyword arguments of the value, if it is a call."""
        given = self.value.keywords if isinstance(self.value, ast.Call) else ()
        return {one.arg: one.value for one in given if one.arg}


def written_items(of: Class, name: str) -> Iterator[WrittenItem]:
    """The items of the dict that a class binds to `name`, then those of its bases within the tree. Raises Unknown."""
    for one in of.line():
        for node in statements_in(one.node.body) if isinstance(one, Class) else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=bound)], value=ast.Dict() as mapping)
                    | ast.AnnAssign(target=ast.Name(id=bound), value=ast.Dict() as mapping)
                ) if bound == name:
                    scope = Scope(one.scope.module, one.names, one.scope, owner=one)
                    pairs = zip(mapping.keys, mapping.values, strict=True)
                    yield from (WrittenItem(key, value, scope, mapping) for key, value in pairs if key is not None)


def line_of(of: Class, name: str) -> int:
    """The line of the statement by which a class binds `name`; else that of the class."""
    found = (
        node.lineno
        for node in statements_in(of.node.body)
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    )
    return next(found, of.node.lineno)
