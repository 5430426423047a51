# SPDX-License-Identifier: Apache-2.0
"""Queries parse, print and change as values."""

import pytest
from hypothesis import given, strategies as st

from core.base.errors import QueryError
from core.matrix.query import Node, Query
from core.matrix.query.terms import TEXT, And, Not, Operator, Or, Term, conjunction, disjunction, negation

_FIELD = st.text("abcdefgh_", min_size=1, max_size=8)
_VALUE = st.text(min_size=1, max_size=12) | st.text('or not"\\!:~(),', min_size=1, max_size=6)
_PATTERN = st.sampled_from(["a.*b", r"\d+", "(x|y)", r'a\\"', "[^)]", "!"])
_TERM = (
    st.builds(Term, _FIELD, st.lists(_VALUE, min_size=1, max_size=3).map(tuple))
    | st.builds(Term, st.just(TEXT), st.tuples(_VALUE))
    | st.builds(Term, _FIELD, st.tuples(_PATTERN), st.just(Operator.MATCHES))
)


def _larger(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(nodes, min_size=1, max_size=3)
    return several.map(conjunction) | several.map(disjunction) | nodes.map(negation)


_NODE: st.SearchStrategy[Node] = st.recursive(_TERM, _larger, max_leaves=8)


def _query(node: Node) -> Query:
    return Query(node.nodes if isinstance(node, And) else (node,))


@given(_NODE)
def test_what_is_printed_parses_to_the_same(node: Node) -> None:
    query = _query(node)
    assert Query.parse(str(query)) == query


@given(st.text(max_size=40) | st.text('ab or not"\\!:~*(), ', max_size=30))
def test_any_text_parses_or_says_where_it_is_wrong(text: str) -> None:
    try:
        query = Query.parse(text)
    except QueryError as error:
        assert 0 <= error.column <= len(text)
        assert text.lower().startswith(error.token.lower(), error.column)
    else:
        assert Query.parse(str(query)) == query


@given(_NODE)
def test_printing_takes_no_needless_parenthesis(node: Node) -> None:
    """Removing any pair of parentheses changes the meaning."""
    text = str(_query(node))
    for at, character in enumerate(text):
        if character == "(":
            for end in range(at + 1, len(text)):
                if text[end] == ")":
                    assert _parsed(text[:at] + text[at + 1 : end] + text[end + 1 :]) != _query(node)


def _parsed(text: str) -> Query | None:
    try:
        return Query.parse(text)
    except QueryError:
        return None


def test_the_whole_grammar() -> None:
    query = Query.parse(' status:xfail,skip !mode:training (llama OR not "two words") and reason~"a|b" ')
    assert query.terms == (
        Term("status", ("xfail", "skip")),
        Not(Term("mode", ("training",))),
        Or((Term(TEXT, ("llama",)), Not(Term(TEXT, ("two words",))))),
        Term("reason", ("a|b",), Operator.MATCHES),
    )
    assert str(query) == 'status:xfail,skip !mode:training (llama or !"two words") reason~a|b'


def test_an_empty_query_has_no_terms() -> None:
    assert Query.parse("  ") == Query()
    assert str(Query()) == ""


def test_toggled_adds_joins_and_takes_away() -> None:
    query = Query.parse("llama")
    one = query.toggled("status", "xfail")
    two = one.toggled("status", "skip")
    assert str(one) == "llama status:xfail"
    assert str(two) == "llama status:xfail,skip"
    assert two.toggled("status", "xfail").toggled("status", "skip") == query


def test_toggled_leaves_groups_alone() -> None:
    query = Query.parse("status:xfail or llama")
    assert query.values_of("status") == ()
    toggled = query.toggled("status", "skip")
    assert str(toggled) == "(status:xfail or llama) status:skip"
    assert toggled.toggled("status", "skip") == query


def test_negative_terms_and_patterns_are_left_alone() -> None:
    query = Query.parse("!status:skip status:xfail status~pass")
    assert query.values_of("status") == ("xfail",)
    assert str(query.without("status")) == "!status:skip status~pass"


@given(_NODE, _FIELD, _VALUE)
def test_toggled_twice_asks_the_same_of_a_field(node: Node, name: str, value: str) -> None:
    query = _query(node)
    twice = query.toggled(name, value).toggled(name, value)
    assert set(twice.values_of(name)) == set(query.values_of(name))
    assert twice.without(name) == query.without(name)


@pytest.mark.parametrize("text", ["a b or c", "a (b or c) d", "!(a b) c", "!a !b", "!(a or !(b c))"])
def test_readable_text_is_printed_as_it_is(text: str) -> None:
    assert str(Query.parse(text)) == text
