# SPDX-License-Identifier: Apache-2.0
"""The parts of a query print with as few quotes as possible, and combine without needless nesting."""

import pytest

from core.base.errors import QueryError
from core.matrix.query.terms import TEXT, And, Operator, Or, Term, conjunction, disjunction, negation

A, B, C = (Term(TEXT, (word,)) for word in "abc")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Term(TEXT, ("net-v1.5+aug,x/y",)), "net-v1.5+aug,x/y"),
        (Term(TEXT, ("two words",)), '"two words"'),
        (Term(TEXT, ("a!b",)), "a!b"),
        (Term(TEXT, ("!b",)), '"!b"'),
        (Term(TEXT, ("Or",)), '"Or"'),
        (Term(TEXT, ("orca",)), "orca"),
        (Term(TEXT, ("mode:x",)), '"mode:x"'),
        (Term(TEXT, ("a/mode:x",)), "a/mode:x"),
        (Term("x", ("a", "b,c", "or", "!d")), 'x:a,"b,c",or,!d'),
        (Term("x", ("<0.99",)), "x:<0.99"),
        (Term("x", (r"a,\d",), Operator.MATCHES), r"x~a,\d"),
        (Term("x", (r"(a|\d)",), Operator.MATCHES), r'x~"(a|\d)"'),
        (Term("x", ('a "b"',)), r'x:"a \"b\""'),
        (Term("x", ("a \\",)), r'x:"a \\"'),
    ],
)
def test_terms_print_as_they_are_typed(term: Term, text: str) -> None:
    assert str(term) == text


def test_joining_flattens() -> None:
    assert conjunction([A, conjunction([B, C])]) == And((A, B, C))
    assert disjunction([disjunction([A, B]), C]) == Or((A, B, C))
    assert conjunction([A]) == disjunction([A]) == A
    assert negation(negation(A)) == A


def test_parentheses_are_only_where_they_must() -> None:
    assert str(disjunction([conjunction([A, B]), C])) == "a b or c"
    assert str(conjunction([disjunction([A, B]), C])) == "(a or b) c"
    assert str(negation(conjunction([A, B]))) == "!(a b)"
    assert str(negation(A)) == "!a"


def test_place_is_no_part_of_the_meaning() -> None:
    parsed = Term("x", ("a", "b"), Operator.IS, 3, (5, 7))
    assert parsed == Term("x", ("a", "b"))
    assert [parsed.column_of(0), parsed.column_of(1)] == [5, 7]
    assert Term("x", ("a",)).column_of(0) == 0


def test_an_error_prefers_its_suggestion() -> None:
    error = QueryError("No", 4, "stauts", suggestion="status:", hint="Fields: …")
    assert (error.column, error.token, error.suggestion) == (4, "stauts", "status:")
    assert (error.detail, error.hint) == ("at column 5 of the query", "Did you mean status:?")
    assert QueryError("No", 0, hint="Fields: …").hint == "Fields: …"
