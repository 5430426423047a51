# SPDX-License-Identifier: Apache-2.0
"""What the grammar accepts, and where it points when it does not."""

import re

import pytest
from hypothesis import given, strategies as st

from core.base.errors import QueryError
from core.matrix.query.query import compiled, parse
from core.matrix.query.terms import TEXT, And, Not, Operator, Or, Term

A, B, C = (Term(TEXT, (word,)) for word in "abc")


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("", None),
        ("a b", And((A, B))),
        ("a and b", And((A, B))),
        ("a b or c", Or((And((A, B)), C))),
        ("a (b or c)", And((A, Or((B, C))))),
        ("a(b)c", And((A, B, C))),
        ("!a", Not(A)),
        ("! a", Not(A)),
        ("!!a", A),
        ("not not a", A),
        ("NOT(a)", Not(A)),
        ("!(a b)", Not(And((A, B)))),
        ("((a))", A),
        ("net-v1.5+aug,x/y", Term(TEXT, ("net-v1.5+aug,x/y",))),
        ('"or"', Term(TEXT, ("or",))),
        ("orange", Term(TEXT, ("orange",))),
        ("Status:xfail", Term("status", ("xfail",))),
        ('x:a,"b, c",d', Term("x", ("a", "b, c", "d"))),
        ("pcc:<0.99", Term("pcc", ("<0.99",))),
        (r'reason:"a \"b\" \\"', Term("reason", ('a "b" \\',))),
        (r'reason~"\d+ \w"', Term("reason", (r"\d+ \w",), Operator.MATCHES)),
        ("reason~a,b", Term("reason", ("a,b",), Operator.MATCHES)),
    ],
)
def test_parse(text: str, node: object) -> None:
    assert parse(text) == node


def test_terms_know_where_they_are() -> None:
    node = parse("a (b status:x,yy)")
    assert isinstance(node, And)
    place = [(term.column, term.value_columns) for term in node.nodes if isinstance(term, Term)]
    assert place == [(0, (0,)), (3, (3,)), (5, (12, 14))]


@pytest.mark.parametrize(
    ("text", "column", "token", "title"),
    [
        ("status:", 0, "status:", "needs a value"),
        ("a status:,x", 2, "status:", "needs a value"),
        ("status:x,", 0, "status:x,", "needs a value"),
        ('x:""', 0, 'x:""', "needs a value"),
        ("reason~", 0, "reason~", "needs a value"),
        ("reason:(a)", 0, "reason:", "needs a value"),
        ("a !", 2, "!", "nothing after"),
        ("a or", 2, "or", "nothing after"),
        ("a OR or b", 2, "OR", "nothing after"),
        ("a and", 2, "and", "nothing after"),
        ("not", 0, "not", "nothing after"),
        ("or a", 0, "or", "nothing before"),
        ("(or a)", 1, "or", "nothing before"),
        ("a ()", 2, "(", "nothing after"),
        ("a (b or c", 2, "(", "never closed"),
        ("a ((b)", 2, "(", "never closed"),
        ("a b)", 3, ")", "never opened"),
        (")", 0, ")", "never opened"),
        ('a "b', 2, '"b', "never closed"),
        ('status:x,"', 9, '"', "never closed"),
        ('a"b"', 1, '"', "space is missing"),
        ('x:"a"b', 5, "b", "space is missing"),
        ('a reason~"(b"', 9, '"(b"', "Not a regular expression"),
        ("x~*", 2, "*", "Not a regular expression"),
        ("(" * 1000, 50, "(", "too deeply"),
        ("!" * 10_000 + "a", 50, "!", "too deeply"),
    ],
)
def test_errors_point_at_the_token(text: str, column: int, token: str, title: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    error = caught.value
    assert error.column == column
    assert title in error.title
    assert error.token == token
    assert f"column {column + 1}" in error.detail


def test_many_terms_are_no_depth() -> None:
    node = parse("(a) !b " * 500)
    assert isinstance(node, And)
    assert len(node.nodes) == 1000


@given(st.text(max_size=20) | st.text("()[]{}*+?|\\9,^-[", max_size=12))
def test_any_pattern_compiles_or_says_why(pattern: str) -> None:
    try:
        found = compiled(pattern)
    except ValueError as error:
        assert not isinstance(error, re.error)
        assert str(error)
    else:
        assert found.flags & re.IGNORECASE
