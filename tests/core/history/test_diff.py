# SPDX-License-Identifier: Apache-2.0
"""Splitting a file into entries does not change their values."""

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.history.diff import NO_FILE, Difference, EntryReader, cut
from core.sources import parse_expectations

PLAIN = """\
# A comment

test_config:  # of all
  a/pytorch-x-single_device-inference:
    status: EXPECTED_PASSING  # why
    arch_overrides:
      n150:
        reason: "a
          long  one"

  # b/pytorch-single_device-inference:
  c/jax-v1.5+aug-single_device-training: # here
    markers: [large, push]
    reason: 2 * 3 *important*
"""

ODD = [
    "test_config: {}\n",
    "test_config:\n  a: {status: X}\n",
    "test_config:\n    a:\n      status: X\n",
    "test_config:\n  'a':\n    status: X\n",
    "test_config:\n  a: &x\n    status: X\n  b: *x\n",
    "test_config:\n  a:\n    reason: &x text\n  b:\n    reason:\n      *x\n",
    "test_config:\n  a:\n    status: X\nother:\n  b:\n    status: Y\n",
    "test_config:\n  ? a\n  : status: X\n",
    "test_config:\n  a:\n    reason: \"one\n  b:\n    two\"\n",
    "test_config:\n  a:\n    reason: X\u2028  b: Y\n",
    "---\ntest_config:\n  a:\n    status: X\n...\n",
    "other: 1\n",
    "",
]  # fmt: skip


def said(text: str) -> dict[str, object]:
    return {entry.id: entry.fields for entry in parse_expectations(text, "").entries}


def all_of(text: str) -> dict[str, object]:
    return {one.id: one.new for one in EntryReader().differences(NO_FILE, cut(text))}


def test_a_plain_file_is_cut() -> None:
    for text in (PLAIN, PLAIN.replace("\n", "\r\n"), "\ufeff" + PLAIN, PLAIN.rstrip("\n")):
        parts = cut(text).parts
        assert parts is not None and list(parts) == list(said(PLAIN))
        assert all_of(text) == said(text)


@pytest.mark.parametrize("text", ODD)
def test_any_other_file_says_what_it_says(text: str) -> None:
    assert all_of(text) == said(text)


LINES = st.sampled_from(
    ["  a:", "  b:", "  'b':", "  c: d", "    status: X", "    reason: \"x", "  y\"", "    reason: 'z'", "# c", "  # c", "",
     "    l: [a,", "  b]", "    m: |", "      text", "   odd", "    n: &x 1", "    o: *x", "test_config:", "  - a", "...",
     "    p:", "      q: 1", "\t", "  a: # c", "    r: >-", "    r: *", "  *x : 1", "  <<: *x"]
)  # fmt: skip


@given(st.lists(LINES, max_size=12))
def test_cut_or_not_the_meaning_is_that_of_the_parser(lines: list[str]) -> None:
    text = "\n".join(["test_config:", *lines, ""])
    try:
        found = all_of(text)
    except TTMatrixError:
        assert any(one.kind == "broken-yaml" for one in parse_expectations(text, "").findings)
    else:
        assert found == {id: fields for id, fields in said(text).items()}


def test_what_differs_and_where_it_was() -> None:
    before = "test_config:\n  a:\n    s: 1\n  b:\n    s: 1\n  c:\n    s: 1\n  d:\n    s: 1\n"
    after = "test_config:\n  new:\n    s: 1\n  a:\n    s: 1 # comment\n  x:\n    s: 1\n  y:\n    s: 2\n  d:\n    s: 2\n"
    assert EntryReader().differences(cut(before), cut(after)) == [
        Difference("b", {"s": 1}, None, "a"),
        Difference("c", {"s": 1}, None, "a"),
        Difference("d", {"s": 1}, {"s": 2}, ""),
        Difference("new", None, {"s": 1}, ""),
        Difference("x", None, {"s": 1}, "a"),
        Difference("y", None, {"s": 2}, "a"),
    ]


def test_the_last_of_two_equal_keys_counts() -> None:
    twice = "test_config:\n  a:\n    s: 1\n  a:\n    s: 2\n"
    assert all_of(twice) == {"a": {"s": 2}}


def test_what_is_not_yaml_is_reported_with_its_line() -> None:
    with pytest.raises(TTMatrixError, match="Not valid YAML") as caught:
        all_of("test_config:\n  a:\n    status: [X\n")
    assert caught.value.detail.startswith("line ")


def test_each_text_is_parsed_once() -> None:
    reader = EntryReader()
    reader.differences(NO_FILE, cut(PLAIN))
    assert len(reader.known) == 2
    changed = cut(PLAIN.replace("push", "pull"))
    reader.differences(cut(PLAIN), changed)
    assert len(reader.known) == 3
