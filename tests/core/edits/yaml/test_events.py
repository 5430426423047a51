# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.nodes."""

import pytest

from core.edits.operations import Refused
from core.edits.yaml.nodes import end_offset, nodes_in, read_events, says_same


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_an_empty_document_has_no_events(text: str) -> None:
    assert read_events(text) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [1\nb: 2\n", "not valid YAML on line 11"),
        ("a: 1\n--- b\n", "a second YAML document starts on line 11"),
        ("a: *nobody\n---\n", "a second YAML document"),
    ],
)
def test_what_is_not_one_document_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        read_events(text, first_line=10)


def test_nodes_follow_each_other() -> None:
    events = read_events("a: [1, {b: 2}]\nc:\n  - d\n")
    assert [events[start].start_mark.index for start, _ in nodes_in(events[1:-1])]
    assert [stop - start for start, stop in nodes_in(events[1:-1])] == [1, 7, 1, 3]


@pytest.mark.parametrize(
    ("one", "other"),
    [("a: 'x'", 'a:   "x" # why'), ("a: [b, c]", "a:\n  - b\n  - c\n"), ("{a: 1}", "a: 1"), ("a: &x 1", "a: &x  1")],
)
def test_layout_says_nothing(one: str, other: str) -> None:
    assert says_same(read_events(one), read_events(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a: 1", "a: '1'"),
        ("a: 1", "a: 2"),
        ("a: &x 1", "a: &y 1"),
        ("a: &x 1", "a: 1"),
        ("a: *x", "a: *y"),
        ("a: !x b", "a: !y b"),
        ("a: !x b", "a: b"),
        ("a: [b]", "a: {b: c}"),
        ("a: &x [b]", "a: [b]"),
        ("a: [b]", "a: [b, c]"),
    ],
)
def test_content_anchors_and_tags_say_something(one: str, other: str) -> None:
    assert not says_same(read_events(one), read_events(other))


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("a:\n  b: c # why\n\n# end\n", "c"),
        ("a: [b, c ] # why\n\n", "]"),
        ("a:\n  - |\n    text\n\n\n", "text"),
        ("a: *x\n\n", "*x"),
        ("a:\n  b:\n\n", "b:"),
    ],
)
def test_the_end_is_that_of_the_last_character(text: str, last: str) -> None:
    assert text[: end_offset(text, read_events(text))].endswith(last)
