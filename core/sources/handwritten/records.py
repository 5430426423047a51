# SPDX-License-Identifier: Apache-2.0
"""What is known of one test that is written by hand."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

ROOTS = ("tests/jax", "tests/torch")
"""Where such tests are, in a checkout."""

Level = Literal["op", "graph", ""]


class MarkRecord(NamedTuple):
    """One marker of a test."""

    name: str
    given: Mapping[str, str] = {}
    """What it is called with, as texts: by keyword, or by position from 0. `?` is what is not known."""


class HandwrittenTest(NamedTuple):
    """One item that pytest collects, or a function whose items are not known."""

    path: str
    """Of its file, relative to the checkout."""
    classes: tuple[str, ...]
    name: str
    """Of the function."""
    id: str
    """The text in brackets; empty: the test has no parameters, or they are not known."""
    line: int
    level: Level = ""
    """By the helper of upstream's that it calls: `run_op_test`, `run_graph_test` and their like."""
    marks: tuple[MarkRecord, ...] = ()
    """The closest first: those of its parameters, its own, those of its classes, that of its module."""
    unknown: str = ""
    """Why its parameters are not known; then `node_id` names all of its items."""
    parameters: Mapping[str, str] = {}
    """Ids by the names of the parameters."""

    @property
    def node_id(self) -> str:
        """As pytest writes it."""
        name = f"{self.name}[{self.id}]" if self.parameters else self.name
        return "::".join((self.path, *self.classes, name))

    @property
    def markers(self) -> frozenset[str]:
        """Names of its marks."""
        return frozenset(mark.name for mark in self.marks)
