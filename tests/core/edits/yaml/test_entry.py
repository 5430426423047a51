# SPDX-License-Identifier: Apache-2.0
"""core.edits.yaml.entry: the smallest range of an entry's text changes, together with its value."""

import pytest

from core.edits import Operation, OpKind
from core.edits.operations import Refused
from core.edits.yaml import Layout, meaning_of
from core.edits.yaml.entry import EntryDraft, cut_lines, rename_key, set_field, unset_field
from core.edits.yaml.layout import new_entry

ENTRY = """\
  a/pytorch-x: # on the key
    # above status
    status: KNOWN_FAILURE_XFAIL  # keep me
    reason: "old"
    markers: ["push", "large"] # list
    # reason: "older"
"""
OVERRIDES = """\
  a/pytorch-x:
    status: EXPECTED_PASSING
    arch_overrides:
      n150: # on the arch
        status: NOT_SUPPORTED_SKIP
      p150:
        required_pcc: 0.98
"""
N150 = ("arch_overrides", "n150")


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("status",), "EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING"),
        (("reason",), 'a "b"', '"old"', '"a \\"b\\""'),
        (("markers",), ["push"], '["push", "large"]', '["push"]'),
        (("supported_archs",), ["n300"], "on the key\n", "on the key\n    supported_archs: [n300]\n"),
        (("bringup_status",), "PASSED", "keep me\n", "keep me\n    bringup_status: PASSED\n"),
        (("required_pcc",), 0.97, '"old"\n', '"old"\n    required_pcc: 0.97\n'),
        (
            (*N150, "reason"),
            "big",
            " # list\n",
            ' # list\n    arch_overrides:\n      n150:\n        reason: "big"\n',
        ),
    ],
)
def test_set_touches_the_smallest_range(path: tuple[str, ...], value: object, old: str, new: str) -> None:
    assert set_field(ENTRY, path, value) == ENTRY.replace(old, new, 1)


@pytest.mark.parametrize(
    ("path", "value"),
    [(("status",), "KNOWN_FAILURE_XFAIL"), (("reason",), "old"), (("markers",), ["push", "large"])],
)
def test_setting_what_is_there_changes_nothing(path: tuple[str, ...], value: object) -> None:
    assert set_field(ENTRY, path, value) == ENTRY


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("a:\n  f: 'x'\n", "it's", "a:\n  f: 'it''s'\n"),
        ("a:\n  f: 'x'\n", "two\nlines", 'a:\n  f: "two\\nlines"\n'),
        ("a:\n  f: x\n", "yes", 'a:\n  f: "yes"\n'),
        ('a:\n  f: "false"\n', False, "a:\n  f: false\n"),
        ("a:\n  f:   # todo\n", "x", "a:\n  f: x   # todo\n"),
        ("a:\n  f:\n    'x' # c\n", "w", "a:\n  f:\n    'w' # c\n"),
        ("a:\n  f: one\n    two\n  g: 1\n", "w", "a:\n  f: w\n  g: 1\n"),
        ("a: {f: x, g: 1} # c\n", "w", "a: {f: w, g: 1} # c\n"),
        ("a:\n  f: [1, 2]\n", "w", "a:\n  f: w\n"),
        ("a:\n  f: |-\n    one\n    two\n\n  g: 1\n", "w", "a:\n  f: w\n\n  g: 1\n"),
        ("a:\n  f: >2\n    one\n  # c\n", "w", "a:\n  f: w\n  # c\n"),
        ("a:\n  f: [x,'y', z]\n", ["x", "y", "w"], "a:\n  f: [x,'y',w]\n"),
        ('a:\n  f: [ "x" ]\n', ["x", "w"], 'a:\n  f: [ "x", "w" ]\n'),
        ("a:\n  f: [\n    x,\n    y,\n  ]\n", ["x", "y", "w"], "a:\n  f: [\n    x,\n    y,\n    w,\n  ]\n"),
        ("a:\n  f:\n  - x # c\n", ["x", "w"], "a:\n  f:\n  - x # c\n  - w\n"),
    ],
)
def test_the_style_of_what_is_replaced_stays(text: str, value: object, expected: str) -> None:
    assert set_field(text, ("f",), value) == expected


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        ((*N150, "reason"), "big", "SKIP\n", 'SKIP\n        reason: "big"\n'),
        ((*N150, "status"), "EXPECTED_PASSING", "NOT_SUPPORTED_SKIP", "EXPECTED_PASSING"),
        (("arch_overrides", "n300", "status"), "X", "0.98\n", "0.98\n      n300:\n        status: X\n"),
        (("reason",), "r", "EXPECTED_PASSING\n", 'EXPECTED_PASSING\n    reason: "r"\n'),
    ],
)
def test_set_inside_overrides(path: tuple[str, ...], value: object, old: str, new: str) -> None:
    changed = set_field(OVERRIDES, path, value)
    assert changed == OVERRIDES.replace(old, new, 1)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize(
    "path", [("bringup_status",), ("supported_archs",), (*N150, "reason"), ("arch_overrides", "x", "w")]
)
@pytest.mark.parametrize("text", [ENTRY, OVERRIDES, "a:\n", "a: {}\n", "a: {status: X}\n", "a: { status: X }\n"])
def test_set_then_unset_is_the_text_as_it_was(text: str, path: tuple[str, ...], final: bool, newline: str) -> None:
    text = text.replace("\n", newline)
    text = text if final else text.removesuffix(newline)
    layout = Layout(newline)
    changed = set_field(text, path, "new", layout)
    assert changed != text
    for depth in range(len(path), 0, -1):
        changed_back = unset_field(changed, path[:depth], layout)
        if changed_back == text:
            return
        changed = changed_back
    pytest.fail(changed)


