# SPDX-License-Identifier: Apache-2.0
"""The filter language: a query is a value that can be parsed, printed, compared and changed term by term."""

import re
import warnings
from dataclasses import dataclass

from core.base.errors import QueryError
from core.matrix.query.terms import (
    BARE_VALUE,
    BARE_WORD,
    FIELD,
    SAME,
    TEXT,
    Node,
    Operator,
    Term,
    asking,
    conjunction,
    conjuncts,
    disjunction,
    narrows,
    negation,
)


@dataclass(frozen=True, slots=True)
class Query:
    """Nodes that must all hold. An empty query matches everything.

    Facets only read and change its own terms, never those inside a group.
    """

    terms: tuple[Node, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Query":
        """Parse `status:xfail,skip !mode:training (llama or reason~"out of .*memory")`. Raises QueryError.

        Whether fields and values exist is checked by the fields (`core.matrix.query.fields`). For a text that a person
        types, use `core.matrix.query.parsed`.
        """
        if not text:
            return cls()
        node = parse(text)
        return cls(conjuncts((node,)) if node else ())

    def __str__(self) -> str:
        """The shortest text that parses to this query."""
        if not self.terms:
            return ""
        return str(conjunction(self.terms))

    def narrows(self, other: "Query") -> bool:
        """Whether this is `other` with more letters to its last bare word, or one more bare word.

        Then it selects a subset of what `other` selects, for every matrix and arch.
        """
        return narrows(self.terms, other.terms)

    def values_of(self, name: str) -> tuple[str, ...]:
        """The values of a field in the query's own positive terms."""
        return tuple(value for node in self.terms if (term := asking(node, name)) for value in term.values)

    def asks(self, name: str, text: str) -> bool:
        """Whether a value of a field in the query's own positive terms is `text` or a part of it."""
        return any(value and value.lower() in text for value in self.values_of(name))

    def without(self, name: str) -> "Query":
        """The query without its own positive terms on a field."""
        return Query(tuple(node for node in self.terms if not asking(node, name)))

    def toggled(self, name: str, value: str) -> "Query":
        """The query with `value` added to, or removed from, its positive term on a field."""
        values = self.values_of(name)
        chosen = tuple(v for v in values if v != value) if value in values else (*values, value)
        return self.asking_for(name, chosen)

    def asking_for(self, name: str, values: tuple[str, ...]) -> "Query":
        """The query with these values in its only positive term on a field; without values, the term is removed."""
        rest = self.without(name).terms
        return Query((*rest, Term(name, values)) if values else rest)


_KEYWORD = re.compile(r"(?i:or|and|not)(?=[\s()]|\Z)")
_FIELD = re.compile(FIELD)
_ID = re.compile(r'[^\s"()!][^\s"()]*::[^\s"()\[\]]+(?:\[[^"]*?\](?=[\s)]|\Z))?')
"""An id as it is printed: in its brackets are spaces and parentheses, too."""
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_BARE_WORD = re.compile(BARE_WORD)
_BARE_VALUE = re.compile(BARE_VALUE)
_MOST_LEVELS = 50
_QUOTE_IT = 'A parenthesis in text needs quotes: "(x)"'


def parse(text: str) -> Node | None:
    """The tree of `text`; None if it is empty. Raises QueryError."""
    return _Parser(text).query()


def compiled(pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    """Compile a regular expression of a query. Raises ValueError with the reason."""
    try:
        with warnings.catch_warnings():
            # Python warns of patterns that it may read differently in the future.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error


class _Parser:
    """Reads from position `at`; between two steps, all space before the next token has been skipped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.levels = 0
        self.opened = (0, "")
        """Column and text of the last thing that needs a term after it."""

    def query(self) -> Node | None:
        self._skip_space()
        if self.at == len(self.text):
            return None
        node = self._or()
        if self.at < len(self.text):
            raise self._closes_nothing()
        return node

    def _or(self) -> Node:
        nodes = [self._and()]
        while self._keyword() == "or":
            self._open("or")
            nodes.append(self._and())
        return disjunction(nodes)

    def _and(self) -> Node:
        nodes = [self._factor()]
        while self.at < len(self.text) and self.text[self.at] != ")" and self._keyword() != "or":
            if self._keyword() == "and":
                self._open("and")
            nodes.append(self._factor())
        return conjunction(nodes)

    def _factor(self) -> Node:
        self.levels += 1
        if self.levels > _MOST_LEVELS:
            raise QueryError("The query is nested too deeply", self.at, self.text[self.at : self.at + 1])
        if self.text.startswith("!", self.at) or self._keyword() == "not":
            self._open("!" if self.text[self.at] == "!" else "not")
            node = negation(self._factor())
        elif self.text.startswith("(", self.at):
            node = self._group()
        elif self.at == len(self.text) or self.text[self.at] == ")" or self._keyword():
            raise self._nothing()
        elif self.text.startswith("-", self.at) and _FIELD.match(self.text, self.at + 1):
            # As other query languages have it; ids have no colon after a word.
            self._open("-")
            node = negation(self._term())
        else:
            node = self._term()
        self.levels -= 1
        return node

    def _group(self) -> Node:
        start = self.at
        self._open("(")
        node = self._or()
        if not self.text.startswith(")", self.at):
            raise QueryError("A parenthesis is opened and never closed", start, "(", hint=_QUOTE_IT)
        self.at += 1
        self._skip_space()
        return node

    def _term(self) -> Term:
        start, match = self.at, _FIELD.match(self.text, self.at)
        if match is None:
            bare = _ID if _ID.match(self.text, start) else _BARE_WORD
            term = Term(TEXT, (self._value(start, bare),), Operator.IS, start, (start,))
        else:
            self.at = match.end()
            operator = Operator(match["operator"])
            columns, values = self._pattern(start) if operator is Operator.MATCHES else self._values(start)
            name = match["field"].lower()
            term = Term(SAME.get(name, name), tuple(values), operator, start, tuple(columns))
        if not re.match(r"[\s()]|\Z", self.text[self.at : self.at + 1]):
            raise QueryError("A space is missing here", self.at, self.text[self.at])
        self._skip_space()
        return term

    def _values(self, start: int) -> tuple[list[int], list[str]]:
        columns: list[int] = []
        values: list[str] = []
        while not values or self.text.startswith(",", self.at):
            self.at += bool(values)
            columns.append(self.at + self.text.startswith('"', self.at))
            values.append(self._value(start, _BARE_VALUE))
        return columns, values

    def _pattern(self, start: int) -> tuple[list[int], list[str]]:
        column = self.at
        pattern = self._value(start, _BARE_WORD)
        try:
            compiled(pattern)
        except ValueError as error:
            token = self.text[column : self.at]
            raise QueryError(f"Not a regular expression: {error}", column, token) from error
        return [column], [pattern]

    def _value(self, start: int, bare: re.Pattern[str]) -> str:
        """The value that begins here; `start` is the column of its term."""
        if match := _QUOTED.match(self.text, self.at):
            value = re.sub(r'\\([\\"])', r"\1", match[1])
        elif self.text.startswith('"', self.at):
            raise QueryError("A quote is opened and never closed", self.at, self.text[self.at :])
        else:
            match = bare.match(self.text, self.at)
            value = match[0] if match else ""
        self.at = match.end() if match else self.at
        if not value:
            token = self.text[start : self.at]
            parenthesis = self.text[self.at : self.at + 1] in tuple("()")
            hint = _QUOTE_IT if parenthesis else f"Write it right after {token}" if token[-1] in ":~," else ""
            field = _FIELD.match(self.text, start)
            raise QueryError(
                f"{token!r} needs a value", start, token, hint=hint, empty_field=field["field"] if field else ""
            )
        return value

    def _keyword(self) -> str:
        """The next keyword, in lower case; empty if the next word is none."""
        match = _KEYWORD.match(self.text, self.at)
        return match[0].lower() if match else ""

    def _open(self, token: str) -> None:
        """Read a token that needs a term after it."""
        self.opened = (self.at, self.text[self.at : self.at + len(token)])
        self.at += len(token)
        self._skip_space()

    def _skip_space(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1

    def _nothing(self) -> QueryError:
        """The error for a missing term."""
        column, token = self.opened
        if (keyword := self._keyword()) and token in ("", "("):
            return QueryError(f"{keyword!r} has nothing before it", self.at, keyword, hint='As text: "' + keyword + '"')
        if not token:
            return self._closes_nothing()
        return QueryError(f"{token!r} has nothing after it", column, token)

    def _closes_nothing(self) -> QueryError:
        return QueryError("A parenthesis is closed and was never opened", self.at, ")", hint=_QUOTE_IT)
