# SPDX-License-Identifier: Apache-2.0
"""Op cases after the model tests do not change any value of a model test."""

from array import array

import pytest
from hypothesis import given, strategies as st

from core.domain.model import Status
from core.matrix import (
    HANDWRITTEN_KIND,
    MODEL_KIND,
    OP_KIND,
    Column,
    FlagColumn,
    Matrix,
    OtherRows,
    index,
    row_kind,
    with_other_rows,
)
from core.matrix.op_rows import continued
from core.matrix.query import BY_NAME, Plain, Query, Scope, column_of, select
from core.matrix.view import View
from tests.support.op_rows import some_handwritten_rows, some_op_rows
from tests.support.tree import sample

_TEXTS = st.text(max_size=3)


@st.composite
def op_rows(draw: st.DrawFn) -> OtherRows:
    """Any op cases; their texts may also occur in model tests."""
    size = draw(st.integers(0, 40))
    names = sorted(draw(st.sets(_TEXTS, min_size=size, max_size=size)))

    def column(texts: st.SearchStrategy[str] = _TEXTS) -> Column:
        return Column.of(draw(st.lists(texts, min_size=size, max_size=size)))

    sets = draw(st.lists(st.lists(_TEXTS, max_size=3), min_size=size, max_size=size))
    flags = FlagColumn.sparse(size, (), dict(enumerate(sets)))
    return OtherRows(
        kind=OP_KIND,
        ids=tuple(f"op::{name}" for name in names),
        lines=array("I", range(size)),
        status=column(st.sampled_from([str(one) for one in Status])),
        columns={
            name: column() for name in ("op", "model", "shape", "dup", "rtol", "atol", "temporary", "reason", "file")
        },
        flags={"dtype": flags, "mark": flags},
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("models")))


@given(ops=op_rows())
def test_model_tests_keep_their_rows_and_all_their_values(models: Matrix, ops: OtherRows) -> None:
    matrix = with_other_rows(models, ops)
    size = len(models.ids)
    assert matrix.ids == models.ids + ops.ids
    assert matrix.model_tests is models
    assert [matrix.kind_of(row) for row in range(len(matrix.ids))] == [MODEL_KIND] * size + [OP_KIND] * len(ops.ids)
    facts = {name: Plain({"x": column}) for name, column in models.columns.items()}
    scope = Scope(matrix, learned=facts)
    for name, column in models.columns.items():
        assert list(matrix.columns[name].texts())[:size] == list(column.texts())
        assert scope.facts(name, "x")[0] == column[0]
        assert {scope.facts(name, "x")[row] for row in range(size, len(matrix.ids))} <= {""}
    for name, flags in models.flags.items():
        assert [matrix.flags[name][row] for row in range(size)] == [flags[row] for row in range(size)]
    for arch, status in models.status.items():
        assert [matrix.status[arch][row] for row in range(size)] == [status[row] for row in range(size)]


@given(ops=op_rows())
def test_op_cases_have_what_they_are_given(models: Matrix, ops: OtherRows) -> None:
    matrix = with_other_rows(models, ops)
    for case, row in enumerate(range(len(models.ids), len(matrix.ids))):
        assert {name: matrix.columns[name][row] for name in ops.columns} == {
            name: column[case] for name, column in ops.columns.items()
        }
        assert {matrix.status[arch][row] for arch in matrix.status} == {ops.status[case]}
        assert matrix.flags["status"][row] == (ops.status[case],)
        assert set(matrix.flags["dtype"][row]) == set(ops.flags["dtype"][case])
        assert matrix.columns["loader"][row] == ""
        assert matrix.flags["arch"][row] == ()
        assert matrix.functions(row) == []


@given(ops=op_rows())
def test_every_field_means_the_same_for_model_tests(models: Matrix, ops: OtherRows) -> None:
    matrix = with_other_rows(models, ops)
    size, before, after = len(models.ids), Scope(models), Scope(matrix)
    for name, field in BY_NAME.items():
        if name and name != "id" and not field.needs:
            one, other = column_of(before, name), column_of(after, name)
            assert [one[row] for row in range(size)] == [other[row] for row in range(size)], name
            assert len([other[row] for row in range(len(matrix.ids))]) == len(matrix.ids)


