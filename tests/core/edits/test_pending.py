# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.edits.operations import Operation, OpKind
from core.edits.pending import Change, Decision, Pending


def change(identifier: str) -> Change:
    return Change((Operation(OpKind.REMOVE, identifier),), f"about {identifier}")


THREE = Pending().propose(change("a"), change("b")).propose(change("c"))


def test_only_what_is_accepted_counts_in_the_order_proposed() -> None:
    decided = THREE.accept(2, 0).reject(1)
    assert [operation.id for operation in decided.accepted_operations()] == ["a", "c"]
    assert THREE.accepted_operations() == ()


def test_a_decision_can_be_taken_again() -> None:
    assert [one.decision for one in THREE.accept(0).reject(0).decide(Decision.UNDECIDED, [0]).changes] == [
        Decision.UNDECIDED
    ] * 3


def test_many_decisions_at_once_are_one_step_of_undo() -> None:
    assert THREE.accept(0, 1, 2).undo() == Pending(THREE.changes, THREE.past, (THREE.accept(0, 1, 2).changes,))


def test_a_decision_that_stands_already_is_no_step() -> None:
    accepted = THREE.accept(1)
    assert accepted.accept(1) is accepted
    assert THREE.propose() is THREE


@pytest.mark.parametrize("index", [3, -1])
def test_there_must_be_such_a_change(index: int) -> None:
    with pytest.raises(IndexError):
        THREE.accept(index)


def test_a_new_step_forgets_what_was_undone() -> None:
    assert THREE.accept(0).undo().reject(0).redo() == THREE.reject(0)


def test_what_was_written_leaves_for_good() -> None:
    left = THREE.accept(0).reject(1).written()
    assert [one.note for one in left.changes] == ["about b", "about c"]
    assert left.undo() is left


steps = st.lists(st.tuples(st.sampled_from(["propose", "accept", "reject"]), st.integers(0, 20)), max_size=12)


@given(steps)
def test_undo_goes_all_the_way_back_and_redo_all_the_way_forth(script: list[tuple[str, int]]) -> None:
    states = [Pending()]
    for name, number in script:
        last = states[-1]
        if name == "propose" or not last.changes:
            following = last.propose(change(str(number)))
        else:
            following = getattr(last, name)(number % len(last.changes))
        if following is not last:
            states.append(following)
    state = states[-1]
    for expected in reversed(states[:-1]):
        state = state.undo()
        assert state.changes == expected.changes
    assert state.undo() is state
    for expected in states[1:]:
        state = state.redo()
        assert state.changes == expected.changes
    assert state == states[-1]
