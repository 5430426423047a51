# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.state."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, strategies as st

from core.edits import Operation, OpKind
from core.edits.pending import Change, Decision, Rebased, evidence_of, proposed
from core.edits.pending.events import (
    FilesCommitted,
    JournalEvent,
    Marked,
    Redone,
    Stepped,
    Undone,
    WriteAbandoned,
    WriteBegan,
    WriteDone,
)
from core.edits.pending.state import PendingState, apply, events_for, fold
from tests.support.pending_states import FILE, PRESENT, happenings, steps

Happening = Callable[[PendingState], JournalEvent]


def setting(identifier: str, value: str, name: str = "status") -> Change:
    return proposed([Operation(OpKind.SET, identifier, None, (name,), value)], "", PRESENT)


def proposing(state: PendingState, *changes: Change) -> PendingState:
    return apply(state, Stepped(state.pending.proposal(*changes)))


def deciding(state: PendingState, decision: Decision, *ids: int) -> PendingState:
    return apply(state, Stepped(state.pending.decision(decision, ids)))


def played(script: list[Happening], state: PendingState | None = None) -> tuple[PendingState, list[JournalEvent]]:
    state, events = state or PendingState(), []
    for happening in script:
        events.append(happening(state))
        state = apply(state, events[-1])
    return state, events


@given(st.lists(happenings, max_size=14))
def test_folding_at_once_is_applying_one_by_one(script: list[Happening]) -> None:
    state, events = played(script)
    assert fold(PendingState(), events) == state


@given(st.lists(happenings, max_size=14))
def test_the_short_way_says_the_same(script: list[Happening]) -> None:
    state, _ = played(script)
    assert fold(PendingState(), events_for(state)) == state


@given(st.lists(happenings, max_size=10), st.integers(1, 6))
def test_undo_and_redo_are_each_others_inverse(script: list[Happening], count: int) -> None:
    state, _ = played(script)
    times = min(count, len(state.pending.past))
    assert fold(state, [*[Undone()] * times, *[Redone()] * times]) == state
    times = min(count, len(state.pending.future))
    assert fold(state, [*[Redone()] * times, *[Undone()] * times]) == state


@given(st.lists(steps, max_size=12))
def test_undo_goes_all_the_way_back(script: list[Happening]) -> None:
    state, _ = played(script)
    empty = fold(state, [Undone()] * len(state.pending.past))
    assert empty.pending.changes == ()
    assert fold(empty, [Redone()] * (len(state.pending.past))) == state


@given(st.lists(happenings, max_size=12))
def test_ids_are_never_given_twice(script: list[Happening]) -> None:
    state, _ = played(script)
    assert all(change.id < state.pending.next_id for change in state.pending.changes)
    assert [change.id for change in state.pending.changes] == sorted({change.id for change in state.pending.changes})


def test_a_new_step_forgets_what_was_undone() -> None:
    state = deciding(
        apply(proposing(PendingState(), setting("a", "X"), setting("b", "Y")), Undone()), Decision.ACCEPTED, 1
    )
    assert state.pending.changes == ()
    state = proposing(state, setting("b", "Z"))
    assert [change.id for change in apply(state, Redone()).pending.changes] == [3]


def test_what_is_written_leaves_and_undo_offers_the_inverse() -> None:
    state = proposing(PendingState(), setting("a", "X"), setting("b", "Y"))
    state = deciding(deciding(state, Decision.ACCEPTED, 1), Decision.REJECTED, 2)
    state = apply(state, WriteDone((1,), (FILE,)))
    assert [change.id for change in state.pending.changes] == [2]
    assert state.uncommitted == (FILE,)
    offered = apply(state, Undone())
    assert [(one.id, one.decision) for one in offered.pending.changes] == [
        (2, Decision.REJECTED),
        (3, Decision.UNDECIDED),
    ]
    assert offered.pending.changes[1].ops == (Operation(OpKind.SET, "a", FILE, ("status",), "UNSPECIFIED"),)
    assert apply(offered, Redone()) == state
    assert apply(apply(offered, Undone()), Undone()).pending.changes[0].id == 3


def test_what_justifies_a_change_is_known_until_it_is_committed() -> None:
    seen = replace(setting("a", "X"), evidence=("3 of 3",), cause="fixed")
    state = deciding(proposing(PendingState(), seen, setting("b", "Y")), Decision.ACCEPTED, 1, 2)
    assert evidence_of(state.pending.changes) == {"a": ("3 of 3",)}
    state = apply(state, WriteDone((1, 2), (FILE,)))
    assert state.evidence == {"a": ("3 of 3",)}
    assert state.causes == {"a": "fixed"}, "for the commit that may come later"
    assert apply(state, FilesCommitted(("other",))).evidence == state.evidence
    assert apply(state, FilesCommitted((FILE,))).evidence == {}
    assert apply(state, FilesCommitted((FILE,))).causes == {}


def test_an_inverse_that_was_gone_on_from_is_a_proposal_like_others() -> None:
    state = deciding(proposing(PendingState(), setting("a", "X")), Decision.ACCEPTED, 1)
    state = deciding(apply(apply(state, WriteDone((1,), (FILE,))), Undone()), Decision.ACCEPTED, 2)
    assert [change.decision for change in state.pending.changes] == [Decision.ACCEPTED]
    assert apply(apply(state, Undone()), Undone()).pending.changes == ()
    again = apply(apply(state, WriteDone((2,), (FILE,))), Undone())
    assert again.pending.changes[0].ops == (Operation(OpKind.SET, "a", FILE, ("status",), "X"),)


def test_what_we_wrote_ourselves_is_no_change_by_others() -> None:
    state = deciding(proposing(PendingState(), setting("a", "X"), setting("a", "Y")), Decision.ACCEPTED, 1)
    (left,) = apply(state, WriteDone((1,), (FILE,))).pending.changes
    assert left.bases[0].fields == {"status": "X", "arch_overrides": {"n150": {"reason": "x"}}}


def test_renames_are_followed_in_undone_steps_too() -> None:
    state = apply(proposing(PendingState(), setting("a", "X")), Undone())
    state = apply(state, Rebased(renamed=(((FILE, "a"), ("other", "z")),)))
    (change,) = apply(state, Redone()).pending.changes
    assert (change.ops[0].id, change.ops[0].file, change.bases[0].key) == ("z", None, ("other", "z"))


def test_marks_and_files() -> None:
    state = fold(PendingState(), [Marked(frozenset("abc")), Marked(frozenset("d"), frozenset("ab"))])
    assert state.marks == {"c", "d"}
    began = WriteBegan((), (1,))
    assert apply(state, began).writing == began
    assert fold(state, [began, WriteAbandoned()]).writing is None
    assert fold(state, [began, WriteDone((), ("f", "g")), FilesCommitted(("f",))]).uncommitted == ("g",)
