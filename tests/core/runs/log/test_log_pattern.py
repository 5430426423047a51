# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.search: plain text or an expression, case-sensitive as typed."""

import pytest
from hypothesis import given, strategies as st

from core.base.errors import UsageError
from core.runs.log import parse_filter, parse_pattern


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("tt_fatal", "a TT_FATAL here", True),
        ("TT_fatal", "a TT_FATAL here", False),
        ("a.b(", "xa.b(y", True),
        ("a.b", "aXb", False),
        ("re:a.b", "aXb", True),
        ("re:A.b", "aXb", False),
        (r"re:\Sx\S", "aXb", True),
        ("re:^x", "ax", False),
    ],
)
def test_what_is_found(text: str, line: str, found: bool) -> None:
    assert parse_pattern(text).holds(line) is found
    assert parse_filter(f"!{text}").holds(line) is not found
    assert bool(parse_pattern(text).spans(line)) is found


@given(st.text("abAB.(", min_size=1), st.text("abAB.("))
def test_plain_text_is_found_where_its_spans_are(text: str, line: str) -> None:
    pattern = parse_pattern(text)
    spans = pattern.spans(line)
    assert pattern.holds(line) is bool(spans)
    assert all(line[start:end].lower() == text.lower() for start, end in spans)


def test_an_empty_place_is_none() -> None:
    assert parse_pattern("re:x*").spans("axxb") == [(1, 3)]


def test_what_is_no_expression_is_refused_with_the_place() -> None:
    with pytest.raises(UsageError, match="Not an expression") as refused:
        parse_pattern("re:a(b")
    assert "at character 2" in refused.value.detail
    assert parse_pattern("a(b").holds("xa(b")
