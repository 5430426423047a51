# SPDX-License-Identifier: Apache-2.0
"""Kinds of query fields: how the values of a term are read and what they select."""

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from core.matrix.columns import Column, FlagColumn
from core.matrix.index import NO_ARCH, Matrix
from core.matrix.query_numbers import decimal, number_test
from core.matrix.query_parse import compiled
from core.matrix.query_terms import Operator, QueryError, Term

NONE = "none"
"""How an empty value is asked for."""

_FOLDABLE = re.compile(
    r"(?:[^\\\[(]|\((?!\?)|\\[dswb.+*?()|/-]|\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[^\\\[\]^-])+\])*", re.DOTALL
)


class Field(Protocol):
    """One thing a query can ask about."""

    @property
    def name(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def metavar(self) -> str:
        """What its values are called in help."""
        ...

    @property
    def cost(self) -> int:
        """How dear it is to test a row, beside other fields: the cheap ones thin out the rows first."""
        ...

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        """Those of `rows` the term holds for, in the same order. Raises QueryError on a value that cannot be.

        The term was parsed: its regular expression, if any, is one.
        """
        ...

    def completions(self, matrix: Matrix) -> Sequence[str]:
        """Values to offer while one is typed."""
        ...


@dataclass(frozen=True, slots=True)
class _ColumnField(ABC):
    """A field whose values stand in a column: a term is decided once per distinct text."""

    name: str
    help: str
    column: Callable[[Matrix, str], Column | FlagColumn]
    """The column as it is meant on an arch."""
    cost: ClassVar[int] = 0

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        column = self.column(matrix, arch)
        if term.operator is Operator.MATCHES:
            chosen = set(self.matching(column.values, term))
        else:
            chosen = {code for number in range(len(term.values)) for code in self.named(column.values, term, number)}
        return _holding(column, rows, chosen)

    def matching(self, vocabulary: Sequence[str], term: Term) -> Iterable[int]:
        """The codes of the texts that the term's regular expression is found in; an empty one holds nothing."""
        search = compiled(term.values[0]).search
        return (code for code, text in enumerate(vocabulary) if text and search(text))

    @abstractmethod
    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        """The codes of the texts that the term's value of that number asks for."""


@dataclass(frozen=True, slots=True)
class Choice(_ColumnField):
    """A field with a closed vocabulary: a value must name one of its texts, wholly or in part."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names of texts, in lower case."""
    metavar: ClassVar[str] = "NAME"

    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        value = term.values[number]
        lowered = self.aliases.get(value.lower(), value.lower())
        codes = {(text or NONE).lower(): code for code, text in enumerate(vocabulary)}
        if lowered in codes:
            return [codes[lowered]]
        partly = [code for text, code in codes.items() if lowered in text]
        if not partly:
            near = difflib.get_close_matches(lowered, _words(codes), 1, 0.5)
            raise QueryError(
                f"No {self.name} is called {value!r}",
                term.column_of(number),
                value,
                suggestion=f"{self.name}:{near[0]}" if near else "",
                hint=f"One of: {', '.join(codes)}",
            )
        return partly

    def completions(self, matrix: Matrix) -> Sequence[str]:
        return [(text or NONE).lower() for text in self.column(matrix, NO_ARCH).values]


@dataclass(frozen=True, slots=True)
class Text(_ColumnField):
    """A field of free text: a value is any part of it, case aside."""

    listed: bool = True
    """Whether its texts are names, worth offering while one is typed."""
    metavar: ClassVar[str] = "TEXT"

    def named(self, vocabulary: Sequence[str], term: Term, number: int) -> Iterable[int]:
        needle = term.values[number].lower()
        return [code for code, text in enumerate(vocabulary) if needle in text.lower()]

    def completions(self, matrix: Matrix) -> Sequence[str]:
        return [text for text in self.column(matrix, NO_ARCH).values if text] if self.listed else ()


@dataclass(frozen=True, slots=True)
class Number(_ColumnField):
    """A field of numbers: a value is one of them, a comparison or a range; NONE: it has none."""

    read: Callable[[str], float] = decimal
    """The number that a text means; raises ValueError."""
    examples: tuple[str, str] = ("0.97", "0.99")
    """Two numbers that people ask for, the lower one first."""
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

    def completions(self, matrix: Matrix) -> Sequence[str]:
        texts = [text for text in self.column(matrix, NO_ARCH).values if self._number(text) is not None]
        return sorted(texts, key=self.read)


@dataclass(frozen=True, slots=True)
class IdText:
    """Any part of the id, case aside; with a name it can be matched too."""

    name: str
    help: str
    metavar: ClassVar[str] = "TEXT"
    cost: ClassVar[int] = 10

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        lowered = matrix.lowered
        if term.operator is Operator.MATCHES:
            pattern = term.values[0]
            if foldable(pattern):
                # Ignoring case costs several times the search itself, and the ids are there in lower case.
                search = compiled(pattern.lower(), re.NOFLAG).search
                return [row for row in rows if search(lowered[row])]
            search, ids = compiled(pattern).search, matrix.ids
            return [row for row in rows if search(ids[row])]
        needles = [value.lower() for value in term.values]
        if len(needles) == 1:
            needle = needles[0]
            return [row for row in rows if needle in lowered[row]]
        return [row for row in rows if any(needle in lowered[row] for needle in needles)]

    def completions(self, matrix: Matrix) -> Sequence[str]:
        return ()


def foldable(pattern: str) -> bool:
    """Whether `pattern` in lower case finds in lower-case text what it finds in any text, case aside.

    So it is without groups that begin with `(?`, escapes that have a case, and ranges from a letter to something else.
    """
    return _FOLDABLE.fullmatch(pattern) is not None


def _holding(column: Column | FlagColumn, rows: Iterable[int], chosen: set[int]) -> list[int]:
    """Those of `rows` that hold one of the texts with the codes `chosen`."""
    if isinstance(column, FlagColumn):
        mask, masks = sum(1 << code for code in chosen), column.masks
        return [row for row in rows if masks[row] & mask]
    codes = column.codes
    return [row for row in rows if codes[row] in chosen]


def _words(names: Iterable[str]) -> list[str]:
    """Names and the words they are made of: both can be meant by a slip of the finger."""
    return list(dict.fromkeys(word for name in names for word in (name, *re.split(r"[_-]", name)) if word))
