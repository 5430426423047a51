# SPDX-License-Identifier: Apache-2.0
"""Tests of tests.support.derive."""

from collections.abc import Mapping

import pytest
from hypothesis import example, given, strategies as st

from core.edits import Operation, OpKind
from tests.support.derive import Fields, changes, derive, inverse
from tests.support.edit_laws import parsed, said
from tests.support.edit_strategies import entry_fields, expectation_text
from tests.support.edit_texts import edit_texts

pytestmark = pytest.mark.slow("a made-up history of many commits")

F, G = "torch/test_config_f.yaml", "torch/test_config_g.yaml"
PASS: Fields = {"status": "EXPECTED_PASSING"}
N150 = ("arch_overrides", "n150")


def op(kind: OpKind, *path: str, value: object = None) -> Operation:
    return Operation(kind, "a", F, path, value)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"status": "X"}, {"status": "X"}, []),
        ({"status": "X"}, {"status": "W"}, [op(OpKind.SET, "status", value="W")]),
        ({"status": "X", "reason": "r"}, {"status": "X"}, [op(OpKind.UNSET, "reason")]),
        ({"x": 1}, {"x": True}, [op(OpKind.SET, "x", value=True)]),
        ({"x": 1}, {"x": 1.0}, [op(OpKind.SET, "x", value=1.0)]),
        ({"m": ["a", "b"]}, {"m": ["a", "b", "c"]}, [op(OpKind.ADD, "m", value="c")]),
        ({"m": ["a", "b"]}, {"m": ["b"]}, [op(OpKind.REMOVE, "m", value="a")]),
        (
            {"m": ["a", "b"]},
            {"m": ["b", "c"]},
            [op(OpKind.REMOVE, "m", value="a"), op(OpKind.ADD, "m", value="c")],
        ),
        ({"m": ["a", "b"]}, {"m": ["c", "a", "b"]}, [op(OpKind.SET, "m", value=["c", "a", "b"])]),
        ({"m": ["a", "a"]}, {"m": ["a"]}, [op(OpKind.SET, "m", value=["a"])]),
        ({"m": ["a"]}, {"m": ["b"]}, [op(OpKind.SET, "m", value=["b"])]),
        ({"m": [1]}, {"m": [True]}, [op(OpKind.SET, "m", value=[True])]),
        (PASS, {**PASS, "arch_overrides": {"n150": {"x": 1}}}, [op(OpKind.SET, *N150, "x", value=1)]),
        ({**PASS, "arch_overrides": {"n150": {"x": 1}}}, PASS, [op(OpKind.UNSET, "arch_overrides")]),
        (
            {"arch_overrides": {"n150": {"x": 1}}},
            {"arch_overrides": {"p150": {"x": 1}}},
            [op(OpKind.UNSET, *N150), op(OpKind.SET, "arch_overrides", "p150", "x", value=1)],
        ),
    ],
)
def test_changes_are_the_smallest_operations(before: Fields, after: Fields, expected: list[Operation]) -> None:
    assert list(changes("a", F, before, after)) == expected


def test_entries_are_added_removed_moved_and_renamed() -> None:
    before = {F: {"a/x-1": PASS, "gone": PASS, "here/y": PASS}, G: {"there": PASS}}
    after = {F: {"a/x-2": PASS}, G: {"there": PASS, "here/y": {"status": "W"}, "new": PASS}}
    assert derive(before, after) == (
        Operation(OpKind.MOVE, "here/y", F, to=G),
        Operation(OpKind.RENAME, "a/x-1", F, to="a/x-2"),
        Operation(OpKind.REMOVE, "gone", F),
        Operation(OpKind.SET, "here/y", G, ("status",), "W"),
        Operation(OpKind.ADD, "new", G, value=PASS),
    )


def test_an_id_in_several_files_is_not_moved() -> None:
    before: dict[str, dict[str, Fields]] = {F: {"a": PASS}, G: {"a": PASS}, "h": {}}
    after: dict[str, dict[str, Fields]] = {F: {}, G: {}, "h": {"a": PASS}}
    assert [one.op for one in derive(before, after)] == [OpKind.REMOVE, OpKind.REMOVE, OpKind.ADD]


@pytest.mark.parametrize(
    "after", [{"status": None}, {"arch_overrides": None}, {"arch_overrides": {"n150": None}}, {"x": {"y": 1}}, {}]
)
def test_what_has_no_place_in_an_entry_is_rejected(after: Fields) -> None:
    text = {F: "test_config:\n  a:\n    status: X\n    arch_overrides:\n      n150: {x: 1}\n"}
    before: Fields = {"status": "X", "arch_overrides": {"n150": {"x": 1}}}
    for old, new in (({"a": before}, {"a": {**before, **after}}), ({"a": before}, {"a": before, "b": after})):
        unchanged, rejected = edit_texts(text, derive({F: old}, {F: new}))
        assert unchanged == text
        assert bool(rejected) == (old != new)


def test_the_inverse_of_an_edit_leads_back() -> None:
    before = {F: "test_config:\n  a:\n    status: X # c\n    markers: [p]\n", G: "test_config:\n  b:\n    status: Y\n"}
    operations = [
        Operation(OpKind.SET, "a", F, ("status",), "W"),
        Operation(OpKind.ADD, "a", F, ("markers",), "q"),
        Operation(OpKind.SET, "a", F, ("arch_overrides", "n150", "reason"), "r"),
        Operation(OpKind.RENAME, "b", G, to="b/2"),
    ]
    after, rejected = edit_texts(before, operations)
    assert rejected == ()
    assert edit_texts(after, inverse(before, after)) == (before, ())


files = st.dictionaries(st.sampled_from(["a/x-1", "a/x-2", "a/y-1", "b", "c d"]), entry_fields(), max_size=4)


@given(files, files, files, files)
@example({"b": {"supported_archs": ["", "0", "0"]}}, {}, {"b": {"supported_archs": [""]}}, {})
def test_derived_operations_lead_from_one_to_the_other_and_back(
    f: dict[str, Fields], g: dict[str, Fields], f_after: dict[str, Fields], g_after: dict[str, Fields]
) -> None:
    before, after = {F: f, G: g}, {F: f_after, G: g_after}
    texts: Mapping[str, str] = {name: expectation_text(entries) for name, entries in before.items()}
    for start, end in ((before, after), (after, before)):
        texts, rejected = edit_texts(texts, derive(start, end))
        assert rejected == ()
        for name, text in texts.items():
            assert said(parsed(text).fields) == said(end[name])
