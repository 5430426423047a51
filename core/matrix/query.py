# SPDX-License-Identifier: Apache-2.0
"""The filter language: a query is a value that can be parsed, printed, compared and changed term by term."""

from dataclasses import dataclass

from core.matrix.query_parse import parse
from core.matrix.query_terms import (
    TEXT,
    And,
    Node,
    Not,
    Operator,
    Or,
    QueryError,
    Term,
    conjunction,
    conjuncts,
    disjunction,
    negation,
)

__all__ = [
    "TEXT",
    "And",
    "Node",
    "Not",
    "Operator",
    "Or",
    "Query",
    "QueryError",
    "Term",
    "conjunction",
    "disjunction",
    "negation",
]


@dataclass(frozen=True, slots=True)
class Query:
    """Nodes that must all hold. An empty query matches everything.

    Facets read and change only its own terms, never those inside of a group.
    """

    terms: tuple[Node, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Parse `status:xfail,skip !mode:training (llama or reason~"out of .*memory")`. Raises QueryError.

        Whether the fields and values exist is for the fields to say (`core.matrix.fields`).
        """
        node = parse(text)
        return cls(conjuncts((node,)) if node else ())

    def __str__(self) -> str:
        """The shortest text that parses to this query."""
        return str(conjunction(self.terms)) if self.terms else ""

    def narrows(self, other: "Query") -> bool:
        """Whether this is `other` with more letters to its last bare word, or one more bare word.

        Then all it selects is among what `other` selects, for every matrix and arch.
        """
        last = self.terms[-1] if self.terms else None
        if not isinstance(last, Term) or last.field != TEXT:
            return False
        if self.terms[:-1] == other.terms:
            return True
        before = other.terms[-1] if other.terms else None
        grown = isinstance(before, Term) and before.field == TEXT and before.values[0].lower() in last.values[0].lower()
        return grown and self.terms[:-1] == other.terms[:-1]

    def values_of(self, name: str) -> tuple[str, ...]:
        """What the query asks of a field, in its own positive terms only."""
        return tuple(value for node in self.terms if (term := _asking(node, name)) for value in term.values)

    def without(self, name: str) -> "Query":
        """The query without its own positive terms on a field."""
        return Query(tuple(node for node in self.terms if not _asking(node, name)))

    def toggled(self, name: str, value: str) -> "Query":
        """The query with `value` added to, or taken from, its positive term on a field."""
        values = self.values_of(name)
        kept = tuple(v for v in values if v != value) if value in values else (*values, value)
        rest = self.without(name).terms
        return Query((*rest, Term(name, kept)) if kept else rest)


def _asking(node: Node, name: str) -> Term | None:
    """`node` where it is a positive term on a field."""
    return node if isinstance(node, Term) and node.field == name and node.operator is Operator.IS else None
