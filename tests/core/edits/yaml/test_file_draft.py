# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.file_draft."""

import pytest

from core.edits import Operation, OpKind
from core.edits.operations import Refused
from core.edits.yaml import FileDraft

TEXT = """\
# header
test_config:
  a/pytorch-One-single_device-inference:
    status: X # why
    # own

  b/pytorch-single_device-inference:
    status: X
  # the end
"""
A, B = "a/pytorch-One-single_device-inference", "b/pytorch-single_device-inference"
NEW = "a/pytorch-Two-single_device-inference"


def applied(text: str, *operations: Operation) -> tuple[str, list[str]]:
    draft = FileDraft(text)
    for operation in operations:
        draft.apply(operation)
    return draft.finish(), [rejection.why for rejection in draft.rejected]


def add(identifier: str, status: str = "W") -> Operation:
    return Operation(OpKind.ADD, identifier, "f", value={"status": status})


def test_nothing_to_do_is_the_same_text() -> None:
    assert applied(TEXT) == (TEXT, [])


def test_a_new_entry_goes_after_the_last_of_its_loader() -> None:
    assert applied(TEXT, add(NEW)) == (
        TEXT.replace("    # own\n", f"    # own\n\n  {NEW}:\n    status: W\n"),
        [],
    )


def test_another_new_entry_goes_to_the_end() -> None:
    new, rejected = applied(TEXT, add("z/jax-single_device-inference"))
    assert new == TEXT + "\n  z/jax-single_device-inference:\n    status: W\n"
    assert rejected == []


def test_new_entries_keep_the_order_they_came_in() -> None:
    new, _ = applied(TEXT, add("free one"), add("free two"), add(NEW), add(NEW.replace("Two", "Three")))
    ids = [line.strip(' ":') for line in new.split("\n") if line.endswith(":") and line != "test_config:"]
    assert ids == [A, NEW, NEW.replace("Two", "Three"), B, "free one", "free two"]


def test_a_missing_final_newline_stays_missing() -> None:
    text = TEXT.replace("\n  # the end\n", "")
    new, _ = applied(text, add("z"))
    assert new == text + "\n\n  z:\n    status: W"


def test_a_file_without_entries_takes_its_first_and_gives_it_back() -> None:
    new, rejected = applied("# h\ntest_config:\n", add("a"))
    assert (new, rejected) == ("# h\ntest_config:\n  a:\n    status: W\n", [])
    assert applied(new, Operation(OpKind.REMOVE, "a")) == ("# h\ntest_config:\n", [])


def test_operations_build_on_one_another() -> None:
    new, rejected = applied(
        TEXT,
        Operation(OpKind.RENAME, A, to=NEW),
        Operation(OpKind.SET, NEW, path=("reason",), value="r"),
        Operation(OpKind.REMOVE, B),
        add(B, "Z"),
        Operation(OpKind.SET, B, path=("status",), value="Q"),
        add("gone"),
        Operation(OpKind.REMOVE, "gone"),
    )
    assert rejected == []
    assert f'  {NEW}:\n    status: X # why\n    reason: "r"\n    # own\n' in new
    assert f"  {B}:\n    status: Q\n" in new
    assert "gone" not in new


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (Operation(OpKind.SET, "nobody", path=("status",), value="X"), "the file has no entry of this id"),
        (Operation(OpKind.REMOVE, "nobody"), "the file has no entry of this id"),
        (add(A), "in the file already"),
        (Operation(OpKind.RENAME, A, to=B), "in the file already"),
        (Operation(OpKind.MOVE, A, to="f"), "a move takes two files"),
        (Operation(OpKind.UNSET, A, path=("status",)), "no field would be left"),
    ],
)
def test_what_cannot_be_done_leaves_the_whole_file(operation: Operation, why: str) -> None:
    fine = Operation(OpKind.SET, B, path=("reason",), value="fine")
    new, rejected = applied(TEXT, fine, operation)
    assert new == TEXT
    assert len(rejected) == 1
    assert why in rejected[0]


def test_an_entry_that_is_there_twice_is_named_and_blocks_no_other() -> None:
    text = "test_config:\n  a:\n    x: 1\n  a:\n    x: 2\n  b:\n    x: 3\n"
    assert applied(text, Operation(OpKind.SET, "b", path=("x",), value=4)) == (text.replace("3", "4"), [])
    _, rejected = applied(text, Operation(OpKind.SET, "a", path=("x",), value=4))
    assert "is there 2 times, on lines 2 and 4" in rejected[0]


def test_anchors_elsewhere_block_nothing_and_an_anchor_cannot_go() -> None:
    text = "test_config:\n  a: &x\n    s: 1\n  b: *x\n  c:\n    <<: *x\n  d:\n    s: 2\n"
    assert applied(text, Operation(OpKind.SET, "d", path=("s",), value=3)) == (text.replace("2", "3"), [])
    for identifier in "abc":
        new, rejected = applied(text, Operation(OpKind.REMOVE, identifier))
        assert new == text
        assert "is in the way" in rejected[0]


