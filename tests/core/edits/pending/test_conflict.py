# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.conflict."""

import pytest
from hypothesis import assume, given, strategies as st

from core.edits import ABSENT, Operation, OpKind, Present
from core.edits.pending import Take, conflicts, proposed
from core.edits.pending.conflict import is_done, resolve
from core.edits.yaml.file_draft import edit_text
from core.sources import parse_expectations

FILE = "torch/test_config_inference_single_device.yaml"
SEEN = (
    "test_config:\n  a:\n    status: OLD\n    arch_overrides:\n      n150:\n        reason: slow\n  b:\n    status: B\n"
)


def present(text: str, name: str = FILE) -> Present:
    return Present([parse_expectations(text, name)])


def setting(value: str, id: str = "a", *path: str) -> Operation:
    return Operation(OpKind.SET, id, FILE, path or ("status",), value)


UNSET = Operation(OpKind.UNSET, "a", FILE, ("arch_overrides", "n150"))
ADD = Operation(OpKind.ADD, "n", FILE, value={"status": "NEW", "reason": "r"})
REMOVE = Operation(OpKind.REMOVE, "b", FILE)
RENAME = Operation(OpKind.RENAME, "b", FILE, to="c")
MOVE = Operation(OpKind.MOVE, "b", FILE, to="jax/x.yaml")
GONE = SEEN.replace("  b:\n    status: B\n", "")


@pytest.mark.parametrize(
    ("op", "now", "found"),
    [
        (setting("NEW"), SEEN, "open"),
        (setting("NEW"), SEEN.replace("OLD", "NEW"), "done"),
        (setting("NEW"), SEEN.replace("OLD", "ELSE"), ("OLD", "ELSE", "NEW")),
        (setting("NEW"), SEEN.replace("slow", "fast").replace("    status: B", "    status: C"), "open"),
        (
            setting("r", "a", "reason"),
            SEEN.replace("    status: OLD", "    status: OLD\n    reason: x"),
            (ABSENT, "x", "r"),
        ),
        (UNSET, SEEN, "open"),
        (UNSET, SEEN.replace("slow", "fast"), ({"reason": "slow"}, {"reason": "fast"}, ABSENT)),
        (UNSET, GONE.partition("    arch_overrides")[0], "done"),
        (setting("NEW", "b"), GONE, ({"status": "B"}, ABSENT, {"status": "NEW"})),
        (ADD, SEEN, "open"),
        (ADD, SEEN + "  n:\n    reason: r\n    status: NEW\n", "done"),
        (ADD, SEEN + "  n:\n    status: X\n", (ABSENT, {"status": "X"}, ADD.value)),
        (REMOVE, SEEN, "open"),
        (REMOVE, GONE, "done"),
        (REMOVE, SEEN.replace("status: B", "status: C"), ({"status": "B"}, {"status": "C"}, ABSENT)),
        (RENAME, SEEN.replace("status: B", "status: C"), "open"),
        (RENAME, GONE + "  c:\n    status: C\n", "done"),
        (RENAME, GONE, ({"status": "B"}, ABSENT, {"status": "B"})),
        (MOVE, SEEN, "open"),
        (MOVE, GONE, ({"status": "B"}, ABSENT, {"status": "B"})),
        (setting("NEW"), "test_config: [", "open"),
        (REMOVE, "test_config: [", "open"),
    ],
)
def test_what_is_open_what_is_done_and_what_clashes(op: Operation, now: str, found: object) -> None:
    change = proposed([op], "", present(SEEN))
    clashing = conflicts(change, present(now))
    assert is_done(change, present(now)) is (found == "done")
    assert [(one.base, one.theirs, one.ours) for one in clashing] == ([] if isinstance(found, str) else [found])
    assert all((one.id, one.file) == (op.id, FILE) for one in clashing)


def test_a_move_that_somebody_made_already_is_done() -> None:
    change = proposed([MOVE], "", present(SEEN))
    both = Present([parse_expectations(GONE, FILE), parse_expectations("test_config:\n  b:\n    x: 1\n", "jax/x.yaml")])
    assert is_done(change, both)
    assert conflicts(change, both) == ()


def test_a_change_is_done_only_with_all_it_asks_for() -> None:
    change = proposed([setting("NEW"), setting("C", "b")], "", present(SEEN))
    assert not is_done(change, present(SEEN.replace("OLD", "NEW")))
    assert is_done(change, present(SEEN.replace("OLD", "NEW").replace("status: B", "status: C")))
    assert not is_done(
        proposed([RENAME, setting("X", "c")], "", present(SEEN)), present(GONE + "  c:\n    status: X\n")
    )


def test_theirs_gives_up_what_clashes_and_keeps_the_rest() -> None:
    now = present(SEEN.replace("OLD", "ELSE"))
    change = proposed([setting("NEW"), setting("C", "b")], "", present(SEEN))
    left = resolve(change, conflicts(change, now), Take.THEIRS)
    assert left is not None
    assert left.ops == (setting("C", "b"),)
    assert conflicts(left, now) == ()
    alone = proposed([setting("NEW")], "", present(SEEN))
    assert resolve(alone, conflicts(alone, now), Take.THEIRS) is None


texts = st.sampled_from(
    [
        SEEN.replace("OLD", "ELSE"),
        SEEN.replace("slow", "fast"),
        GONE,
        GONE.replace("OLD", "ELSE") + "  n:\n    status: X\n    arch_overrides:\n      p150:\n        reason: q\n",
        "test_config:\n  b:\n    status: C\n    reason: z\n",
        SEEN,
    ]
)
ops = st.sampled_from(
    [setting("NEW"), setting("NEW", "b"), setting("fine", "a", "arch_overrides", "n150", "reason"), UNSET, ADD, REMOVE]
)


@given(st.lists(ops, min_size=1, max_size=3, unique_by=lambda op: (op.id, op.path[:2])), texts)
def test_ours_can_be_done_to_what_the_file_says_now_and_gives_what_was_asked(wanted: list[Operation], now: str) -> None:
    # A change does not edit an entry after removing it.
    assume(REMOVE not in wanted or all(op.id != REMOVE.id for op in wanted[wanted.index(REMOVE) + 1 :]))
    change = proposed(wanted, "", present(SEEN))
    found = conflicts(change, present(now))
    resolved = resolve(change, found, Take.OURS)
    if resolved is None:
        return
    assert conflicts(resolved, present(now)) == ()
    after, rejected = edit_text(now, resolved.ops)
    clear = {op.id for op in wanted} <= {one.id for one in found}
    if clear:
        assert rejected == ()
        assert is_done(resolved, present(after)) or any(op.op is OpKind.REMOVE for op in wanted)
        said = {entry.id: entry.fields for entry in parse_expectations(after, FILE).entries}
        for op in wanted:
            if op.op is OpKind.SET and op.path == ("status",) and REMOVE not in wanted:
                assert said[op.id]["status"] == op.value
            if op == ADD:
                assert said["n"] == op.value


def test_an_entry_that_is_gone_comes_back_whole_under_its_new_name() -> None:
    change = proposed([RENAME, setting("C", "c")], "", present(SEEN))
    resolved = resolve(change, conflicts(change, present(GONE)), Take.OURS)
    assert resolved is not None
    assert resolved.ops == (Operation(OpKind.ADD, "c", FILE, value={"status": "B"}), setting("C", "c"))
    assert conflicts(resolved, present(GONE)) == ()
