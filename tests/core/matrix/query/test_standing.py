# SPDX-License-Identifier: Apache-2.0
"""A kind of rows has a field, has it not, or what it says is not read yet: that is neither empty nor a mistake."""

from dataclasses import replace

import pytest

from core.base.errors import QueryError
from core.matrix import Matrix, index, with_other_rows
from core.matrix.query import Plain, Query, Scope, Standing, lacking_words, select, standing, unread_words
from core.matrix.view import View
from tests.support.op_rows import some_handwritten_rows, some_op_rows
from tests.support.tree import sample


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("standing") / "tt-xla"))


@pytest.fixture(scope="module")
def matrix(models: Matrix) -> Matrix:
    return with_other_rows(models, some_op_rows())


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("status", "op", Standing.HAS),
        ("op", "op", Standing.HAS),
        ("op", "model", Standing.HAS_NOT),
        ("nowhere", "model", Standing.HAS_NOT),
        ("verdict", "op", Standing.NOT_READ),
        ("verdict", "handwritten", Standing.NOT_READ),
        ("op", "handwritten", Standing.HAS_NOT),
        ("job", "model", Standing.NOT_READ),
        ("job", "op", Standing.HAS_NOT),
        ("level", "handwritten", Standing.NOT_READ),
        ("id", "handwritten", Standing.NOT_READ),
    ],
)
def test_whether_a_kind_has_a_field(matrix: Matrix, name: str, kind: str, expected: Standing) -> None:
    awaited = replace(matrix, unread=frozenset({"handwritten"}))
    assert standing(Scope(awaited), name, kind) is expected


def test_a_field_is_there_once_its_facts_are(matrix: Matrix) -> None:
    assert standing(Scope(matrix, learned={"jobs": Plain({})}), "job", "model") is Standing.HAS


def test_a_value_of_rows_that_are_still_being_read_is_no_mistake(models: Matrix) -> None:
    query = Query.parse("marker:push")
    with pytest.raises(QueryError):
        select(models, query)
    awaited = replace(models, unread=frozenset({"handwritten"}))
    assert select(awaited, query) == []
    assert unread_words(query, awaited) == ["the hand-written tests are still being read"]
    assert [*select(with_other_rows(models, some_handwritten_rows()), query)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["op case", "hand-written test"]),
        ("add", ["op case", "hand-written test"]),
        ("kind:op", ["op case"]),
        ("op:torch.add", ["op case"]),
        ("level:op", ["hand-written test"]),
        ("arch:n150", []),
        ("kind:model", []),
        ("kind:op,handwritten level:op", ["hand-written test"]),
    ],
)
def test_a_query_says_for_which_rows_it_waits(models: Matrix, text: str, said: list[str]) -> None:
    awaited = replace(models, unread=frozenset({"op", "handwritten"}))
    assert unread_words(Query.parse(text), awaited) == [f"the {one}s are still being read" for one in said]
    assert unread_words(Query.parse(text), models) == []


@pytest.mark.parametrize("text", ["kind:op", "op:torch.add", "kind:op dtype:int8"])
def test_rows_that_are_still_being_read_are_not_said_to_be_missing(models: Matrix, text: str) -> None:
    query = Query.parse(text)
    assert lacking_words(query, matrix=models)
    assert lacking_words(query, matrix=replace(models, unread=frozenset({"op"}))) == []


def test_an_order_by_what_is_not_read_yet_says_so(models: Matrix) -> None:
    view = View(models)
    view.sort("verdict")
    assert view.order_waits
    view.learn({"runs": Plain({})})
    assert not view.order_waits
