# SPDX-License-Identifier: Apache-2.0
"""Ways to divide tests."""

from pathlib import Path

import pytest

from core.matrix import NO_ARCH, Column, Matrix, index, with_other_rows
from core.matrix.query import Plain, Query, Scope, family, select, variant_column
from core.matrix.view import BY_GROUPING, GROUPINGS
from core.matrix.view.tree import Grouping, paired
from tests.support.op_rows import some_op_rows
from tests.support.tree import sample


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return with_other_rows(index(sample(tmp_path_factory.mktemp("checkout"))), some_op_rows())


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda one: one.name)
@pytest.mark.parametrize("arch", [NO_ARCH, "n150"])
def test_every_test_has_one_group(matrix: Matrix, grouping: Grouping, arch: str) -> None:
    groups = Column.of("red" if row % 2 else "" for row in range(len(matrix.ids)))
    scope = Scope(matrix, arch, {"models": Plain({"group": groups, "task": groups})} if grouping.needs else {})
    column = grouping.column(scope)
    assert len(column.codes) == len(matrix.ids)
    assert sum(column.counts(range(len(matrix.ids))).values()) == len(matrix.ids)


def test_a_family_is_the_first_part_of_the_directory(matrix: Matrix) -> None:
    assert family("beta/causal_lm/pytorch") == "beta"
    assert set(BY_GROUPING["family"].column(Scope(matrix.model_tests)).values) == {"alpha", "beta", "gamma", "delta"}


def test_pairs_are_in_the_order_of_their_parts(tmp_path: Path) -> None:
    first, second = Column.of(["b", "a", "b", "b"]), Column.of(["y", "y", "", "y"])
    both = paired(first, second)
    assert [both[row] for row in range(4)] == ["b y", "a y", "b", "b y"]
    assert both.values == ("b y", "b", "a y")


@pytest.mark.parametrize("grouping", GROUPINGS, ids=lambda one: one.name)
def test_whatever_tests_are_grouped_by_is_a_query_field(matrix: Matrix, grouping: Grouping) -> None:
    groups = Column.of("red" if row % 2 else "" for row in range(len(matrix.ids)))
    learned = {"models": Plain({"group": groups, "task": groups})} if grouping.needs else {}
    scope = Scope(matrix, "n150", learned)
    column = grouping.column(scope)
    for code, text in enumerate(column.values):
        rows = [row for row in range(len(matrix.ids)) if column.codes[row] == code]
        # A variant is grouped with its loader, so that variants of the same name stay apart.
        value = variant_column(matrix)[rows[0]] if grouping.name == "variant" and rows else text
        if rows and value:
            found = select(matrix, Query().asking_for(grouping.name, (value,)), "n150", learned)
            assert set(rows) <= set(found) < set(range(len(matrix.ids))) | {-1}, (grouping.name, value)
