# SPDX-License-Identifier: Apache-2.0
"""Kinds of query fields: how the values of a term are parsed and which rows they select."""

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from core.base.errors import QueryError
from core.domain.ids import pasted
from core.matrix.columns import AnyColumn, FlagColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.query.columns import function_column
from core.matrix.query.context import Scope
from core.matrix.query.query import compiled
from core.matrix.query.terms import Operator, Term
from core.matrix.query.values import TooLong, decimal, number_test, time_limit
from core.matrix.query.verdict_columns import BACKEND, RESULT, VerdictColumns
from core.matrix.row_kinds import MODEL_KIND, kinds_with

NONE = "none"
"""The word that selects an empty value."""

_MOST_NAMES = 40
"""As many as fill a screen."""

_FOLDABLE = re.compile(
    r"(?:[^\\\[(]|\((?!\?)|\\[dswb.+*?()|/-]|\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[^\\\[\]^-])+\])*", re.DOTALL
)


class Field(Protocol):
    """One field of queries."""

    @property
    def name(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def metavar(self) -> str:
        """The placeholder for its values in the help."""
        ...

    @property
    def cost(self) -> int:
        """Cost of testing a row, relative to other fields: cheap fields are tested first."""
        ...

    @property
    def needs(self) -> str:
        """The provider of `core.providers.base` whose facts it needs; empty: the matrix is enough."""
        ...

    def needs_of(self, term: Term) -> tuple[str, ...]:
        """The providers whose facts are needed to evaluate `term`."""
        ...

    def having(self, matrix: Matrix, rows: Sequence[int]) -> Sequence[int]:
        """Those of `rows` that have the field at all, in the same order."""
        ...

    def select(self, scope: Scope, rows: Iterable[int], term: Term) -> Sequence[int]:
        """Those of `rows` for which the term holds, in the same order. Raises QueryError on an invalid value.

        The term is parsed already, so its regular expression, if any, is valid.
        """
        ...

    def completions(self, scope: Scope) -> Sequence[str]:
        """Values to offer while one is typed; the facts it needs must be present."""
        ...


@dataclass(frozen=True, slots=True)
class FromFacts:
    """A column that a provider of `core.providers.base` computes."""

    provider: str
    name: str

    def __call__(self, scope: Scope) -> AnyColumn:
        return scope.facts(self.provider, self.name)


@dataclass(frozen=True, slots=True)
class FromResults:
    """A column of the last results of op cases, or of verdicts on all rows, on the backends of the query."""

    name: str
    provider: ClassVar[str] = "runs"

    def __call__(self, scope: Scope) -> AnyColumn:
        facts = scope.known(self.provider)
        assert isinstance(facts, VerdictColumns), "the provider of results"
        if self.name in (BACKEND, RESULT):
            return facts.of_cases(scope.matrix, self.name, scope.backends)
        return facts.with_cases(scope.matrix, self.name, scope.arch, scope.backends)


def stored(name: str) -> Callable[[Scope], AnyColumn]:
    """A column that every index holds."""
    return lambda scope: scope.matrix.columns.get(name) or scope.matrix.flags[name]


def made(column: Callable[[Matrix], AnyColumn]) -> Callable[[Scope], AnyColumn]:
    """A column that is made on first use, the same on every arch."""
    return lambda scope: column(scope.matrix)


@dataclass(frozen=True, slots=True)
class _ColumnField(ABC):
    """A field whose values are in a column: a term is evaluated once per distinct text."""

    name: str
    help: str
    column: Callable[[Scope], AnyColumn]
    """The column for a scope."""
    cost: ClassVar[int] = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of rows that have the field. On the others it is neither empty nor anything else."""
        # One that only the schema of the checkout has is a field of entries.
        return kinds_with(self.name) or (MODEL_KIND,)

    @property
    def needs(self) -> str:
        return self.column.provider if isinstance(self.column, FromFacts | FromResults) else ""

    def needs_of(self, term: Term) -> tuple[str, ...]:
        return (self.needs,) if self.needs else ()

    def select(self, scope: Scope, rows: Iterable[int], term: Term) -> Sequence[int]:
        if not any(map(scope.matrix.kinds.get, self.kinds)):
            # No row has the field: a value of it is neither right nor wrong.
            return ()
        column = self.column(scope)
        try:
            chosen = self._chosen(column.values, term)
        except QueryError:
            if scope.matrix.unread.isdisjoint(self.kinds):
                raise
            # It may be a value of rows that are still being read.
            return ()
        found = _holding(column, rows, chosen)
        # A row without the field has an empty text.
        return self.having(scope.matrix, found) if any(not column.values[code] for code in chosen) else found

    def _chosen(self, vocabulary: Sequence[str], term: Term) -> set[int]:
        """The codes of the texts for which the term holds."""
        if term.operator is Operator.MATCHES:
            with _stopped(term):
                return set(self.matching(vocabulary, term))
        return {code for number in range(len(term.values)) for code in self.named(vocabulary, term, number)}

    def having(self, matrix: Matrix, rows: Sequence[int]) -> Sequence[int]:
        """Those of `rows` that have the field, in the same order."""
        known = [own for kind, own in matrix.kinds.items() if own and kind in self.kinds]
        if sum(map(len, known)) == len(matrix.ids):
            return rows
        has = bytearray(len(matrix.ids))
        for own in known:
            has[own.start : own.stop] = b"\1" * len(own)
        return [row for row in rows if has[row]]

    def matching(self, vocabulary: Sequence[str], term: Term) -> Iterable[int]:
        """The codes of the texts in which the term's regular expression is found; never those of empty texts."""
        search = compiled(term.values[0]).search
        return (code for code, text in enumerate(vocabulary) if text and search(text))

    @abstractmethod
    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        """The codes of the texts that the term's value of index `number` selects."""


@dataclass(frozen=True, slots=True)
class Choice(_ColumnField):
    """A field with a closed vocabulary: a value must name one of its texts, wholly or in part."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of texts, in lower case."""
    facts: Mapping[str, FromFacts | FromResults] = field(default_factory=dict)
    """Values besides those of the column, in lower case: they select rows by a text in the facts."""
    metavar: ClassVar[str] = "NAME"

    def needs_of(self, term: Term) -> tuple[str, ...]:
        own = _ColumnField.needs_of(self, term)
        return (*own, *(self.facts[value.lower()].provider for value in self._of_facts(term)))

    def select(self, scope: Scope, rows: Iterable[int], term: Term) -> Sequence[int]:
        learned = self._of_facts(term)
        if not learned:
            return _ColumnField.select(self, scope, rows, term)
        rows = list(rows)
        found: set[int] = set()
        for value in learned:
            found.update(self.facts[value.lower()](scope).select(rows, [value.lower()]))
        if others := tuple(value for value in term.values if value not in learned):
            found.update(_ColumnField.select(self, scope, rows, Term(term.field, others, term.operator, term.column)))
        return [row for row in rows if row in found]

    def _of_facts(self, term: Term) -> list[str]:
        """The values of a term that facts decide."""
        return [value for value in term.values if value.lower() in self.facts and term.operator is Operator.IS]

    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        value = term.values[number]
        lowered = self.aliases.get(value.lower(), value.lower())
        texts = [(text or NONE).lower() for text in vocabulary]
        # torch.Tensor and torch.tensor are two different ops.
        whole = [code for code, text in enumerate(texts) if text == lowered]
        if whole:
            return whole
        partly = [code for code, text in enumerate(texts) if lowered in text]
        if not partly:
            near = difflib.get_close_matches(lowered, _words(texts), 1, 0.5)
            raise QueryError(
                f"No {self.name} matches {value!r}",
                term.column_of(number),
                value,
                suggestion=f"{self.name}:{near[0]}" if near else "",
                hint=_one_of(texts),
            )
        return partly

    def completions(self, scope: Scope) -> Sequence[str]:
        return [*((text or NONE).lower() for text in self.column(scope.on(NO_ARCH)).values), *self.facts]


@dataclass(frozen=True, slots=True)
class Text(_ColumnField):
    """A field of free text: a value is any part of it, ignoring case."""

    listed: bool = True
    """Whether its texts are names that completion should offer."""
    metavar: ClassVar[str] = "TEXT"

    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        needle = term.values[number].lower()
        return [code for code, text in enumerate(vocabulary) if needle in text.lower()]

    def completions(self, scope: Scope) -> Sequence[str]:
        return [text for text in self.column(scope.on(NO_ARCH)).values if text] if self.listed else ()


@dataclass(frozen=True, slots=True)
class Number(_ColumnField):
    """A field of numbers: a value is a number, a comparison or a range; NONE selects rows without a number."""

    read: Callable[[str], float] = decimal
    """Parses a number; raises ValueError."""
    examples: tuple[str, str] = ("0.97", "0.99")
    """Two typical numbers, the lower one first."""
    metavar: ClassVar[str] = "NUMBER"

    def matching(self, vocabulary: Sequence[str], term: Term) -> Iterable[int]:
        raise QueryError(f"{self.name} is a number, not text", term.column, str(term), hint=self._hint)

    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        value = term.values[number]
        numbers = [self._number(text) for text in vocabulary]
        if value.lower() == NONE:
            return [code for code, one in enumerate(numbers) if one is None]
        try:
            holds = number_test(value, self.read)
        except ValueError as error:
            raise QueryError(f"{self.name}: {error}", term.column_of(number), value, hint=self._hint) from error
        return [code for code, one in enumerate(numbers) if one is not None and holds(one)]

    @property
    def _hint(self) -> str:
        low, high = self.examples
        return f"For example {self.name}:<{high}, {self.name}:>={low} or {self.name}:{low}..{high}"

    def _number(self, text: str) -> float | None:
        try:
            return self.read(text)
        except ValueError:
            return None

    def completions(self, scope: Scope) -> Sequence[str]:
        texts = [text for text in self.column(scope.on(NO_ARCH)).values if self._number(text) is not None]
        return sorted(texts, key=self.read)


@dataclass(frozen=True, slots=True)
class IdText:
    """Any part of the id, ignoring case; with the field's name, regular expressions are possible too."""

    name: str
    help: str
    metavar: ClassVar[str] = "TEXT"
    cost: ClassVar[int] = 10
    needs: ClassVar[str] = ""

    def needs_of(self, term: Term) -> tuple[str, ...]:
        return ()

    def having(self, matrix: Matrix, rows: Sequence[int]) -> Sequence[int]:
        return rows

    def select(self, scope: Scope, rows: Iterable[int], term: Term) -> list[int]:
        matrix, lowered = scope.matrix, scope.matrix.lowered
        if term.operator is Operator.MATCHES:
            with _stopped(term):
                return _matching(matrix, rows, term.values[0])
        needles = [pasted(value.lower()) for value in term.values]
        if len(needles) == 1 and not needles[0][0]:
            needle = needles[0][1]
            return [row for row in rows if needle in lowered[row]]
        functions = function_column(matrix)
        return [
            row
            for row in rows
            if any(id in lowered[row] and (not name or name in functions[row]) for name, id in needles)
        ]

    def completions(self, scope: Scope) -> Sequence[str]:
        return ()


def _matching(matrix: Matrix, rows: Iterable[int], pattern: str) -> list[int]:
    """Those of `rows` in whose ids a regular expression is found, ignoring case."""
    if foldable(pattern):
        # Ignoring case costs several times the search itself, and the ids are available in lower case.
        search, lowered = compiled(pattern.lower(), re.NOFLAG).search, matrix.lowered
        return [row for row in rows if search(lowered[row])]
    search, ids = compiled(pattern).search, matrix.ids
    return [row for row in rows if search(ids[row])]


@contextmanager
def _stopped(term: Term) -> Iterator[None]:
    """Reject a regular expression whose search takes too long."""
    try:
        with time_limit():
            yield
    except TooLong:
        raise QueryError(
            "This regular expression takes too long",
            term.column_of(0),
            term.values[0],
            hint="Repeat less: a+ instead of (a+)+, one .* instead of two",
        ) from None


def foldable(pattern: str) -> bool:
    """Whether `pattern` in lower case finds in lower-case text what it finds in any text when ignoring case.

    True for patterns without groups that begin with `(?`, escapes with a case, and ranges from a letter to another
    character.
    """
    return _FOLDABLE.fullmatch(pattern) is not None


def _holding(column: AnyColumn, rows: Iterable[int], chosen: set[int]) -> list[int]:
    """Those of `rows` that have one of the texts with the codes `chosen`."""
    if isinstance(column, FlagColumn):
        mask, masks = sum(1 << code for code in chosen), column.masks
        return [row for row in rows if masks[row] & mask]
    codes = column.codes
    return [row for row in rows if codes[row] in chosen]


def _one_of(names: Sequence[str]) -> str:
    shown = names[:_MOST_NAMES]
    return f"One of: {', '.join(shown)}" + (f" and {len(names) - len(shown)} more" if len(names) > len(shown) else "")


def _words(names: Iterable[str]) -> list[str]:
    """Names and the words in them: a typo can be close to either."""
    return list(dict.fromkeys(word for name in names for word in (name, *re.split(r"[_-]", name)) if word))