def test_unset_takes_the_line_and_leaves_comments_of_their_own() -> None:
    assert unset_field(ENTRY, ("status",)) == ENTRY.replace("    status: KNOWN_FAILURE_XFAIL  # keep me\n", "")
    assert unset_field(ENTRY, ("bringup_status",)) == ENTRY
    assert unset_field(OVERRIDES, (*N150, "reason")) == OVERRIDES
    assert unset_field(OVERRIDES, N150) == OVERRIDES.replace(
        "      n150: # on the arch\n        status: NOT_SUPPORTED_SKIP\n", ""
    )


def test_the_last_field_leaves_an_empty_key_for_the_next_one() -> None:
    emptied = unset_field(OVERRIDES, (*N150, "status"))
    assert "      n150: # on the arch\n      p150:" in emptied
    filled = set_field(emptied, (*N150, "reason"), "r")
    assert filled == OVERRIDES.replace("status: NOT_SUPPORTED_SKIP", 'reason: "r"')


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: {x: 1, y: 2, z: 3}", ("x",), "a: {y: 2, z: 3}"),
        ("a: {x: 1, y: 2, z: 3}", ("y",), "a: {x: 1, z: 3}"),
        ("a: {x: 1, y: 2, z: 3}", ("z",), "a: {x: 1, y: 2}"),
        ("a: {x: 1}", ("x",), "a: {}"),
    ],
)
def test_unset_in_braces(text: str, path: tuple[str, ...], expected: str) -> None:
    assert unset_field(text, path) == expected


def test_a_field_goes_into_braces_in_order() -> None:
    assert set_field("a: {status: X}", ("supported_archs",), ["n300"]) == "a: {supported_archs: [n300], status: X}"
    assert set_field("a: {status: X}", (*N150, "status"), "W") == "a: {status: X, arch_overrides: {n150: {status: W}}}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a:\n  status: &s X\n", r"line 7: an anchor \(&s\)"),
        ("a:\n  status: *s\n", r"line 7: an alias \(\*s\)"),
        ("a: *s\n", r"line 6: an alias"),
        ("a: &s\n  status: X\n", r"line 6: an anchor"),
        ("a:\n  status: !!str X\n", "line 7: a tag"),
        ("a:\n  <<: *s\n  status: X\n", "line 7: a merge key"),
        ("a:\n  status: | # c\n    X\n", r"line 7: status is a block scalar \(\|\) with a comment"),
        ("a:\n  status: [ # c\n    X]\n", "line 7: status is a list over several lines that may hold comments"),
        ("a:\n  status: X\n  status: W\n", "status is there twice, on lines 7 and 8"),
        ("a:\n  status: {x: 1}\n", "line 7: status is a mapping"),
        ("a: null\n", "line 6: null is where a mapping"),
        ("a: text\n", "line 6: a scalar is where a mapping"),
        ("a: {\n  x: 1}\n", "line 6: a mapping in braces over several lines"),
        ("a: 1\nb: 2\n", "are not one entry"),
    ],
)
def test_what_is_in_the_way_is_named_with_its_line(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        set_field(text, ("status",), "NEW", Layout(line=6))


def test_trouble_in_another_field_is_not_in_the_way() -> None:
    text = "a:\n  reason: &r |\n    long\n  status: X\n  x: 1\n  x: 2\n"
    assert set_field(text, ("status",), "W") == text.replace("X", "W")
    with pytest.raises(Refused, match="anchor"):
        unset_field(text, ("reason",))


@pytest.mark.parametrize(
    ("text", "to", "expected"),
    [
        ("  a/b: # c\n    x: 1\n", "d/e", "  d/e: # c\n    x: 1\n"),
        ("'a': {x: 1}\n", "b", "'b': {x: 1}\n"),
        ("a: {x: 1}\n", "KLA K-SegNet", '"KLA K-SegNet": {x: 1}\n'),
    ],
)
def test_rename_replaces_the_key(text: str, to: str, expected: str) -> None:
    assert rename_key(text, (), to) == expected


def test_a_new_entry_is_in_upstreams_style() -> None:
    fields = {
        "arch_overrides": {"n150": {"reason": "r", "status": "X"}},
        "markers": ["push"],
        "assert_pcc": False,
        "status": "W",
    }
    assert new_entry("a/pytorch-x", fields, 2, Layout()) == (
        "  a/pytorch-x:\n    status: W\n    assert_pcc: false\n    markers: [push]\n"
        '    arch_overrides:\n      n150:\n        status: X\n        reason: "r"\n'
    )
    assert new_entry("a", {"x": 1}, 4, Layout("\r\n", 4)) == "    a:\r\n        x: 1\r\n"


def test_cut_lines_keeps_the_lack_of_a_final_newline() -> None:
    assert cut_lines("a\nb\n", 2, 4) == "a\n"
    assert cut_lines("a\nb", 2, 3) == "a"
    assert cut_lines("a\r\nb", 3, 4) == "a"


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
