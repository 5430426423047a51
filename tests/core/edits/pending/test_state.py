# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.state."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given, strategies as st

from core.edits.operations import Operation, OpKind
from core.edits.pending.change import Change, Decision, evidence_of, proposed
from core.edits.pending.events import (
    Committed,
    Event,
    Marked,
    Rebased,
    Redone,
    Stepped,
    Undone,
    WriteBegan,
    WriteEnded,
    Written,
)
from core.edits.pending.state import Desk, apply, events_for, fold
from tests.support.desks import FILE, PRESENT, happenings, steps

Happening = Callable[[Desk], Event]


def setting(identifier: str, value: str, name: str = "status") -> Change:
    return proposed([Operation(OpKind.SET, identifier, None, (name,), value)], "", PRESENT)


def proposing(desk: Desk, *changes: Change) -> Desk:
    return apply(desk, Stepped(desk.pending.proposal(*changes)))


def deciding(desk: Desk, decision: Decision, *ids: int) -> Desk:
    return apply(desk, Stepped(desk.pending.decision(decision, ids)))


def played(script: list[Happening], desk: Desk | None = None) -> tuple[Desk, list[Event]]:
    desk, events = desk or Desk(), []
    for happening in script:
        events.append(happening(desk))
        desk = apply(desk, events[-1])
    return desk, events


@given(st.lists(happenings, max_size=14))
def test_folding_at_once_is_applying_one_by_one(script: list[Happening]) -> None:
    desk, events = played(script)
    assert fold(Desk(), events) == desk


@given(st.lists(happenings, max_size=14))
def test_the_short_way_says_the_same(script: list[Happening]) -> None:
    desk, _ = played(script)
    assert fold(Desk(), events_for(desk)) == desk


@given(st.lists(happenings, max_size=10), st.integers(1, 6))
def test_undo_and_redo_are_each_others_inverse(script: list[Happening], count: int) -> None:
    desk, _ = played(script)
    times = min(count, len(desk.pending.past))
    assert fold(desk, [*[Undone()] * times, *[Redone()] * times]) == desk
    times = min(count, len(desk.pending.future))
    assert fold(desk, [*[Redone()] * times, *[Undone()] * times]) == desk


@given(st.lists(steps, max_size=12))
def test_undo_goes_all_the_way_back(script: list[Happening]) -> None:
    desk, _ = played(script)
    empty = fold(desk, [Undone()] * len(desk.pending.past))
    assert empty.pending.changes == ()
    assert fold(empty, [Redone()] * (len(desk.pending.past))) == desk


@given(st.lists(happenings, max_size=12))
def test_ids_are_never_given_twice(script: list[Happening]) -> None:
    desk, _ = played(script)
    assert all(change.id < desk.pending.next_id for change in desk.pending.changes)
    assert [change.id for change in desk.pending.changes] == sorted({change.id for change in desk.pending.changes})


def test_a_new_step_forgets_what_was_undone() -> None:
    desk = deciding(apply(proposing(Desk(), setting("a", "X"), setting("b", "Y")), Undone()), Decision.ACCEPTED, 1)
    assert desk.pending.changes == ()
    desk = proposing(desk, setting("b", "Z"))
    assert [change.id for change in apply(desk, Redone()).pending.changes] == [3]


def test_what_is_written_leaves_and_undo_offers_the_inverse() -> None:
    desk = proposing(Desk(), setting("a", "X"), setting("b", "Y"))
    desk = deciding(deciding(desk, Decision.ACCEPTED, 1), Decision.REJECTED, 2)
    desk = apply(desk, Written((1,), (FILE,)))
    assert [change.id for change in desk.pending.changes] == [2]
    assert desk.uncommitted == (FILE,)
    offered = apply(desk, Undone())
    assert [(one.id, one.decision) for one in offered.pending.changes] == [
        (2, Decision.REJECTED),
        (3, Decision.UNDECIDED),
    ]
    assert offered.pending.changes[1].ops == (Operation(OpKind.SET, "a", FILE, ("status",), "UNSPECIFIED"),)
    assert apply(offered, Redone()) == desk
    assert apply(apply(offered, Undone()), Undone()).pending.changes[0].id == 3


def test_what_justifies_a_change_is_known_until_it_is_committed() -> None:
    seen = replace(setting("a", "X"), evidence=("3 of 3",))
    desk = deciding(proposing(Desk(), seen, setting("b", "Y")), Decision.ACCEPTED, 1, 2)
    assert evidence_of(desk.pending.changes) == {"a": ("3 of 3",)}
    desk = apply(desk, Written((1, 2), (FILE,)))
    assert desk.evidence == {"a": ("3 of 3",)}
    assert apply(desk, Committed(("other",))).evidence == desk.evidence
    assert apply(desk, Committed((FILE,))).evidence == {}


def test_an_inverse_that_was_gone_on_from_is_a_proposal_like_others() -> None:
    desk = deciding(proposing(Desk(), setting("a", "X")), Decision.ACCEPTED, 1)
    desk = deciding(apply(apply(desk, Written((1,), (FILE,))), Undone()), Decision.ACCEPTED, 2)
    assert [change.decision for change in desk.pending.changes] == [Decision.ACCEPTED]
    assert apply(apply(desk, Undone()), Undone()).pending.changes == ()
    again = apply(apply(desk, Written((2,), (FILE,))), Undone())
    assert again.pending.changes[0].ops == (Operation(OpKind.SET, "a", FILE, ("status",), "X"),)


def test_what_we_wrote_ourselves_is_no_change_by_others() -> None:
    desk = deciding(proposing(Desk(), setting("a", "X"), setting("a", "Y")), Decision.ACCEPTED, 1)
    (left,) = apply(desk, Written((1,), (FILE,))).pending.changes
    assert left.bases[0].fields == {"status": "X", "arch_overrides": {"n150": {"reason": "x"}}}


def test_renames_are_followed_in_undone_steps_too() -> None:
    desk = apply(proposing(Desk(), setting("a", "X")), Undone())
    desk = apply(desk, Rebased(renamed=(((FILE, "a"), ("other", "z")),)))
    (change,) = apply(desk, Redone()).pending.changes
    assert (change.ops[0].id, change.ops[0].file, change.bases[0].key) == ("z", None, ("other", "z"))


def test_marks_and_files() -> None:
    desk = fold(Desk(), [Marked(frozenset("abc")), Marked(frozenset("d"), frozenset("ab"))])
    assert desk.marks == {"c", "d"}
    began = WriteBegan((), (1,))
    assert apply(desk, began).writing == began
    assert fold(desk, [began, WriteEnded()]).writing is None
    assert fold(desk, [began, Written((), ("f", "g")), Committed(("f",))]).uncommitted == ("g",)
