# SPDX-License-Identifier: Apache-2.0
"""How each kind of field reads its values, and what it offers while one is typed."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import QueryError
from core.matrix import Column, FlagColumn, Matrix, index
from core.matrix.query import Choice, Field, Number, Scope, Text
from core.matrix.query.kinds import IdText, foldable
from core.matrix.query.terms import Operator, Term
from tests.support.tree import sample

SIZES = Column.of(["0.9", "", "0.99", "high", "0.9"])
NAMES = Column.of(["tensor_parallel", "fsdp-tensor_parallel", "", "Data_Parallel", "[odd]"])
FLAGS = FlagColumn.sparse(4, (), {0: ["large"], 1: ["large", "push"], 3: ["nightly"]})

CHOICE = Choice("sharing", "", lambda *_: NAMES, aliases={"tp": "tensor_parallel"})
MARKER = Choice("marker", "", lambda *_: FLAGS)
TEXT_FIELD = Text("words", "", lambda *_: NAMES)
NUMBER = Number("made_up_size", "", lambda *_: SIZES)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _rows(field: Field, matrix: Matrix, *values: str, operator: Operator = Operator.IS) -> list[int]:
    return [*field.select(Scope(matrix), range(4 if field is MARKER else 5), Term(field.name, values, operator))]


@pytest.mark.parametrize(
    ("field", "values", "rows"),
    [
        (CHOICE, ["tensor_parallel"], [0]),
        (CHOICE, ["TP"], [0]),
        (CHOICE, ["tensor"], [0, 1]),
        (CHOICE, ["none"], [2]),
        (CHOICE, ["data", "fsdp"], [1, 3]),
        (MARKER, ["large"], [0, 1]),
        (MARKER, ["push", "nightly"], [1, 3]),
        (TEXT_FIELD, ["PARALLEL"], [0, 1, 3]),
        (TEXT_FIELD, ["tensor_parallel"], [0, 1]),
        (TEXT_FIELD, ["[", "data"], [3, 4]),
        (TEXT_FIELD, ["nowhere"], []),
        (NUMBER, ["0.90"], [0, 4]),
        (NUMBER, [">0.9"], [2]),
        (NUMBER, ["0.9..1"], [0, 2, 4]),
        (NUMBER, ["none"], [1, 3]),
        (NUMBER, ["<0.95", "None"], [0, 1, 3, 4]),
    ],
)
def test_values(matrix: Matrix, field: Field, values: list[str], rows: list[int]) -> None:
    assert _rows(field, matrix, *values) == rows


def test_patterns_are_searched_in_what_is_there(matrix: Matrix) -> None:
    assert _rows(CHOICE, matrix, "^t|^d", operator=Operator.MATCHES) == [0, 3]
    assert _rows(TEXT_FIELD, matrix, "^(?!tensor)", operator=Operator.MATCHES) == [1, 3, 4]
    assert _rows(MARKER, matrix, "^n|sh$", operator=Operator.MATCHES) == [1, 3]
    with pytest.raises(QueryError, match="not text"):
        _rows(NUMBER, matrix, "9", operator=Operator.MATCHES)


def test_only_the_rows_asked_about_are_answered(matrix: Matrix) -> None:
    assert TEXT_FIELD.select(Scope(matrix), [1, 3], Term("words", ("tensor",))) == [1]
    assert MARKER.select(Scope(matrix), [1, 3], Term("marker", ("large",))) == [1]


def test_what_is_near_is_suggested(matrix: Matrix) -> None:
    with pytest.raises(QueryError) as caught:
        _rows(CHOICE, matrix, "fdsp-tensor_parallel")
    assert caught.value.suggestion == "sharing:fsdp-tensor_parallel"
    with pytest.raises(QueryError) as caught:
        _rows(CHOICE, matrix, "tenosr")
    assert caught.value.suggestion == "sharing:tensor"


def test_what_is_offered(matrix: Matrix) -> None:
    assert CHOICE.completions(Scope(matrix))[1:3] == ["fsdp-tensor_parallel", "none"]
    assert TEXT_FIELD.completions(Scope(matrix))[2] == "Data_Parallel"
    assert Text("words", "", lambda *_: NAMES, listed=False).completions(Scope(matrix)) == ()
    assert NUMBER.completions(Scope(matrix)) == ["0.9", "0.99"]
    assert IdText("id", "").completions(Scope(matrix)) == ()


@pytest.mark.parametrize(
    ("pattern", "word"),
    [("TINY", "tiny"), ("[TX]iny-(single|x)", "tiny-single"), (r"\bTiny\b(?=-data)", "tiny-data")],
)
def test_ids_are_matched_case_aside(tmp_path: Path, pattern: str, word: str) -> None:
    matrix = index(sample(tmp_path))
    rows = range(len(matrix.ids))
    found = IdText("id", "").select(Scope(matrix), rows, Term("id", (pattern,), Operator.MATCHES))
    assert found == [row for row in rows if word in matrix.ids[row]]
    assert found


_PIECES = [
    "a",
    "B",
    "Z",
    "_",
    "-",
    ".",
    "*",
    "[a-c]",
    "[^A-B]",
    "[^b]",
    "[9-a]",
    "[!-z]",
    "[^-a]",
    r"\d",
    r"\W",
    r"\x41",
    "(",
    "|",
    ")",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=6).map("".join), st.text("aAbBzZ_9-", max_size=6))
def test_a_foldable_pattern_finds_the_same_in_lower_case(pattern: str, text: str) -> None:
    if foldable(pattern):
        try:
            plain = re.compile(pattern, re.IGNORECASE)
        except re.error:
            return
        assert bool(re.search(pattern.lower(), text.lower())) == bool(plain.search(text))


@pytest.mark.parametrize(
    ("pattern", "is_foldable"),
    [("llama.*8B", True), (r"[qQ]wen\.", True), ("(a|B)+", True), (r"\W", False), ("(?i)a", False), ("[Z-a]", False)],
)
def test_common_patterns_are_foldable(pattern: str, is_foldable: bool) -> None:
    assert foldable(pattern) == is_foldable


@pytest.mark.parametrize("field", [IdText("id", ""), Text("words", "", lambda *_: Column.of(["a" * 60 + "-"]))])
def test_a_search_without_end_is_refused(matrix: Matrix, field: Field) -> None:
    term = Term(field.name, (r"(([a-z]|\w|\W)*)*!",), Operator.MATCHES, 3, (5,))
    with pytest.raises(QueryError, match="too long") as caught:
        field.select(Scope(matrix), [0], term)
    assert (caught.value.column, caught.value.token) == (5, term.values[0])
