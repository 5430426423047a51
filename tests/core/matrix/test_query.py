# SPDX-License-Identifier: Apache-2.0
"""Queries parse, print and change as values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.matrix.query import TEXT, Query, QueryError, Term

_FIELD = st.text("abcdefgh_", min_size=1, max_size=8)
_VALUE = st.text(min_size=1, max_size=12)
_TERM = st.builds(Term, _FIELD, st.lists(_VALUE, min_size=1, max_size=3).map(tuple), st.booleans()) | st.builds(
    Term, st.just(TEXT), _VALUE.map(lambda value: (value,)), st.booleans()
)


@given(st.lists(_TERM, max_size=5).map(tuple))
def test_what_is_printed_parses_to_the_same(terms: tuple[Term, ...]) -> None:
    query = Query(terms)
    assert Query.parse(str(query)) == query


@given(st.text(max_size=40))
def test_any_text_parses_or_says_where_it_is_wrong(text: str) -> None:
    try:
        query = Query.parse(text)
    except QueryError as error:
        assert 0 <= error.column <= len(text)
    else:
        assert Query.parse(str(query)) == query


def test_terms() -> None:
    query = Query.parse('status:xfail,skip !mode:training llama "two words" !x reason:"a \\"b\\""')
    assert query.terms == (
        Term("status", ("xfail", "skip")),
        Term("mode", ("training",), True),
        Term(TEXT, ("llama",)),
        Term(TEXT, ("two words",)),
        Term(TEXT, ("x",), True),
        Term("reason", ('a "b"',)),
    )
    assert [term.column for term in query.terms][:3] == [0, 18, 33]


def test_a_bare_word_keeps_its_punctuation() -> None:
    assert Query.parse("net-v1.5+aug,x/y").terms == (Term(TEXT, ("net-v1.5+aug,x/y",)),)


@pytest.mark.parametrize(("text", "column"), [("status:", 0), ("a !", 2), ('a "b', 2), ('status:x,"', 9), ('x:""', 0)])
def test_errors_point_at_the_place(text: str, column: int) -> None:
    with pytest.raises(QueryError) as caught:
        Query.parse(text)
    assert caught.value.column == column
    assert f"column {column + 1}" in caught.value.detail


def test_toggled_adds_joins_and_takes_away() -> None:
    query = Query.parse("llama")
    one = query.toggled("status", "xfail")
    two = one.toggled("status", "skip")
    assert str(one) == "llama status:xfail"
    assert str(two) == "llama status:xfail,skip"
    assert two.toggled("status", "xfail").toggled("status", "skip") == query


def test_negative_terms_are_left_alone() -> None:
    query = Query.parse("!status:skip status:xfail")
    assert query.values_of("status") == ("xfail",)
    assert str(query.without("status")) == "!status:skip"
