# SPDX-License-Identifier: Apache-2.0
"""The fields of queries, one object each, and the selection of rows; a field added here is available everywhere."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from types import MappingProxyType
from typing import cast

from core.base.errors import QueryError
from core.matrix.columns import AnyColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.query.columns import (
    area_column,
    field_column,
    function_column,
    is_column,
    kind_column,
    marker_column,
    own_column,
)
from core.matrix.query.context import Learned, Scope
from core.matrix.query.kinds import (
    NONE,
    Choice,
    Field,
    FromFacts,
    FromResults,
    IdText,
    Number,
    Text,
    made,
    stored,
)
from core.matrix.query.query import Query
from core.matrix.query.terms import SAME, TEXT, And, Node, Not, Operator, Or, Term
from core.matrix.query.verdict_columns import BACKEND, STALE, VERDICT
from core.matrix.row_kinds import KINDS, all_kinds, kinds_with, row_kind

__all__ = ["BY_NAME", "FIELDS", "NONE", "backends_asked", "column_of", "lens", "needs", "parsed", "select"]


OVERRIDES = "arch_overrides"
"""Values on archs are asked for with `arch:`."""
SHARED: tuple[Field, ...] = (
    IdText(TEXT, "any part of the test id"),
    Choice(
        "status",
        "effective status on the shown arch, or on any supported one",
        lambda scope: scope.matrix.statuses(scope.arch),
        aliases={NONE: "unspecified"},
    ),
    Choice("kind", " or ".join(KINDS), made(kind_column)),
    Choice("area", "whose it is in a nightly: model tests, torch, jax, vLLM, benchmarks", made(area_column)),
    Choice("bringup", "bringup status of the entry, or none", stored("bringup")),
    Choice(
        "marker", "a marker of the entry or of a hand-written test, a mark of an op case, or none", made(marker_column)
    ),
    Choice(
        "is",
        "known, stray (no test), mixed, duplicate, shadowed, placeholder or stale (passes)",
        made(is_column),
        facts={STALE: FromResults(STALE)},
    ),
    Text("reason", "part of the entry's reasons", stored("reason"), listed=False),
    Text("file", "part of the entry's file name", stored("file")),
    Choice("group", "group of the model: red, priority, generality or vulcan", FromFacts("models", "group")),
    Text("name", "part of the model's name in reports (model_info.name)", FromFacts("models", "name")),
    Choice("job", "scheduled CI job that selects it on the shown arch, or on any; or none", FromFacts("jobs", "job")),
    Choice("verdict", "verdict on the shown arch, or on any; of an op case by backend", FromResults(VERDICT)),
    Choice("function", "a test function that runs it", made(function_column)),
)
"""Fields that several kinds of rows have. What only one has is in its module, in `core.kinds`."""

FIELDS: tuple[Field, ...] = (
    *SHARED,
    *(cast(Field, one) for kind in all_kinds().values() for one in kind.own_fields),
    Choice(
        "model",
        "model that an op case is of, or name of a placeholder in reports",
        made(lambda matrix: own_column(matrix, "model")),
    ),
    IdText("id", "part of the test id"),
)

BY_NAME = {one.name: one for one in FIELDS}


def is_field(name: str) -> bool:
    """Whether a field has that name, or that other name."""
    return SAME.get(name.lower(), name.lower()) in BY_NAME


def field_of(matrix: Matrix, name: str) -> Field | None:
    """The field of that name. One that is new in the schema of the checkout is a text."""
    name = SAME.get(name, name)
    if name in BY_NAME or name not in matrix.schema.fields or name == OVERRIDES:
        return BY_NAME.get(name)
    return Text(name, "part of this field of the entry", lambda scope: field_column(scope.matrix, name, scope.arch))


def select(
    matrix: Matrix,
    query: Query,
    arch: str = NO_ARCH,
    learned: Learned = MappingProxyType({}),
    among: Sequence[int] | None = None,
) -> list[int]:
    """Rows that satisfy `query`, in the order of `among`. Raises QueryError for unknown fields and values.

    `arch` is the arch whose values are used, unless the query or a group in it names exactly one. `learned` has the
    facts that the query needs (see `needs`). `among` are the only rows that it can select; None: all, in row order.
    """
    rows = range(len(matrix.ids)) if among is None else among
    return list(_all(Scope(matrix, arch, learned), rows, query.terms))


def parsed(text: str) -> Query:
    """As `Query.parse`, but a term without a value whose field does not exist is reported for its field."""
    try:
        return Query.parse(text)
    except QueryError as error:
        if error.empty_field and error.empty_field.lower() not in BY_NAME:
            _unknown(Term(error.empty_field.lower(), (), Operator.IS, error.column))
        raise


def needs(query: Query) -> tuple[str, ...]:
    """The providers of `core.providers.base` that are needed to evaluate `query`."""
    terms = [term for term in _terms(query.terms) if term.field in BY_NAME]
    return tuple(dict.fromkeys(name for term in terms for name in BY_NAME[term.field].needs_of(term)))


class Standing(Enum):
    """Whether rows of a kind have a field."""

    HAS = "has"
    HAS_NOT = "has not"
    NOT_READ = "not read yet"


def standing(scope: Scope, name: str, kind: str) -> Standing:
    """Whether rows of a kind have a field, as far as the facts of `scope` say what its values are."""
    field = field_of(scope.matrix, name)
    if field is None or (isinstance(field, Choice | Text | Number) and kind not in field.kinds):
        return Standing.HAS_NOT
    unread = kind in scope.matrix.unread or field.needs not in ("", *scope.learned)
    return Standing.NOT_READ if unread else Standing.HAS


def unread_words(query: Query, matrix: Matrix) -> list[str]:
    """What to say of rows that a query may select once they are read: it asks for no other kind, and for no field that
    they have not.
    """
    asked = query.values_of("kind")
    kinds = {kind for kind in matrix.unread if not asked or any(value.lower() in kind for value in asked)}
    for term in query.terms:
        field = field_of(matrix, term.field) if isinstance(term, Term) else None
        if isinstance(field, Choice | Text | Number):
            kinds.intersection_update(field.kinds)
    return [f"the {row_kind(kind).noun}s are still being read" for kind in KINDS if kind in kinds]


def lacking_words(query: Query, kind: str = "", matrix: Matrix | None = None) -> list[str]:
    """What to say of each field in a query that the rows it asks for do not have.

    `kind` is asked for besides; empty: none is. Without any, it asks for the kinds that `matrix` has rows of.
    """
    asked = {value.lower() for value in query.values_of("kind")} | ({kind} if kind in KINDS else set())
    known = {one for one in KINDS for value in asked if value in one}
    unread = matrix.unread if matrix is not None else frozenset()
    if matrix is not None and not asked:
        known = {one for one, rows in matrix.kinds.items() if rows}
    lacking = {
        term.field: kinds
        for term in _terms(query.terms)
        if known and (kinds := kinds_with(term.field)) and not known.union(unread).intersection(kinds)
    }
    excluded = _terms(node.node for node in query.terms if isinstance(node, Not))
    left = {term.field for term in excluded if not _asks_for_none(term)}
    said = [
        f"{name}: is a field of {_joined(kinds)} rows only, so it "
        + ("excludes nothing here" if name in left else "matches nothing here")
        for name, kinds in lacking.items()
    ]
    return [*said, *_absent_words(matrix, known if asked else set())]


def _absent_words(matrix: Matrix | None, asked: Collection[str]) -> list[str]:
    """What is wrong with the files of the kinds that a query asks for, or that they have no rows."""
    if matrix is None:
        return []
    said = [words for kind in KINDS if kind in asked for words in matrix.problems.get(kind, ())]
    if asked and not said and not any(matrix.kinds[kind] or kind in matrix.unread for kind in asked):
        kinds = (row_kind(kind) for kind in KINDS if kind in asked)
        return [f"No {kind.noun} was read from {kind.written_in}" for kind in kinds]
    return said


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _asks_for_none(term: Term) -> bool:
    return term.operator is Operator.IS and NONE in map(str.lower, term.values)


def column_of(scope: Scope, name: str) -> AnyColumn:
    """The column of a field."""
    field = BY_NAME[name]
    assert isinstance(field, Choice | Text | Number), f"{name} has no column"
    return field.column(scope)


def texts_of(scope: Scope, name: str, value: str) -> frozenset[str]:
    """The texts of a field, in lower case, that `value` selects: `xfail` means `known_failure_xfail`."""
    field = BY_NAME[name]
    assert isinstance(field, Choice | Text | Number), f"{name} has no column"
    vocabulary = field.column(scope).values
    try:
        codes = field.named(vocabulary, Term(name, (value,)), 0)
    except QueryError:
        return frozenset()  # The query is rejected because of it; until it is corrected, it selects nothing.
    return frozenset((vocabulary[code] or NONE).lower() for code in codes)


def _terms(nodes: Iterable[Node]) -> Iterator[Term]:
    for node in nodes:
        match node:
            case Term():
                yield node
            case Not():
                yield from _terms((node.node,))
            case And() | Or():
                yield from _terms(node.nodes)


def _all(scope: Scope, rows: Sequence[int], nodes: tuple[Node, ...]) -> Sequence[int]:
    scope = _scope_of(scope, nodes)
    # Every node is evaluated, even when no row is left, because it may have an error.
    for node in sorted(nodes, key=_cost):
        rows = _holding(scope, rows, node)
    return rows


def _scope_of(scope: Scope, nodes: tuple[Node, ...]) -> Scope:
    """The scope of nodes that must all hold: they may name an arch and backends for each other."""
    scope = scope.on(lens(scope.matrix, nodes) or scope.arch)
    asked = backends_asked(nodes)
    return scope._replace(backends=asked) if asked else scope


def _holding(scope: Scope, rows: Sequence[int], node: Node) -> Sequence[int]:
    """Those of `rows` for which a node holds, in the same order."""
    match node:
        case Term():
            return (field_of(scope.matrix, node.field) or _unknown(node)).select(scope, rows, node)
        case And():
            return _all(scope, rows, node.nodes)
        case Not():
            return _failing(scope, rows, node.node)
        case Or():
            found = set[int]().union(*(_holding(scope, rows, one) for one in node.nodes))
            return [row for row in rows if row in found]


def _failing(scope: Scope, rows: Sequence[int], node: Node) -> Sequence[int]:
    """Those of `rows` for which a node does not hold, in the same order.

    `!job:nightly` leaves all that no such job selects, also rows that have no jobs. But `!job:none` asks for a value:
    a row without the field has none, and is not without one either.
    """
    match node:
        case Not():
            return _holding(scope, rows, node.node)
        case And():
            scope = _scope_of(scope, node.nodes)
            found = set[int]().union(*(_failing(scope, rows, one) for one in node.nodes))
            return [row for row in rows if row in found]
        case Or():
            for one in node.nodes:
                rows = _failing(scope, rows, one)
            return rows
        case Term():
            excluded = set(_holding(scope, rows, node))
            rest = [row for row in rows if row not in excluded]
            field = field_of(scope.matrix, node.field)
            return field.having(scope.matrix, rest) if field and _asks_for_none(node) else rest


def _cost(node: Node) -> int:
    """Cost of testing a node, relative to others."""
    match node:
        case Term():
            cost = BY_NAME[node.field].cost if node.field in BY_NAME else 0
            return cost * 2 if node.operator is Operator.MATCHES else cost
        case Not():
            return 1 + _cost(node.node)
        case _:
            return sum(1 + _cost(one) for one in node.nodes)


def lens(matrix: Matrix, nodes: tuple[Node, ...]) -> str:
    """The arch that nodes which must all hold select for themselves: the only one they name, if any."""
    asked = Query(nodes).values_of("arch")
    return asked[0].lower() if len(asked) == 1 and asked[0].lower() in matrix.schema.archs else NO_ARCH


def backends_asked(nodes: tuple[Node, ...]) -> tuple[str, ...]:
    """The backends that nodes which must all hold select for themselves: those they name."""
    return Query(nodes).values_of(BACKEND)


def _unknown(term: Term) -> Field:
    names = [name for name in BY_NAME if name]
    near = difflib.get_close_matches(term.field, names, 1)
    raise QueryError(
        f"There is no field {term.field!r}",
        term.column,
        term.field,
        suggestion=f"{near[0]}{term.operator}" if near else "",
        hint=f"Fields: {', '.join(names)}",
    )
