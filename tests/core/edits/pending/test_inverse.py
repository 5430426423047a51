# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.state."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.edits import Operation, OpKind, Present
from core.edits.pending import Change, proposed
from core.edits.pending.state import inverse
from core.edits.yaml.file_draft import edit_text
from core.sources import parse_expectations

FILE = "torch/test_config_inference_single_device.yaml"
TEXT = """\
test_config:
  a/pytorch-One-single_device-inference:
    status: EXPECTED_PASSING
    arch_overrides:
      n150:
        status: KNOWN_FAILURE_XFAIL
        reason: "slow"

  b/pytorch-single_device-inference:
    status: KNOWN_FAILURE_XFAIL
    markers: [push, nightly]
"""
A, B = "a/pytorch-One-single_device-inference", "b/pytorch-single_device-inference"
PRESENT = Present([parse_expectations(TEXT, FILE)])

paths = st.sampled_from(
    [("status",), ("reason",), ("markers",), ("arch_overrides", "n150", "status"), ("arch_overrides", "p150", "reason")]
)
ids = st.sampled_from([A, B])
operations = st.one_of(
    st.builds(
        lambda id, path, value: Operation(OpKind.SET, id, FILE, path, value), ids, paths, st.sampled_from(["X", "Y"])
    ),
    st.builds(lambda id, path: Operation(OpKind.UNSET, id, FILE, path), ids, paths),
    st.builds(lambda id: Operation(OpKind.REMOVE, id, FILE), ids),
    st.builds(lambda id: Operation(OpKind.RENAME, id, FILE, to=f"{id}-new"), ids),
    st.builds(lambda id: Operation(OpKind.ADD, id, FILE, value={"status": "Z"}), st.sampled_from(["n", A])),
)


def meaning(text: str) -> dict[str, object]:
    return {entry.id: dict(entry.fields) for entry in parse_expectations(text, FILE).entries}


@given(st.lists(st.lists(operations, min_size=1, max_size=4), min_size=1, max_size=3))
def test_the_inverse_leads_back_to_what_the_entries_said(groups: list[list[Operation]]) -> None:
    text, changes = TEXT, list[Change]()
    for ops in groups:
        # Only changes that can be written one after the other are proposed, given the file.
        edited, rejected = edit_text(text, ops)
        if not rejected:
            text = edited
            changes.append(proposed(ops, "", PRESENT))
    back = inverse(changes)
    if back is None:
        assert meaning(text) == meaning(TEXT)
        return
    restored, rejected = edit_text(text, back.ops)
    assert rejected == ()
    assert meaning(restored) == meaning(TEXT)


def test_the_bases_of_the_inverse_are_what_was_written() -> None:
    change = proposed([Operation(OpKind.SET, B, None, ("reason",), "r")], "", PRESENT)
    back = inverse([change])
    assert back is not None
    assert back.ops == (Operation(OpKind.UNSET, B, FILE, ("reason",)),)
    assert [dict(base.fields or {}) for base in back.bases] == [
        {"status": "KNOWN_FAILURE_XFAIL", "markers": ["push", "nightly"], "reason": "r"}
    ]
    assert inverse([change, back]) is not None


def test_what_changes_nothing_needs_no_inverse() -> None:
    assert (
        inverse([proposed([Operation(OpKind.SET, B, None, ("status",), "KNOWN_FAILURE_XFAIL")], "", PRESENT)]) is None
    )
    assert inverse([]) is None


@pytest.mark.parametrize(
    "last",
    [
        [Operation(OpKind.REMOVE, B, FILE)],
        [Operation(OpKind.RENAME, B, FILE, to="c"), Operation(OpKind.REMOVE, "c", FILE)],
        [Operation(OpKind.SET, B, FILE, ("arch_overrides", "n150", "reason"), "r"), Operation(OpKind.REMOVE, B, FILE)],
    ],
)
def test_an_entry_that_lost_its_fields_before_it_was_removed_comes_back(last: list[Operation]) -> None:
    ops = [Operation(OpKind.UNSET, B, FILE, ("status",)), Operation(OpKind.UNSET, B, FILE, ("markers",)), *last]
    removed, rejected = edit_text(TEXT, ops)
    assert (rejected, list(meaning(removed))) == ((), [A])
    back = inverse([proposed(ops, "", PRESENT)])
    assert back is not None
    restored, rejected = edit_text(removed, back.ops)
    assert (rejected, meaning(restored)) == ((), meaning(TEXT))


def test_an_entry_of_nulls_does_not_come_back() -> None:
    present = Present([parse_expectations("test_config:\n  a:\n    reason:\n", FILE)])
    ops = [Operation(OpKind.RENAME, "a", FILE, to="b"), Operation(OpKind.REMOVE, "b", FILE)]
    assert inverse([proposed(ops, "", present)]) is None


def test_a_move_goes_back() -> None:
    (op,) = (inverse([proposed([Operation(OpKind.MOVE, B, to="jax/x.yaml")], "", PRESENT)]) or Change(())).ops
    assert op == Operation(OpKind.MOVE, B, "jax/x.yaml", to=FILE)


def test_nulls_do_not_come_back() -> None:
    present = Present([parse_expectations("test_config:\n  a:\n    reason:\n    status: X\n", FILE)])
    (op,) = (inverse([proposed([Operation(OpKind.REMOVE, "a")], "", present)]) or Change(())).ops
    assert op.value == {"status": "X"}
    assert Path(op.file or "").name == "test_config_inference_single_device.yaml"
