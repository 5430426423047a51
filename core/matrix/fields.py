# SPDX-License-Identifier: Apache-2.0
"""What a query can ask: one object a field, each with its help; add a field here and it is everywhere."""

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.matrix.columns import Column, FlagColumn
from core.matrix.index import NO_ARCH, Matrix
from core.matrix.query import TEXT, Query, QueryError, Term

NONE = "none"
"""How an empty value is asked for."""

_ALIASES = {("status", NONE): "UNSPECIFIED"}


class Field(Protocol):
    """One thing a query can ask about."""

    @property
    def name(self) -> str: ...
    @property
    def help(self) -> str: ...
    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        """Those of `rows` that have one of the term's values. Raises QueryError on a value that cannot be."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """A field with a closed vocabulary: a value must name one of its texts, wholly or in part."""

    name: str
    help: str
    column: Callable[[Matrix, str], Column | FlagColumn]

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        column = self.column(matrix, arch)
        wanted = [text for value in term.values for text in self._named(column.values, value, term)]
        return column.select(rows, wanted)

    def _named(self, vocabulary: Sequence[str], value: str, term: Term) -> list[str]:
        lowered = _ALIASES.get((self.name, value.lower()), value).lower()
        texts = {(text or NONE).lower(): text for text in vocabulary}
        if lowered in texts:
            return [texts[lowered]]
        partly = [text for key, text in texts.items() if lowered in key]
        if not partly:
            near = difflib.get_close_matches(lowered, texts, 1, 0.5)
            hint = f"Did you mean {self.name}:{near[0]}?" if near else f"One of: {', '.join(texts)}"
            raise QueryError(f"No {self.name} is called {value!r}", term.column, hint)
        return partly


@dataclass(frozen=True, slots=True)
class Substring:
    """A field of free text: a value is any part of it, case aside."""

    name: str
    help: str
    column: Callable[[Matrix], Column]

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        column = self.column(matrix)
        needles = [value.lower() for value in term.values]
        wanted = [text for text in column.values if any(needle in text.lower() for needle in needles)]
        return column.select(rows, wanted)


@dataclass(frozen=True, slots=True)
class IdText:
    """A bare word: any part of the id, case aside."""

    name: str = TEXT
    help: str = "any part of the test id"

    def select(self, matrix: Matrix, arch: str, rows: Iterable[int], term: Term) -> list[int]:
        lowered, needles = matrix.lowered, [value.lower() for value in term.values]
        if len(needles) == 1:
            needle = needles[0]
            return [row for row in rows if needle in lowered[row]]
        return [row for row in rows if any(needle in lowered[row] for needle in needles)]


def status_column(matrix: Matrix, arch: str) -> Column | FlagColumn:
    """Effective status on `arch`; without one, that of every arch the test is marked for."""
    return matrix.flags["status"] if arch == NO_ARCH else matrix.status[arch]


FIELDS: tuple[Field, ...] = (
    IdText(),
    Choice("status", "effective status on the shown arch, or on any supported one", status_column),
    Choice("arch", "marked for this arch; also the arch that status means", lambda m, _: m.flags["arch"]),
    Choice("mode", "inference or training", lambda m, _: m.columns["mode"]),
    Choice("parallelism", "how devices share the model", lambda m, _: m.columns["parallelism"]),
    Choice("framework", "pytorch or jax", lambda m, _: m.columns["framework"]),
    Choice("phase", "default, llm_decode or llm_prefill", lambda m, _: m.columns["phase"]),
    Choice("bringup", "how far the entry says it gets, or none", lambda m, _: m.columns["bringup"]),
    Choice("marker", "a marker the entry lists", lambda m, _: m.flags["marker"]),
    Choice("has", "entry, override or reason", lambda m, _: m.flags["has"]),
    Substring("reason", "part of the entry's reason", lambda m: m.columns["reason"]),
    Substring("loader", "part of the loader's directory", lambda m: m.columns["loader"]),
    Substring("file", "part of the entry's file name", lambda m: m.columns["file"]),
)

_BY_NAME = {one.name: one for one in FIELDS}


def select(matrix: Matrix, query: Query, arch: str = NO_ARCH) -> list[int]:
    """Rows that satisfy `query`, in row order. Raises QueryError for unknown fields and values.

    `arch` is the arch whose status is meant, unless the query itself asks for exactly one.
    """
    lens = _lens(matrix, query) or arch
    rows: Iterable[int] = range(len(matrix.ids))
    # Vocabularies are cheaper to test than text, so they thin out the rows first.
    for term in sorted(query.terms, key=lambda term: term.field == TEXT):
        field = _BY_NAME.get(term.field) or _unknown(term)
        chosen = field.select(matrix, lens, rows, term)
        if term.negated:
            dropped = set(chosen)
            chosen = [row for row in rows if row not in dropped]
        rows = chosen
    return list(rows)


def _lens(matrix: Matrix, query: Query) -> str:
    asked = query.values_of("arch")
    return asked[0] if len(asked) == 1 and asked[0] in matrix.schema.archs else NO_ARCH


def _unknown(term: Term) -> Field:
    names = [name for name in _BY_NAME if name]
    near = difflib.get_close_matches(term.field, names, 1)
    hint = f"Did you mean {near[0]}:?" if near else f"Fields: {', '.join(names)}"
    raise QueryError(f"There is no field {term.field!r}", term.column, hint)
