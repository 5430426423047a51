# SPDX-License-Identifier: Apache-2.0
"""core.runs.junit_stream: testcases come one by one, whatever the size; what has no end is refused."""

import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from xml.etree.ElementTree import tostring

import pytest
from hypothesis import given, strategies as st

from core.runs import junit_stream as module
from core.runs.junit_stream import MOST_TEXT, stream_cases

SMALL = (
    b'<?xml version="1.0"?><testsuites><testsuite hostname="h" time="1"><properties><property name="x" value="y"/>'
    b'</properties><testcase name="a" time="2"><properties><property name="p" value="1&amp;2"/><property name="q"/>'
    b'</properties><system-out>long <failure message="none"/></system-out><failure message="m&#10;n">t<b>u</b>v'
    b'</failure></testcase><testsuite name="inner"><testcase name="b"><error/><skipped type="s">w</skipped></testcase>'
    b"</testsuite><x><testcase name='none'/></x><testcase name='c'/></testsuite></testsuites>"
)
OUTER = {"hostname": "h", "time": "1"}
CASES = [
    (
        OUTER,
        1,
        '<testcase name="a" time="2"><properties><property name="p" value="1&amp;2" /><property name="q" />'
        '</properties><failure message="m&#10;n">tuv</failure></testcase>',
    ),
    ({"name": "inner"}, 2, '<testcase name="b"><error /><skipped type="s">w</skipped></testcase>'),
    (OUTER, 1, '<testcase name="c" />'),
]


@given(st.lists(st.integers(0, len(SMALL)), max_size=8))
def test_however_a_file_is_cut_its_testcases_are_the_same(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(SMALL)]
    pieces = [SMALL[start:end] for start, end in pairwise(edges)]
    found = stream_cases(pieces)
    assert [(one.suite, one.session, tostring(one.element, "unicode")) for one in found] == CASES


def endless(head: bytes, piece: bytes, tail: bytes = b"", count: int = 200) -> Iterator[bytes]:
    yield b'<testsuite><testcase name="a">' + head
    for _ in range(count):
        yield piece
    yield tail + b'</testcase><testcase name="b"/></testsuite>'


LINE = b"a line of a log &lt;with&gt; some characters in it\n" * 5000


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (b"<system-out>", b"</system-out>"),
        (b"<failure>first", b"last</failure>"),
        (b"<failure><![CDATA[", b"]]></failure>"),
    ],
)
def test_a_text_without_end_takes_no_memory(head: bytes, tail: bytes) -> None:
    tracemalloc.start()
    found = list(stream_cases(endless(head, LINE, tail)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [case.element.get("name") for case in found] == ["a", "b"]
    assert peak < 20 * MOST_TEXT


def test_of_a_long_text_both_ends_stay() -> None:
    (case, _) = stream_cases(endless(b"<failure>first", LINE, b"last</failure>"))
    text = case.element.findtext("failure") or ""
    assert (text[:5], text[-4:]) == ("first", "last")
    assert " characters left out ..." in text
    assert 2 * MOST_TEXT <= len(text) < 3 * MOST_TEXT


def test_a_text_that_fits_is_whole() -> None:
    whole = "x" * (2 * MOST_TEXT)
    (case,) = stream_cases([f"<testsuite><testcase><failure>{whole}</failure></testcase></testsuite>".encode()])
    assert case.element.findtext("failure") == whole


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        (endless(b'<failure message="', b"a" * 2**20), "a tag of it has more than"),
        (endless(b"<!--", b"a" * 2**20), "a tag of it has more than"),
        (endless(b"", b"<a>" * 100_000), "nested more than 64 deep"),
        ([b"<testsuites>" * 65], "nested more than 64 deep"),
        ([b"<html/>"], "its root is <html>"),
        ([b""], "it is empty"),
        ([SMALL[:-5]], "line 1"),
        ([b"<!DOCTYPE x []><testsuites/>"], "document type"),
        ([b'<testsuite name="a" name="b"/>'], "duplicate attribute"),
    ],
)
def test_what_has_no_end_or_is_no_report_is_refused(pieces: list[bytes], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        list(stream_cases(pieces))


ODD = b'<testsuite><testcase name="a\x00b\x1b[1m \xff \xef\xbf\xbf &#x1b;&#0;&#xD800;&#65;\xe2\x82\xac">'
"""With characters that XML does not allow, as they are and as references, and with two that it does."""


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_characters_that_are_not_allowed_lose_nothing(size: int) -> None:
    data = ODD + b'</testcase><testcase name="last"/></testsuite>'
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    first, last = stream_cases(pieces)
    assert first.element.get("name") == "a b [1m \ufffd      A\u20ac" and last.element.get("name") == "last"


def test_testcases_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CASES", 3)
    three = b"<testsuite>" + b"<testcase/>" * 3
    assert len(list(stream_cases([three, b"</testsuite>"]))) == 3
    with pytest.raises(ValueError, match="more than 3 testcases"):
        list(stream_cases([three, b"<testcase/></testsuite>"]))
