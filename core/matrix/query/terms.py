# SPDX-License-Identifier: Apache-2.0
"""The parts of a query: terms joined by and, or and not, as values that print the way they are typed."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field as dataclass_field
from enum import StrEnum
from typing import TypeAlias

TEXT = ""
"""The field of a bare word: a substring of the id."""

KEYWORDS = ("or", "and", "not")
"""Words with a special meaning, in any case; quoted they are plain text."""

BARE_WORD = r'[^\s"()]+'
"""A word, or a regular expression, that needs no quotes."""
BARE_VALUE = r'[^\s"(),]+'
"""A value of a list that needs no quotes."""
FIELD = r"(?P<field>[A-Za-z_][A-Za-z_0-9]*)(?P<operator>:(?!:)|~)"
"""Two colons are no operator: ids have them."""
SAME = {
    "mark": "marker",
    "markers": "marker",
    "required_pcc": "pcc",
    "bringup_status": "bringup",
    "supported_archs": "arch",
    "enable_weight_bfp8_conversion": "bfp8",
    "optimization": "optimization_level",
    "allclose": "assert_allclose",
}
"""Other names of fields."""


class Operator(StrEnum):
    """The operator between a field and its values."""

    IS = ":"
    MATCHES = "~"


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: `field` has one of `values`, or matches the only regular expression in them."""

    field: str
    values: tuple[str, ...]
    operator: Operator = Operator.IS
    column: int = dataclass_field(default=0, compare=False, repr=False)
    """Where the term starts in the text it was parsed from."""
    value_columns: tuple[int, ...] = dataclass_field(default=(), compare=False, repr=False)
    """Columns of the values in that text, inside their quotes; empty in a term that was not parsed."""

    def __str__(self) -> str:
        if self.field == TEXT:
            return _word(self.values[0])
        bare = BARE_WORD if self.operator is Operator.MATCHES else BARE_VALUE
        values = (value if re.fullmatch(bare, value) else _quoted(value) for value in self.values)
        return f"{self.field}{self.operator}{','.join(values)}"

    def column_of(self, number: int) -> int:
        """The column of the value of index `number`."""
        return self.value_columns[number] if self.value_columns else self.column


@dataclass(frozen=True, slots=True)
class Not:
    """The rows that its node does not select. Made by `negation`."""

    node: "Node"

    def __str__(self) -> str:
        return f"!({self.node})" if isinstance(self.node, And | Or) else f"!{self.node}"


@dataclass(frozen=True, slots=True)
class And:
    """The rows that all of its two or more nodes select. Made by `conjunction`."""

    nodes: tuple["Node", ...]

    def __str__(self) -> str:
        return " ".join(f"({node})" if isinstance(node, Or) else str(node) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Or:
    """The rows that any of its two or more nodes selects. Made by `disjunction`."""

    nodes: tuple["Node", ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.nodes))


Node: TypeAlias = Term | Not | And | Or


def negation(node: Node) -> Node:
    """The opposite of `node`; negating twice gives `node` itself."""
    return node.node if isinstance(node, Not) else Not(node)


def conjuncts(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """`nodes` with every And replaced by its parts."""
    return tuple(part for node in nodes for part in (node.nodes if isinstance(node, And) else (node,)))


def conjunction(nodes: Iterable[Node]) -> Node:
    """All of one or more nodes, without nested And."""
    parts = conjuncts(nodes)
    return parts[0] if len(parts) == 1 else And(parts)


def disjunction(nodes: Iterable[Node]) -> Node:
    """Any of one or more nodes, without nested Or."""
    parts = tuple(part for node in nodes for part in (node.nodes if isinstance(node, Or) else (node,)))
    return parts[0] if len(parts) == 1 else Or(parts)


def asking(node: Node, name: str) -> Term | None:
    """`node` if it is a positive term on the field `name`, else None."""
    return node if isinstance(node, Term) and node.field == name and node.operator is Operator.IS else None


def narrows(terms: Sequence[Node], others: Sequence[Node]) -> bool:
    """Whether `terms` are `others` with more letters in the last bare word, or with one more bare word."""
    last = terms[-1] if terms else None
    if not isinstance(last, Term) or last.field != TEXT:
        return False
    if terms[:-1] == others:
        return True
    before = others[-1] if others else None
    grown = isinstance(before, Term) and before.field == TEXT and before.values[0].lower() in last.values[0].lower()
    return grown and terms[:-1] == others[:-1]


def _word(text: str) -> str:
    special = text.lower() in KEYWORDS or text.startswith("!") or re.match(FIELD, text)
    return _quoted(text) if special or not re.fullmatch(BARE_WORD, text) else text


def _quoted(text: str) -> str:
    # A backslash escapes only a quote and itself, so that a regular expression stays readable.
    return '"' + re.sub(r'\\(?=[\\"]|\Z)|"', r"\\\g<0>", text) + '"'
