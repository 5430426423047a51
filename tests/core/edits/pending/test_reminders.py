# SPDX-License-Identifier: Apache-2.0
"""core.edits.pending.reminders: the way back of what was written until an issue is closed."""

from dataclasses import replace
from pathlib import Path

from core.edits import Operation, OpKind, Present
from core.edits.pending import Change, Decision, Rebased, Workbench, proposed
from core.edits.pending.events import Reminded, Stepped, WriteDone
from core.edits.pending.reminders import outstanding
from core.edits.pending.state import PendingState, apply, events_for, fold
from core.matrix import index
from tests.support.pending_states import FILE, PRESENT
from tests.support.tree import INFERENCE, sample

ISSUE, OTHER = "tenstorrent/tt-xla#7", "tenstorrent/tt-xla#8"
TINY = "alpha/pytorch-tiny-single_device-inference"
ID = next(id for entries in PRESENT.entries.values() for id in entries)


def lowered(value: float, issue: str = ISSUE) -> Change:
    change = proposed([Operation(OpKind.SET, ID, None, ("required_pcc",), value)], "", PRESENT)
    return replace(change, restore=issue, decision=Decision.ACCEPTED)


def written(state: PendingState, change: Change) -> PendingState:
    state = apply(state, Stepped(state.pending.proposal(change)))
    return apply(state, WriteDone((state.pending.changes[-1].id,), (FILE,)))


def test_a_note_begins_with_the_write() -> None:
    state = apply(PendingState(), Stepped(PendingState().pending.proposal(lowered(0.97))))
    assert state.reminders == ()
    (back,) = written(PendingState(), lowered(0.97)).reminders
    assert (back.restore, [(op.op, op.path) for op in back.ops]) == (ISSUE, [(OpKind.UNSET, ("required_pcc",))])
    assert written(PendingState(), lowered(0.97, "")).reminders == ()


def test_the_first_state_before_counts() -> None:
    state = written(PendingState(), lowered(0.97))
    assert [one.ops for one in written(state, lowered(0.96)).reminders] == [one.ops for one in state.reminders]
    assert len(written(state, lowered(0.96, OTHER)).reminders) == 2


def test_a_short_journal_has_the_notes_too() -> None:
    state = written(PendingState(), lowered(0.97))
    assert fold(PendingState(), events_for(state)) == state


def test_notes_follow_renames_and_can_be_dropped() -> None:
    state = written(PendingState(), lowered(0.97))
    key = state.reminders[0].bases[0].key
    state = apply(state, Rebased(renamed=((key, (key[0], "new")),)))
    assert [op.id for op in state.reminders[0].ops] == ["new"]
    assert apply(state, Reminded(removed=(OTHER,))) == state
    assert apply(state, Reminded(removed=(ISSUE,))).reminders == ()


def test_what_is_restored_needs_no_note_and_a_note_outlives_its_session(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path / "tree"))
    bench = Workbench(matrix.checkout, tmp_path / "journal")
    op = Operation(OpKind.SET, TINY, INFERENCE, ("required_pcc",), 0.5)
    present = Present(matrix.files)
    bench.remind([Change((op,), restore=ISSUE), Change((op,))], present)
    assert bench.reminders(present) == (), "it is not written"
    file = matrix.checkout.test_config / INFERENCE
    before = file.read_text()
    with bench.alone("a test"):
        bench.write_plan(bench.plan([op], matrix.schema))
    later = Workbench(matrix.checkout, tmp_path / "journal")
    (back,) = later.reminders(Present(index(matrix.checkout).files))
    assert back.restore == ISSUE
    file.write_text(before)
    assert outstanding([back], Present(index(matrix.checkout).files)) == ()
    later.forget(ISSUE)
    assert later.state.reminders == ()