def test_queries_of_op_cases(models: Matrix) -> None:
    ops = some_op_rows()
    matrix = with_other_rows(models, ops)

    def ids(text: str) -> list[str]:
        return [matrix.ids[row] for row in select(matrix, Query.parse(text))]

    assert ids("kind:op") == list(ops.ids)
    assert ids("kind:model") == list(models.ids)
    assert ids("op:torch.add") == ["m::add", "n::Add", "n::add"], "case aside"
    assert ids("op:mm model:m") == ids("op:torch.mm") == ["m::mm"]
    assert ids('op~"(?-i:Add)"') == ["n::Add"]
    assert ids("dtype:int64") == ids("mark:slow") == ids("rtol:>0.01") == ids("shape:2x2") == ["m::mm"]
    assert ids("dup:none kind:op") == ["m::add", "m::mm", "n::Add"]
    assert ids("dup:m::add") == ["n::add"]
    assert ids("kind:op status:skip") == ids('reason:"no kernel"') == ["m::mm"]
    assert ids("kind:op file:n.yaml") == ["n::Add", "n::add"]
    assert ids("kind:op arch:n150") == ids("kind:op is:known") == ids("kind:op !mode:none") == []


def test_hand_written_tests_are_behind_the_op_cases(models: Matrix) -> None:
    ops, tests = some_op_rows(), some_handwritten_rows()
    matrix = with_other_rows(with_other_rows(models, ops), tests)
    assert matrix.ids == with_other_rows(with_other_rows(models, tests), ops).ids == models.ids + ops.ids + tests.ids
    kinds = [matrix.kind_of(row) for row in range(len(matrix.ids))]
    assert kinds == [MODEL_KIND] * len(models.ids) + [OP_KIND] * 4 + [HANDWRITTEN_KIND] * 3
    assert [matrix.line_of(matrix.rows[id]) for id in (*ops.ids, *tests.ids)] == [3, 5, 3, 9, 4, 7, 9]
    alone = with_other_rows(models, tests)
    assert (
        alone.of_kind(OP_KIND) is None
        and alone.kind_of(len(models.ids)) == HANDWRITTEN_KIND
        and alone.line_of(len(models.ids)) == 4
    )

    def ids(text: str) -> list[str]:
        return [matrix.ids[row] for row in select(matrix, Query.parse(text))]

    assert ids("kind:handwritten") == list(tests.ids)
    assert ids("kind:op") == list(ops.ids)
    assert ids("level:op") == ids("kind:handwritten mark:push") == list(tests.ids[:2])
    assert ids("kind:handwritten status:skip") == ids("kind:handwritten reason:kernel") == [tests.ids[1]]
    assert ids("mark:slow") == ["m::mm", tests.ids[1]]
    assert ids("kind:handwritten op:torch.add") == ids("kind:handwritten arch:n150") == []
    view = View(matrix, Query.parse("kind:handwritten"))
    assert (view.kind, view.table_columns) == (HANDWRITTEN_KIND, row_kind(HANDWRITTEN_KIND).columns)
    view.filter(Query.parse("kind:handwritten,op"))
    assert (view.kind, view.table_columns) == ("", row_kind(MODEL_KIND).columns)
    view.sort("status")
    assert not view.kind


def test_a_view_of_op_cases_has_their_columns_and_facets(models: Matrix) -> None:
    view = View(with_other_rows(models, some_op_rows()))
    assert (view.kind, view.table_columns) == ("", row_kind(MODEL_KIND).columns)
    view.filter(Query.parse("kind:op"))
    assert (view.kind, view.table_columns) == (OP_KIND, row_kind(OP_KIND).columns)
    facets = {facet.field: {one.value: one.count for one in facet.values if one.count} for facet in view.facets()}
    assert facets["kind"] == {"model": len(models.ids), "op": 4}
    assert facets["op"] == {"torch.add": 2, "torch.mm": 1, "torch.Add": 1}
    assert facets["dtype"] == {"float16": 3, "int64": 1, "int8": 1}
    assert facets["marker"] == {"slow": 1, "none": 3}
    view.sort("shape")
    assert [view.matrix.ids[row] for row in view.rows] == ["m::mm", "n::Add", "m::add", "n::add"], "by size"
    view.filter(Query.parse("kind:op or tiny"))
    assert view.kind != OP_KIND
    view.filter(Query.parse("zzz"))
    assert (view.kind, view.table_columns) == ("", row_kind(MODEL_KIND).columns)


@given(st.lists(st.integers(0, 400), max_size=30), st.lists(st.integers(0, 400), max_size=30))
def test_columns_of_few_and_of_many_texts_follow_each_other(one: list[int], other: list[int]) -> None:
    """Codes are bytes up to 256 texts, and numbers beyond."""
    first, second = ([str(number) for number in numbers] for numbers in (one, other))
    for vocabulary in ((), map(str, range(400))):
        behind = Column.of(second, vocabulary)
        assert list(continued(Column.of(first), behind).texts()) == first + second
        assert list(continued(behind, Column.of(first)).texts()) == second + first
