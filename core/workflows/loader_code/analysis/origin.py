# SPDX-License-Identifier: Apache-2.0
"""Where a tensor is made, and the places it passes from there to the end of a function."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import libcst as cst

from core.workflows.loader_code.analysis.code import Statement
from core.workflows.loader_code.analysis.control_flow import Bindings, Keys
from core.workflows.loader_code.analysis.frames import Frame, Path


class Nature(Enum):
    """What is known of a tensor at the place where it is made."""

    UNTOLD = auto()
    """A constructor that takes a floating-point dtype and is given none."""
    FOREIGN = auto()
    """Comes from code that cannot be seen or changed: a processor, a file, arithmetic, an explicit dtype."""
    AWARE = auto()
    """Follows the override, as the code here shows."""
    PASSED = auto()
    """Comes from foreign code that receives the override."""
    INTEGER = auto()
    CHOSEN = auto()
    """The code decides case by case whether it follows the override."""


UNAWARE = frozenset({Nature.UNTOLD, Nature.FOREIGN})
"""Tensors that an edit is meant to fix."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place that the followed value always passes: a variable (or part of it) when `at` begins, or an expression."""

    frame: Frame
    at: Statement
    name: str = ""
    access: Path = ()
    node: cst.BaseExpression | None = None
    shared: bool = False
    """Whether other inputs may pass as well: the expression is evaluated once per element, in a loop."""

    def same(self, other: "Place") -> bool:
        mine = (self.at, self.name, self.access, self.node)
        return mine[1:3] == (other.name, other.access) and self.at is other.at and self.node is other.node


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """One place where the tensor may be made, and the places it passes from there to the end, last first."""

    nature: Nature
    node: cst.CSTNode
    frame: Frame
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where an expression is, and which part of its value is followed."""

    frame: Frame
    at: Statement
    path: Path
    keys: Keys
    bindings: Bindings
    places: tuple[Place, ...]
    barred: cst.CSTNode | None = None
    """A loop over the keys of the followed value: a cast inside would be applied to every key."""

    @property
    def indexed(self) -> bool:
        """Whether the rest of the path could be indexes into a tensor."""
        return not any(isinstance(step, str) for step in self.path)


def origin_at(nature: Nature, node: cst.BaseExpression, spot: Spot) -> list[Origin]:
    """The origin of what is followed, if it ends in `node`."""
    return [Origin(nature, node, spot.frame, spot.places)]


def returns(function: cst.FunctionDef) -> list[tuple[Statement, cst.BaseExpression]]:
    """The values that a function returns, with their statements; nested functions are left out."""
    return list(_returns(function.body))


def _returns(node: cst.CSTNode) -> Iterator[tuple[Statement, cst.BaseExpression]]:
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
        return
    if isinstance(node, cst.SimpleStatementLine):
        for small in node.body:
            if isinstance(small, cst.Return) and small.value is not None:
                yield node, small.value
        return
    for child in node.children:
        yield from _returns(child)


def distinct(origins: Sequence[Origin]) -> list[Origin]:
    """Each place once: several paths may lead to it."""
    found: list[Origin] = []
    for origin in origins:
        if not any(origin.node is one.node and origin.frame.function is one.frame.function for one in found):
            found.append(origin)
    return found
