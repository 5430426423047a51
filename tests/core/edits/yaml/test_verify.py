# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.file_draft."""

import pytest

from core.edits.operations import Refused
from core.edits.yaml import Document, Layout, meaning_of, read_document
from core.edits.yaml.entry import EntryDraft
from core.edits.yaml.file_draft import verified

TEXT = "top: 1\ntest_config:\n  a:\n    x: 1\n  b: &b\n    x: 2\n"


def entries(document: Document) -> list[EntryDraft]:
    return [EntryDraft(block.id, "", Layout(), 2, index=index) for index, block in enumerate(document.blocks)]


def difference(before: Document, entries: list[EntryDraft], after: str) -> str:
    """Why a text is rejected; empty: it is accepted."""
    try:
        return "" if verified(before, entries, after).text == after else "another document"
    except Refused as refused:
        return refused.why


def changed(after: str, value: int = 1) -> str:
    """The message after x of `a` was set to `value`."""
    document = read_document(TEXT)
    found = entries(document)
    found[0].open(document.blocks[0], document.text)
    found[0].meaning = meaning_of({"x": value})
    return difference(document, found, after)


def test_the_text_that_was_asked_for_holds() -> None:
    assert changed(TEXT) == ""
    assert changed(TEXT.replace("x: 1", "x:   9 # why"), 9) == ""


@pytest.mark.parametrize(
    "after",
    [
        TEXT,
        TEXT.replace("x: 1", "x: '9'"),
        TEXT.replace("x: 1", "x: 9").replace("top: 1", "top: 2"),
        TEXT.replace("x: 1", "x: 9").replace("x: 2", "x: 3"),
        TEXT.replace("x: 1", "x: 9").replace("&b", "&c"),
        TEXT.replace("x: 1", "x: 9").replace("  b:", "  c:"),
        TEXT.replace("x: 1", "x: 9") + "  c:\n    x: 1\n",
        TEXT.replace("x: 1", "x: 9") + "end: 1\n",
        TEXT.replace("x: 1", "x: 9").replace("test_config:", "test_config: &t"),
    ],
)
def test_anything_more_or_less_is_a_difference(after: str) -> None:
    assert "change more than what was asked for" in changed(after, 9)


def test_what_cannot_be_read_is_a_difference() -> None:
    assert "not valid YAML" in changed("a: [")


def test_the_mapping_may_come_and_go_with_its_entries() -> None:
    empty = read_document("test_config:\n")
    assert difference(empty, [], "test_config:\n") == ""
    fresh = EntryDraft("a", "", Layout(), 2, key=meaning_of("a"), meaning=meaning_of({"x": 1}))
    assert difference(empty, [fresh], "test_config:\n  a:\n    x: 1\n") == ""
    assert difference(empty, [fresh], "test_config: &t\n  a:\n    x: 1\n") != ""
