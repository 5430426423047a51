# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.state."""

from core.edits import Operation, OpKind
from core.edits.pending import Change, proposed
from core.edits.pending.state import follow_renames, follow_write
from tests.support.pending_states import FILE, PRESENT


def made(*ops: Operation) -> Change:
    return proposed(ops, "", PRESENT)


def setting(value: str, id: str = "a", file: str | None = None) -> Operation:
    return Operation(OpKind.SET, id, file, ("status",), value)


def test_a_renamed_entry_is_followed_by_operations_that_name_its_file_and_by_those_that_do_not() -> None:
    mapped = follow_renames([((FILE, "a"), ("jax/x", "z"))])
    assert [(op.id, op.file) for op in mapped(made(setting("X"), setting("Y", file=FILE))).ops] == [
        ("z", None),
        ("z", "jax/x"),
    ]
    other = made(setting("X", "b"))
    assert mapped(other) is other


def test_what_an_operation_brings_about_keeps_its_name() -> None:
    change = made(Operation(OpKind.RENAME, "a", to="c"), setting("X", "c"))
    carried = follow_renames([((FILE, "a"), (FILE, "z"))])(change)
    assert [(op.id, op.to) for op in carried.ops] == [("z", "c"), ("c", None)]


def test_a_write_moves_the_ground_of_what_is_left() -> None:
    left = made(setting("Y"))
    mapped = follow_write(
        [made(setting("X"), Operation(OpKind.RENAME, "a", to="z")), made(Operation(OpKind.REMOVE, "b"))]
    )
    carried = mapped(left)
    assert carried.ops[0].id == "z"
    assert carried.bases[0].key == (FILE, "z")
    assert carried.bases[0].fields == {"status": "X", "arch_overrides": {"n150": {"reason": "x"}}}
    assert mapped(made(setting("Y", "b"))).bases[0].fields is None
    assert follow_write([made(Operation(OpKind.MOVE, "a", to="jax/x"))])(left).bases[0].key == ("jax/x", "a")


def test_a_write_elsewhere_moves_nothing() -> None:
    left = made(setting("Y"))
    assert follow_write([made(Operation(OpKind.REMOVE, "b"))])(left) is left
