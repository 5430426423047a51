# SPDX-License-Identifier: Apache-2.0
"""The fields of queries, one object each, and the selection of rows; a field added here is available everywhere."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType

from core.errors import QueryError
from core.matrix.columns import AnyColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import HANDWRITTEN_KIND, MODEL_KIND, OP_KIND, PLACEHOLDER_KIND
from core.matrix.query.columns import (
    assert_pcc_column,
    family_column,
    field_column,
    function_column,
    has_column,
    is_column,
    kind_column,
    known_column,
    level_column,
    llm_column,
    marker_column,
    op_column,
    required_pcc_column,
    variant_column,
)
from core.matrix.query.context import Learned, Scope
from core.matrix.query.kinds import NONE, Choice, Field, FromFacts, FromResults, IdText, Number, Text
from core.matrix.query.query import Query
from core.matrix.query.terms import SAME, TEXT, And, Node, Not, Operator, Or, Term
from core.matrix.query.values import day, days, decimal
from core.matrix.query.verdict_columns import (
    BACKEND,
    FAILED_ON,
    FIRST_BAD,
    FLAKY,
    LAST,
    RESULT,
    STALE,
    TURNED,
    VERDICT,
)

__all__ = ["BY_NAME", "FIELDS", "NONE", "backends_asked", "column_of", "lens", "needs", "parsed", "select"]


def _stored(name: str) -> Callable[[Scope], AnyColumn]:
    """A column that every index holds."""
    return lambda scope: scope.matrix.columns.get(name) or scope.matrix.flags[name]


def _made(column: Callable[[Matrix], AnyColumn]) -> Callable[[Scope], AnyColumn]:
    """A column that is made on first use, the same on every arch."""
    return lambda scope: column(scope.matrix)


def _of_op(name: str) -> Callable[[Scope], AnyColumn]:
    """A column that only op cases fill."""
    return lambda scope: op_column(scope.matrix, name)


def _of_entry(name: str) -> Callable[[Scope], AnyColumn]:
    """The effective values of a field of entries."""
    return lambda scope: field_column(scope.matrix, name, scope.arch)


def _llm(part: str) -> Callable[[Scope], AnyColumn]:
    """A part of LLM ids."""
    return lambda scope: llm_column(scope.matrix, part)


OVERRIDES = "arch_overrides"
"""Values on archs are asked for with `arch:`."""
EVERY = (MODEL_KIND, OP_KIND, HANDWRITTEN_KIND, PLACEHOLDER_KIND)
"""All kinds of rows."""

FIELDS: tuple[Field, ...] = (
    IdText(TEXT, "any part of the test id"),
    Choice(
        "status",
        "effective status on the shown arch, or on any supported one",
        lambda scope: scope.matrix.statuses(scope.arch),
        aliases={NONE: "unspecified"},
        kinds=EVERY,
    ),
    Choice(
        "kind",
        "model (a test of one), op (an op case), handwritten or placeholder (planned)",
        _made(kind_column),
        kinds=EVERY,
    ),
    Choice("arch", "marked for this arch; also use the values for this arch", _stored("arch")),
    Choice("mode", "inference or training", _stored("mode")),
    Choice("parallelism", "how devices share the model", _stored("parallelism")),
    Choice("framework", "pytorch or jax", _stored("framework")),
    Choice("phase", "default, llm_decode or llm_prefill", _stored("phase")),
    Choice("bringup", "bringup status of the entry, or none", _stored("bringup"), kinds=(MODEL_KIND, PLACEHOLDER_KIND)),
    Choice(
        "marker",
        "a marker of the entry or of a hand-written test, a mark of an op case, or none",
        _made(marker_column),
        kinds=(MODEL_KIND, OP_KIND, HANDWRITTEN_KIND),
    ),
    Number(
        "pcc",
        "effective required_pcc on the shown arch, or on any supported one",
        lambda scope: required_pcc_column(scope.matrix, scope.arch),
    ),
    Choice(
        "assert_pcc",
        "true or false: whether PCC is asserted there",
        lambda scope: assert_pcc_column(scope.matrix, scope.arch),
    ),
    Number("optimization_level", "its level there; none: not set", _of_entry("optimization_level"), int, ("1", "2")),
    Choice(
        "bfp8",
        "true or false: whether weights are compiled as bfp8 there",
        _of_entry("enable_weight_bfp8_conversion"),
    ),
    Number("batch_size", "batch size of the entry there; none: not set", _of_entry("batch_size"), int, ("1", "4")),
    Text("execution_pass", "forward or backward, as the entry has it", _of_entry("execution_pass")),
    Text("filechecks", "part of the name of a file of patterns that the entry lists", _of_entry("filechecks")),
    Choice("assert_allclose", "true or false: whether the entry turns that check on", _of_entry("assert_allclose")),
    Number("allclose_rtol", "its relative tolerance there", _of_entry("allclose_rtol"), decimal, ("0.01", "0.05")),
    Number("allclose_atol", "its absolute tolerance there", _of_entry("allclose_atol"), decimal, ("0.01", "0.05")),
    Choice("assert_atol", "true or false: whether the entry turns that check on", _of_entry("assert_atol")),
    Number("required_atol", "its required_atol there", _of_entry("required_atol"), decimal, ("0.16", "0.5")),
    Choice("inject_custom_moe", "true or false: whether it is there", _of_entry("inject_custom_moe")),
    Choice(
        "emitpy_assert_exact", "true or false: whether it is, with --emitpy, there", _of_entry("emitpy_assert_exact")
    ),
    Choice("has", "entry, override, reason, issue (a link in the reason) or pcc", _made(has_column)),
    Choice(
        "is",
        "known, stray (no test), mixed, duplicate, shadowed, placeholder or stale (passes)",
        _made(is_column),
        facts={STALE: FromResults(STALE)},
        kinds=EVERY,
    ),
    Text("reason", "part of the entry's reasons", _stored("reason"), listed=False, kinds=EVERY),
    Text("loader", "part of the loader's directory", _stored("loader")),
    Text("family", "part of the family: the first part of the loader's directory", _made(family_column)),
    Text("variant", "part of the variant", _made(variant_column)),
    Text("file", "part of the entry's file name", _stored("file"), kinds=EVERY),
    Choice(
        "group",
        "group of the model: red, priority, generality or vulcan",
        FromFacts("models", "group"),
        kinds=(MODEL_KIND, PLACEHOLDER_KIND),
    ),
    Choice("task", "task of the model", FromFacts("models", "task")),
    Choice("source", "origin of the model", FromFacts("models", "source")),
    Text(
        "name",
        "part of the model's name in reports (model_info.name)",
        FromFacts("models", "name"),
        kinds=(MODEL_KIND, PLACEHOLDER_KIND),
    ),
    Choice(
        "job",
        "scheduled CI job that selects it on the shown arch, or on any; or none",
        FromFacts("jobs", "job"),
        kinds=(MODEL_KIND, HANDWRITTEN_KIND, PLACEHOLDER_KIND),
    ),
    Choice(
        "verdict",
        "verdict on the shown arch, or on any; of an op case by backend",
        FromResults(VERDICT),
        kinds=(MODEL_KIND, OP_KIND),
    ),
    Choice(
        LAST,
        "newest result there, or on any arch: passed, as-expected, unexpected",
        FromFacts("runs", LAST),
    ),
    Choice("turned", "broke or fixed since the night before, there or on any arch", FromFacts("runs", TURNED)),
    Number(
        "first_bad",
        "day on which it began to fail, there or on any arch",
        FromFacts("runs", FIRST_BAD),
        day,
        ("2026-11-01", "2026-11-20"),
    ),
    Number(
        "flaky",
        "how often its newest 30 results change, 0 to 1 (as ttmatrix since)",
        FromFacts("runs", FLAKY),
        decimal,
        ("0.2", "0.5"),
    ),
    Text(
        "failed_on", "part of a machine's name on which it failed in the last four weeks", FromFacts("runs", FAILED_ON)
    ),
    Number(
        "samples_per_s",
        "newest throughput, there or on any arch",
        FromFacts("runs", "samples_per_s"),
        decimal,
        ("10", "100"),
    ),
    Number("run_s", "newest seconds of one timed run", FromFacts("runs", "run_s"), decimal, ("0.1", "1")),
    Number("compile_s", "newest seconds of compilation", FromFacts("runs", "compile_s"), decimal, ("10", "60")),
    Number("peak_mb", "newest peak memory of the host in MiB", FromFacts("runs", "peak_mb"), decimal, ("1000", "8000")),
    Number("age", "days since a status of the entry was set", FromFacts("history", "age"), days, ("30d", "90d")),
    Number("flips", "how often a status of the entry has changed", FromFacts("history", "flips"), int, ("1", "3")),
    Choice("function", "a test function that runs it", _made(function_column), kinds=(MODEL_KIND, PLACEHOLDER_KIND)),
    Number("seq", "sequence length of an LLM id; 1: not given", _llm("seq"), int, ("1", "128")),
    Number("batch", "batch size of an LLM id, per device", _llm("batch"), int, ("1", "4")),
    Choice("mesh", "mesh of an LLM id", _llm("mesh")),
    Choice("op", "op of an op case, such as torch.add", _of_op("op"), kinds=(OP_KIND,)),
    Choice(
        "model",
        "model that an op case is of, or name of a placeholder in reports",
        _of_op("model"),
        kinds=(OP_KIND, PLACEHOLDER_KIND),
    ),
    Choice("dtype", "dtype of a tensor of an op case", _of_op("dtype"), kinds=(OP_KIND,)),
    Text("shape", "part of the shapes of an op case, such as 32x2880", _of_op("shape"), kinds=(OP_KIND,)),
    Choice(
        "level", "what a hand-written test runs: op, graph or other", _made(level_column), kinds=(HANDWRITTEN_KIND,)
    ),
    Choice(
        "known",
        "yes or no: whether the parameters of a hand-written test are known",
        _made(known_column),
        kinds=(HANDWRITTEN_KIND,),
    ),
    Choice(
        "temporary",
        "backend of the temporary file that an op case is from, or none",
        _of_op("temporary"),
        kinds=(OP_KIND,),
    ),
    Choice("dup", "op case that represents it, as both are the same test; or none", _of_op("dup"), kinds=(OP_KIND,)),
    Number("rtol", "relative tolerance of an op case", _of_op("rtol"), decimal, ("0.001", "0.005"), kinds=(OP_KIND,)),
    Number("atol", "absolute tolerance of an op case", _of_op("atol"), decimal, ("0.001", "0.005"), kinds=(OP_KIND,)),
    Choice(
        BACKEND,
        "backend on which an op case has a result; result: is meant on it",
        FromResults(BACKEND),
        kinds=(OP_KIND,),
    ),
    Choice(
        RESULT, "last result of an op case, on the backend asked for, or on any", FromResults(RESULT), kinds=(OP_KIND,)
    ),
    IdText("id", "part of the test id"),
)

BY_NAME = {one.name: one for one in FIELDS}


def field_of(matrix: Matrix, name: str) -> Field | None:
    """The field of that name. One that is new in the schema of the checkout is a text."""
    name = SAME.get(name, name)
    own = name in matrix.schema.fields and name != OVERRIDES
    return BY_NAME.get(name) or (Text(name, "part of this field of the entry", _of_entry(name)) if own else None)


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


def lacking_words(query: Query, kind: str = "") -> list[str]:
    """What to say of each field in a query that rows of the only kind it asks for do not have.

    `kind` is asked for besides; empty: none is.
    """
    asked = {value.lower() for value in query.values_of("kind")} | ({kind} if kind in EVERY else set())
    known = {one for one in EVERY for value in asked if value in one}
    fields = {term.field: BY_NAME[term.field] for term in _terms(query.terms) if term.field in BY_NAME}
    having = {name: field.kinds for name, field in fields.items() if isinstance(field, Choice | Text | Number)}
    return [
        f"{name}: is a field of {' and '.join(kinds)} rows only, so it matches nothing here"
        for name, kinds in having.items()
        if known and not known.intersection(kinds)
    ]


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
            empty = node.operator is Operator.IS and NONE in map(str.lower, node.values)
            field = field_of(scope.matrix, node.field)
            return field.having(scope.matrix, rest) if empty and field else rest


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
