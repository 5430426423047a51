# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.nodes."""

from pathlib import Path

import pytest

from core.edits.operations import Refused
from core.edits.yaml.nodes import Node, NodeKind, parse, refuse_shared, walk


def pairs(text: str) -> dict[str, Node]:
    root = parse(text)
    assert root is not None
    return {key.text: value for key, value in zip(root.keys, root.items, strict=True)}


def test_every_node_ends_at_its_own_last_character() -> None:
    text = (
        "plain: a b # note\n"
        "quoted: 'x'   # note\n"
        "absent:   # note\n"
        "block:\n  - one # note\n  - two\n\n# between\n"
        "flow: {a: 1, b: [2]}\n"
        "literal: |\n  one\n\n"
        "wide: 'é漢\U0001f600' # note\n"
        "deep:\n  a:\n    b: c\n\n\n"
    )
    found = {name: text[node.start : node.end] for name, node in pairs(text).items()}
    assert found == {
        "plain": "a b",
        "quoted": "'x'",
        "absent": "",
        "block": "- one # note\n  - two",
        "flow": "{a: 1, b: [2]}",
        "literal": "|\n  one",
        "wide": "'é漢\U0001f600'",
        "deep": "a:\n    b: c",
    }


def test_crlf_counts_as_two_characters() -> None:
    text = "a: 1\r\nb: x # c\r\n"
    node = pairs(text)["b"]
    assert (text[node.start : node.end], node.line) == ("x", 2)


def test_kinds_anchors_tags_and_lines_stay() -> None:
    found = pairs("a: &here 1\nb: *here\nc: !!str 2\nd: [x]\ne: ~\nf:\n")
    assert (found["a"].anchor, found["a"].tag) == ("here", "tag:yaml.org,2002:int")
    assert (found["b"].kind, found["b"].text) == (NodeKind.ALIAS, "here")
    assert found["c"].tagged
    assert found["c"].tag == "tag:yaml.org,2002:str"
    assert (found["d"].kind, found["d"].style, found["d"].line) == (NodeKind.SEQUENCE, "flow", 4)
    assert (found["e"].is_null, found["e"].is_absent) == (True, False)
    assert (found["f"].is_null, found["f"].is_absent) == (True, True)


def test_an_alias_needs_no_anchor_in_the_same_text() -> None:
    assert pairs("a: *elsewhere")["a"].text == "elsewhere"


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_an_empty_document_is_none(text: str) -> None:
    assert parse(text) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: 1\n---\nb: 2\n", "a second YAML document starts on line 11"),
        ("a: [1\nb: 2\n", "not valid YAML on line 11"),
        ("a: \x07\n", "not valid YAML"),
        ("[" * 20_000 + "]" * 20_000, "nests more than 64 deep"),
    ],
)
def test_what_is_not_one_document_is_refused_with_its_line(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        parse(text, first_line=10)


@pytest.mark.parametrize(
    ("text", "why"), [("a: &x 1", r"anchor \(&x\)"), ("a: *x", r"alias \(\*x\)"), ("a: !!int 1", "a tag")]
)
def test_what_is_tied_to_another_place_is_refused(text: str, why: str) -> None:
    root = parse(text)
    assert root is not None
    with pytest.raises(Refused, match=f"line 1: .*{why}"):
        refuse_shared(*walk(root))


def test_real_scalars_are_exactly_where_they_are_said_to(real_files: list[Path]) -> None:
    for path in real_files:
        text = path.read_text(encoding="utf-8")
        root = parse(text)
        assert root is not None
        plain = [node for node in walk(root) if node.kind is NodeKind.SCALAR and not node.style]
        assert all(text[node.start : node.end] == node.text for node in plain)
        assert len(plain) > 40
