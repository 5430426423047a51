# SPDX-License-Identifier: Apache-2.0
"""core.edits.yaml.entry: text and meaning of an entry change side by side."""

import pytest

from core.edits.operations import Operation, OpKind, Refused
from core.edits.yaml.entry import EntryDraft, Layout
from core.edits.yaml.meaning import meaning_of

N150 = ("arch_overrides", "n150")


def slot(fields: dict[str, object]) -> EntryDraft:
    return EntryDraft.fresh(Operation(OpKind.ADD, "a", "f", value=fields), 2, Layout())


def change(target: EntryDraft, *changes: tuple[tuple[str, ...], object]) -> EntryDraft:
    for path, value in changes:
        kind = OpKind.UNSET if value is None else OpKind.SET
        target.change(Operation(kind, target.id, path=path, value=value))
    target.settle()
    return target


def test_text_and_meaning_change_side_by_side() -> None:
    found = change(slot({"status": "X"}), (("reason",), "r"), (("status",), None))
    assert found.text == '  a:\n    reason: "r"\n'
    assert found.meaning == meaning_of({"reason": "r"})
    assert len(found.operations) == 3


def test_overrides_go_with_their_last_field() -> None:
    entry: dict[str, object] = {"status": "X", "arch_overrides": {"n150": {"status": "W"}, "p150": {"reason": "r"}}}
    found = change(slot(entry), ((*N150, "status"), None))
    assert "n150" not in found.text
    found = change(found, (("arch_overrides", "p150", "reason"), None))
    assert found.text == "  a:\n    status: X\n"


def test_the_last_field_of_an_override_can_be_replaced_by_another() -> None:
    found = slot({"arch_overrides": {"n150": {"status": "W"}}})
    found.text = found.text.replace("n150:", "n150: # keep")
    change(found, ((*N150, "status"), None), ((*N150, "reason"), "r"))
    assert found.text == '  a:\n    arch_overrides:\n      n150: # keep\n        reason: "r"\n'


def test_an_entry_is_never_left_empty() -> None:
    with pytest.raises(Refused, match="remove the entry instead"):
        change(slot({"arch_overrides": {"n150": {"status": "W"}}}), ((*N150, "status"), None))


def test_text_that_means_something_else_is_caught() -> None:
    found = slot({"status": "X"})
    assert found.mismatch() is None
    found.text = found.text.replace("X", "W")
    assert "not mean what was asked for" in str(found.mismatch())
    found.text = "a: ["
    assert "not valid YAML" in str(found.mismatch())


def test_rename_keeps_the_fields() -> None:
    found = slot({"status": "X"})
    found.change(Operation(OpKind.RENAME, "a", to="b/pytorch"))
    found.settle()
    assert (found.id, found.text) == ("b/pytorch", "  b/pytorch:\n    status: X\n")


@pytest.mark.parametrize(
    ("indent", "newline", "text", "above"),
    [
        (2, "\n", "  a:\n    status: X\n", "# left\n  # above\n"),
        (4, "\n", "    a:\n      status: X\n", "  # left\n    # above\n"),
        (0, "\r\n", "a:\r\n  status: X\r\n", "# left\r\n# above\r\n"),
    ],
)
def test_refitted_takes_the_indent_and_line_ends_of_another_file(
    indent: int, newline: str, text: str, above: str
) -> None:
    moved = slot({"status": "X"})
    moved.above = "# left\n  # above\n"
    found = moved.refitted(indent, Layout(newline))
    found.settle()
    assert (found.text, found.above, found.below, found.index) == (text, above, "", None)
