# SPDX-License-Identifier: Apache-2.0
"""The filter language: a query is a value that can be parsed, printed, compared and changed term by term."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as dataclass_field

from core.errors import UsageError

TEXT = ""
"""The field of a bare word: a substring of the id."""

_TOKEN = re.compile(r"""(?P<negated>!?)(?:(?P<field>[a-z_]+):)?(?P<values>(?:"(?:[^"\\]|\\.)*"|[^\s"])*)""")
_VALUE = re.compile(r""""(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s",]+)""")


class QueryError(UsageError):
    """A query that cannot be meant. `column` is the 0-based position in its text."""

    def __init__(self, title: str, column: int, hint: str = "") -> None:
        super().__init__(title, f"at column {column + 1} of the query", hint)
        self.column = column


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: `field` has one of `values` (or, negated, none of them)."""

    field: str
    values: tuple[str, ...]
    negated: bool = False
    column: int = dataclass_field(default=0, compare=False)
    """Where the term starts in the text it was parsed from."""

    def __str__(self) -> str:
        prefix = "!" if self.negated else ""
        name = f"{self.field}:" if self.field else ""
        return prefix + name + ",".join(_quote(value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Query:
    """Terms that must all hold. An empty query matches everything."""

    terms: tuple[Term, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Parse `status:xfail,skip !mode:training "two words" llama`. Raises QueryError.

        Whether the fields and values exist is for the fields to say (`core.matrix.fields`).
        """
        return cls(tuple(_terms(text)))

    def __str__(self) -> str:
        return " ".join(str(term) for term in self.terms)

    def values_of(self, name: str) -> tuple[str, ...]:
        """What the query asks of a field, in positive terms only."""
        return tuple(v for term in self.terms if term.field == name and not term.negated for v in term.values)

    def without(self, name: str) -> "Query":
        """The query without its positive terms on a field."""
        return Query(tuple(term for term in self.terms if term.field != name or term.negated))

    def toggled(self, name: str, value: str) -> "Query":
        """The query with `value` added to, or taken from, its positive term on a field."""
        values = self.values_of(name)
        kept = tuple(v for v in values if v != value) if value in values else (*values, value)
        rest = self.without(name).terms
        return Query((*rest, Term(name, kept)) if kept else rest)


def _terms(text: str) -> Iterator[Term]:
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(text, position)
        assert match is not None  # Every part of the pattern may be empty.
        if match.end() == position or text[match.end() : match.end() + 1] == '"':
            raise QueryError("A quote is opened and never closed", match.end())
        yield _term(match)
        position = match.end()


def _term(match: re.Match[str]) -> Term:
    name, raw = match["field"] or TEXT, match["values"]
    if not raw:
        raise QueryError(f"{match[0]!r} needs a value", match.start(), f"For example {match[0]}something")
    negated = bool(match["negated"])
    if name == TEXT and '"' not in raw:
        return Term(name, (raw,), negated, match.start())
    values = tuple(
        re.sub(r"\\(.)", r"\1", value["quoted"]) if value["quoted"] is not None else value["bare"]
        for value in _VALUE.finditer(raw)
    )
    if not all(values) or not values:
        raise QueryError(f"{match[0]!r} has an empty value", match.start())
    return Term(name, values, negated, match.start())


def _quote(value: str) -> str:
    if re.fullmatch(r"[^\s\",:!][^\s\",:]*", value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
