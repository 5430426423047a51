# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.rebase."""

from core.edits import Operation, OpKind, Present
from core.edits.pending import Rebased, proposed
from core.edits.pending.events import Stepped, Undone
from core.edits.pending.rebase import rebase
from core.edits.pending.state import PendingState, apply
from core.sources import parse_expectations

FILE = "torch/test_config_inference_single_device.yaml"
A, NEW = "alpha/pytorch-Base-single_device-inference", "alpha/pytorch-base-single_device-inference"
SIBLING = "alpha/pytorch-Base2-single_device-inference"
TEXT = f"test_config:\n  {A}:\n    status: OLD\n  {SIBLING}:\n    status: OLD\n"


def present(text: str) -> Present:
    return Present([parse_expectations(text, FILE)])


def desk_with(value: str = "NEW") -> PendingState:
    """A desk that has seen TEXT, with one change to it."""
    event = rebase(PendingState(), present(TEXT))
    assert event is not None
    state = apply(PendingState(), event)
    change = proposed([Operation(OpKind.SET, A, None, ("status",), value)], "", present(TEXT))
    return apply(state, Stepped(state.pending.proposal(change)))


def test_nothing_happens_while_the_files_stay() -> None:
    assert rebase(desk_with(), present(TEXT)) is None
    assert rebase(desk_with("OLD"), present(TEXT)) is None


def test_a_rename_is_followed_though_a_sibling_says_the_same() -> None:
    now = present(TEXT.replace(A, NEW))
    event = rebase(desk_with(), now)
    assert event is not None
    assert event.renamed == (((FILE, A), (FILE, NEW)),)
    state = apply(desk_with(), event)
    assert state.pending.changes[0].ops[0].id == NEW
    assert rebase(state, now) is None


def test_an_entry_that_was_removed_is_not_taken_for_its_sibling() -> None:
    event = rebase(desk_with(), present(TEXT.replace(f"  {A}:\n    status: OLD\n", "")))
    assert event == Rebased(((FILE, A),), {})


def test_what_is_done_already_is_dropped_and_undo_brings_it_back() -> None:
    now = TEXT.replace("OLD", "NEW", 1)
    event = rebase(desk_with(), present(now))
    assert event is not None
    assert event.dropped == (1,)
    assert apply(desk_with(), event).pending.changes == ()
    assert apply(apply(desk_with(), event), Undone()).pending.changes == desk_with().pending.changes


def test_undone_changes_are_followed_too() -> None:
    event = rebase(apply(desk_with(), Undone()), present(TEXT.replace(A, NEW)))
    assert event is not None
    assert event.renamed == (((FILE, A), (FILE, NEW)),)


def test_a_file_that_cannot_be_read_has_lost_nothing() -> None:
    assert rebase(desk_with(), present("test_config: [\n<<<<<<< HEAD")) is None


def test_renames_that_concern_no_change_are_not_reported() -> None:
    event = rebase(desk_with(), present(TEXT.replace(SIBLING, "alpha/pytorch-Base3-single_device-inference")))
    assert event is not None
    assert event.renamed == ()
    assert event.gone == ((FILE, SIBLING),)


def test_a_removal_is_not_done_because_the_whole_file_is_away() -> None:
    state = desk_with()
    change = proposed([Operation(OpKind.REMOVE, A)], "", present(TEXT))
    state = apply(state, Stepped(state.pending.proposal(change)))
    event = rebase(state, Present([]))
    assert event is not None
    assert event.dropped == ()


def test_dropping_follows_renames() -> None:
    now = present(TEXT.replace(f"{A}:\n    status: OLD", f"{NEW}:\n    status: OLD"))
    state = desk_with("OLD")
    event = rebase(state, now)
    assert event is not None
    assert (event.renamed, event.dropped) == ((((FILE, A), (FILE, NEW)),), (1,))