def test_a_key_with_a_question_mark_is_left_alone() -> None:
    text = "test_config:\n  ? a\n  : x: 1\n  b:\n    x: 2\n"
    _, rejected = applied(text, Operation(OpKind.REMOVE, "a"))
    assert "does not start its line" in rejected[0]


def test_a_move_takes_the_comments_along() -> None:
    source, target = FileDraft(TEXT), FileDraft("test_config:\r\n    z:\r\n        status: X\r\n")
    operation = Operation(OpKind.MOVE, A, to="g")
    source.move(operation, target)
    target.apply(Operation(OpKind.SET, A, path=("reason",), value="r"))
    assert source.finish() == f"# header\ntest_config:\n  {B}:\n    status: X\n  # the end\n"
    assert target.finish() == (
        "test_config:\r\n    z:\r\n        status: X\r\n\r\n"
        f'    {A}:\r\n      status: X # why\r\n      reason: "r"\r\n      # own\r\n'
    )
    assert source.rejected == target.rejected == []


def test_a_move_onto_an_entry_of_the_same_id_is_rejected() -> None:
    source, target = FileDraft(TEXT), FileDraft(TEXT)
    source.move(Operation(OpKind.MOVE, A, to="g"), target)
    assert source.finish() == target.finish() == TEXT
    assert source.rejected[0].why == "g has an entry of this id already"


def test_a_text_that_says_more_than_was_asked_for_is_not_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    for broken, why in [(TEXT.replace("status", "stotus"), "more than what was asked"), ("a: [", "not valid YAML")]:
        draft = FileDraft(TEXT)
        draft.apply(Operation(OpKind.SET, A, path=("reason",), value="r"))
        monkeypatch.setattr(draft, "_render", lambda broken=broken: broken)
        assert draft.finish() == TEXT
        assert why in draft.rejected[0].why


def test_a_file_that_cannot_be_edited_is_refused_at_once() -> None:
    with pytest.raises(Refused):
        FileDraft("nothing: here\n")


def test_parts_of_an_entry_are_added_removed_and_renamed() -> None:
    text = (
        "test_config:\n  a:\n    markers: [push,large] # why\n    arch_overrides:\n      n150: # c\n        status: X\n"
    )
    markers, n150 = ("markers",), ("arch_overrides", "n150")
    new, rejected = applied(
        text,
        Operation(OpKind.ADD, "a", path=markers, value="nightly"),
        Operation(OpKind.REMOVE, "a", path=markers, value="push"),
        Operation(OpKind.RENAME, "a", path=markers, value="large", to="x y"),
        Operation(OpKind.ADD, "a", path=("arch_overrides", "n300"), value={"reason": "r"}),
        Operation(OpKind.RENAME, "a", path=n150, to="p150"),
    )
    assert rejected == []
    assert new == (
        text.replace("[push,large]", '["x y",nightly]').replace("n150", "p150") + '      n300:\n        reason: "r"\n'
    )
    assert applied(new, Operation(OpKind.REMOVE, "a", path=("arch_overrides", "n300"))) == (
        new.removesuffix('      n300:\n        reason: "r"\n'),
        [],
    )


def test_overrides_without_fields_can_be_renamed_and_give_way() -> None:
    text = """\
test_config:
  a:
    status: X
    arch_overrides:
      n150:
        status: Y
      p150:
        status: Z
"""
    n150, p150 = ("arch_overrides", "n150"), ("arch_overrides", "p150")
    emptied = Operation(OpKind.UNSET, "a", path=(*n150, "status"))
    assert applied(text, emptied, Operation(OpKind.RENAME, "a", path=p150, to="n150")) == (
        text.replace("      n150:\n        status: Y\n", "").replace("p150", "n150"),
        [],
    )
    assert applied(text, emptied, Operation(OpKind.RENAME, "a", path=n150, to="n300")) == (
        text.replace("      n150:\n        status: Y\n", ""),
        [],
    )


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (Operation(OpKind.RENAME, "a", path=("arch_overrides", "n150"), to="p150"), "the entry has no arch_overrides"),
        (Operation(OpKind.RENAME, "a", path=("arch_overrides", "n150"), to="n300"), "n300 has overrides already"),
        (Operation(OpKind.ADD, "a", path=("arch_overrides", "n300"), value={"x": 2}), "n300 has overrides already"),
    ],
)
def test_overrides_are_not_written_over(operation: Operation, why: str) -> None:
    text = "test_config:\n  a:\n    arch_overrides:\n      n300:\n        x: 1\n"
    new, rejected = applied(text, operation)
    assert new == text
    assert why in rejected[0]


def test_new_text_takes_the_quotes_the_file_has() -> None:
    text = "test_config:\n  a:\n    supported_archs: ['n300']\n    reason: 'r'\n  b:\n    status: X\n"
    new, _ = applied(
        text,
        Operation(OpKind.SET, "b", path=("supported_archs",), value=["n150"]),
        Operation(OpKind.SET, "b", path=("reason",), value="it's"),
    )
    assert new.endswith("  b:\n    supported_archs: ['n150']\n    status: X\n    reason: 'it''s'\n")
