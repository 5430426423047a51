# SPDX-License-Identifier: Apache-2.0
"""What a query can ask, one object a field, and the rows that satisfy one; add a field here and it is everywhere."""

import difflib
from collections.abc import Sequence

from core.matrix.columns import Column, FlagColumn
from core.matrix.index import NO_ARCH, Matrix
from core.matrix.query import TEXT, And, Node, Not, Operator, Or, Query, QueryError, Term
from core.matrix.query_columns import (
    assert_pcc_column,
    function_column,
    has_column,
    is_column,
    llm_column,
    required_pcc_column,
    variant_column,
)
from core.matrix.query_kinds import NONE, Choice, Field, IdText, Number, Text

__all__ = ["BY_NAME", "FIELDS", "NONE", "lens", "select", "status_column"]


def status_column(matrix: Matrix, arch: str) -> Column | FlagColumn:
    """Effective status on `arch`; without one, that of every arch the test is marked for."""
    return matrix.flags["status"] if arch == NO_ARCH else matrix.status[arch]


FIELDS: tuple[Field, ...] = (
    IdText(TEXT, "any part of the test id"),
    Choice(
        "status",
        "effective status on the shown arch, or on any supported one",
        status_column,
        aliases={NONE: "unspecified"},
    ),
    Choice("arch", "marked for this arch; also the arch whose values are meant", lambda m, _: m.flags["arch"]),
    Choice("mode", "inference or training", lambda m, _: m.columns["mode"]),
    Choice("parallelism", "how devices share the model", lambda m, _: m.columns["parallelism"]),
    Choice("framework", "pytorch or jax", lambda m, _: m.columns["framework"]),
    Choice("phase", "default, llm_decode or llm_prefill", lambda m, _: m.columns["phase"]),
    Choice("bringup", "how far the entry says it gets, or none", lambda m, _: m.columns["bringup"]),
    Choice("marker", "a marker the entry lists", lambda m, _: m.flags["marker"]),
    Number("pcc", "effective required_pcc on the shown arch, or on any supported one", required_pcc_column),
    Choice("assert_pcc", "true or false: whether PCC is asserted there", assert_pcc_column),
    Choice("has", "entry, override, reason, issue (a link in the reason) or pcc", lambda m, _: has_column(m)),
    Choice("is", "known, stray (entry without a test), mixed, duplicate or shadowed", lambda m, _: is_column(m)),
    Text("reason", "part of the entry's reasons", lambda m, _: m.columns["reason"], listed=False),
    Text("loader", "part of the loader's directory", lambda m, _: m.columns["loader"]),
    Text("variant", "part of the variant", lambda m, _: variant_column(m)),
    Text("file", "part of the entry's file name", lambda m, _: m.columns["file"]),
    Choice("function", "a test function that runs it", lambda m, _: function_column(m)),
    Number("seq", "sequence length of an LLM id; 1: not given", lambda m, _: llm_column(m, "seq"), int, ("1", "128")),
    Number("batch", "batch size of an LLM id, per device", lambda m, _: llm_column(m, "batch"), int, ("1", "4")),
    Choice("mesh", "mesh of an LLM id", lambda m, _: llm_column(m, "mesh")),
    IdText("id", "part of the test id"),
)

BY_NAME = {one.name: one for one in FIELDS}


def select(matrix: Matrix, query: Query, arch: str = NO_ARCH) -> list[int]:
    """Rows that satisfy `query`, in row order. Raises QueryError for unknown fields and values.

    `arch` is the arch whose values are meant, unless the query or a group in it itself asks for exactly one.
    """
    return list(_all(matrix, arch, range(len(matrix.ids)), query.terms))


def _all(matrix: Matrix, arch: str, rows: Sequence[int], nodes: tuple[Node, ...]) -> Sequence[int]:
    arch = lens(matrix, nodes) or arch
    # Every node is asked, even when no row is left: it may hold a mistake.
    for node in sorted(nodes, key=_cost):
        rows = _holding(matrix, arch, rows, node)
    return rows


def _holding(matrix: Matrix, arch: str, rows: Sequence[int], node: Node) -> Sequence[int]:
    """Those of `rows` a node holds for, in the same order."""
    match node:
        case Term():
            return (BY_NAME.get(node.field) or _unknown(node)).select(matrix, arch, rows, node)
        case And():
            return _all(matrix, arch, rows, node.nodes)
        case Not():
            return sorted(set(rows).difference(_holding(matrix, arch, rows, node.node)))
        case Or():
            return sorted(set().union(*(_holding(matrix, arch, rows, one) for one in node.nodes)))


def _cost(node: Node) -> int:
    """How dear a node is to ask, beside others."""
    match node:
        case Term():
            cost = BY_NAME[node.field].cost if node.field in BY_NAME else 0
            return cost * 2 if node.operator is Operator.MATCHES else cost
        case Not():
            return 1 + _cost(node.node)
        case _:
            return sum(1 + _cost(one) for one in node.nodes)


def lens(matrix: Matrix, nodes: tuple[Node, ...]) -> str:
    """The arch whose values nodes that must all hold mean by themselves: the only one they ask for, if any."""
    asked = Query(nodes).values_of("arch")
    return asked[0].lower() if len(asked) == 1 and asked[0].lower() in matrix.schema.archs else NO_ARCH


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
