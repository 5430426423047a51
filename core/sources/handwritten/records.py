# SPDX-License-Identifier: Apache-2.0
"""The facts about one hand-written test."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

ROOTS = ("tests/jax", "tests/torch", "tests/integrations", "tests/examples")
"""The directories of such tests in a checkout."""

EMPTY_SET = "NOTSET"
"""What pytest calls the only set of a parametrization without values, which it skips."""

Level = Literal["op", "graph", ""]


class MarkRecord(NamedTuple):
    """One marker of a test."""

    name: str
    given: Mapping[str, str] = {}
    """Its arguments, as texts: by keyword, or by position from 0. `?` is an unknown one."""


class HandwrittenTest(NamedTuple):
    """One item that pytest collects, or a function whose items are unknown."""

    path: str
    """The path of its file, relative to the checkout."""
    classes: tuple[str, ...]
    name: str
    """The name of the function."""
    id: str
    """The text in brackets; empty: the test has no parameters, or they are unknown."""
    line: int
    level: Level = ""
    """From the helper of upstream that it calls: `run_op_test`, `run_graph_test` and the like."""
    marks: tuple[MarkRecord, ...] = ()
    """The closest first: those of its parameters, its own, those of its classes, that of its module."""
    unknown: str = ""
    """Why its parameters are unknown; then `node_id` means all of its items."""
    parameters: Mapping[str, str] = {}
    """Ids by the names of the parameters."""
    lacking: tuple[str, ...] = ()
    """Fixtures that it asks for and that nothing defines."""
    raised: str = ""
    """What collecting it raises, which is then the end of its whole file."""

    @property
    def node_id(self) -> str:
        """The node id in pytest's form."""
        name = f"{self.name}[{self.id}]" if self.parameters else self.name
        return "::".join((self.path, *self.classes, name))

    @property
    def markers(self) -> frozenset[str]:
        """Names of its marks."""
        return frozenset(mark.name for mark in self.marks)
