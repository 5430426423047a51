# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.change."""

from core.edits import Operation, OpKind, Present
from core.edits.pending import BaseEntry, Change, Decision, Pending, proposed
from core.edits.pending.change import Decided, Put, UndoStep, bases_of
from core.edits.pending.events import Stepped
from core.edits.pending.state import PendingState, apply
from core.sources import parse_expectations

FILE, OTHER = "torch/test_config_a.yaml", "torch/test_config_b.yaml"
PRESENT = Present(
    [
        parse_expectations("test_config:\n  a:\n    status: UNSPECIFIED\n  b:\n    reason: x\n", FILE),
        parse_expectations("test_config:\n  b:\n    reason: y\n", OTHER),
    ]
)


def change(identifier: str) -> Change:
    return Change((Operation(OpKind.REMOVE, identifier),), f"about {identifier}")


def pending(*identifiers: str) -> Pending:
    return apply(PendingState(), Stepped(Pending().proposal(*map(change, identifiers)))).pending


def test_every_change_is_proposed_under_an_id_of_its_own() -> None:
    assert [(one.id, one.note) for one in pending("a", "b").changes] == [(1, "about a"), (2, "about b")]
    assert pending("a", "b").next_id == 3


def test_only_what_is_accepted_counts_in_the_order_proposed() -> None:
    three = pending("a", "b", "c")
    step = three.decision(Decision.ACCEPTED, [3, 1])
    decided = apply(PendingState(three), Stepped(step)).pending
    assert [operation.id for operation in decided.accepted_operations()] == ["a", "c"]
    assert three.accepted_operations() == ()


def test_a_decision_that_is_made_already_and_one_on_what_has_left_are_no_edits() -> None:
    assert pending("a").decision(Decision.UNDECIDED, [1]) == UndoStep(())
    assert pending("a").decision(Decision.ACCEPTED, [7]) == UndoStep(())


def test_a_replacement_keeps_the_id() -> None:
    (one,) = pending("a").changes
    assert pending("a").replacement(1, change("b")).edits[0].id == 1
    assert pending("a").replacement(1, one) == UndoStep(())
    assert pending("a").replacement(1, None) == UndoStep((Put(one, None),))
    assert pending("a").replacement(2, None) == UndoStep(())


def test_an_edit_knows_the_change_it_is_about() -> None:
    (one,) = pending("a").changes
    assert [
        edit.id for edit in (Put(None, one), Put(one, None), Decided(1, Decision.UNDECIDED, Decision.ACCEPTED))
    ] == [1] * 3


def test_a_change_keeps_the_entries_it_was_made_against() -> None:
    made = proposed([Operation(OpKind.SET, "a", None, ("reason",), "r")], "why", PRESENT)
    assert made.bases == (BaseEntry(FILE, "a", {"status": "UNSPECIFIED"}),)
    assert made.base_of(made.ops[0]) is made.bases[0]


def test_the_file_an_operation_names_tells_entries_of_one_id_apart() -> None:
    ops = [Operation(OpKind.REMOVE, "b", FILE), Operation(OpKind.REMOVE, "b", OTHER)]
    made = proposed(ops, "", PRESENT)
    assert [base.fields for base in made.bases] == [{"reason": "x"}, {"reason": "y"}]
    assert [made.base_of(op) for op in ops] == [*made.bases]


def test_what_operations_bring_about_themselves_has_no_base() -> None:
    ops = [Operation(OpKind.RENAME, "a", to="c"), Operation(OpKind.SET, "c", None, ("reason",), "r")]
    assert [base.id for base in bases_of(ops, PRESENT)] == ["a"]


def test_an_entry_that_is_not_there_yet_has_a_base_without_fields() -> None:
    assert bases_of([Operation(OpKind.ADD, "n", FILE, value={"reason": "r"})], PRESENT) == (BaseEntry(FILE, "n", None),)
