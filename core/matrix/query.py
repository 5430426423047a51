# SPDX-License-Identifier: Apache-2.0
"""The filter language: a query is a value that can be parsed, printed, compared and changed term by term."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.matrix.query_terms import Node

# What terms are is imported with the first of them: mostly the app opens on an empty query.


@dataclass(frozen=True, slots=True)
class Query:
    """Nodes that must all hold. An empty query matches everything.

    Facets read and change only its own terms, never those inside of a group.
    """

    terms: tuple["Node", ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Parse `status:xfail,skip !mode:training (llama or reason~"out of .*memory")`. Raises QueryError.

        Whether the fields and values exist is for the fields to say (`core.matrix.fields`).
        """
        if not text:
            return cls()
        from core.matrix.query_parse import parse
        from core.matrix.query_terms import conjuncts

        node = parse(text)
        return cls(conjuncts((node,)) if node else ())

    def __str__(self) -> str:
        """The shortest text that parses to this query."""
        if not self.terms:
            return ""
        from core.matrix.query_terms import conjunction

        return str(conjunction(self.terms))

    def narrows(self, other: "Query") -> bool:
        """Whether this is `other` with more letters to its last bare word, or one more bare word.

        Then all it selects is among what `other` selects, for every matrix and arch.
        """
        from core.matrix.query_terms import narrows

        return narrows(self.terms, other.terms)

    def values_of(self, name: str) -> tuple[str, ...]:
        """What the query asks of a field, in its own positive terms only."""
        from core.matrix.query_terms import asking

        return tuple(value for node in self.terms if (term := asking(node, name)) for value in term.values)

    def without(self, name: str) -> "Query":
        """The query without its own positive terms on a field."""
        from core.matrix.query_terms import asking

        return Query(tuple(node for node in self.terms if not asking(node, name)))

    def toggled(self, name: str, value: str) -> "Query":
        """The query with `value` added to, or taken from, its positive term on a field."""
        from core.matrix.query_terms import Term

        values = self.values_of(name)
        kept = tuple(v for v in values if v != value) if value in values else (*values, value)
        rest = self.without(name).terms
        return Query((*rest, Term(name, kept)) if kept else rest)
