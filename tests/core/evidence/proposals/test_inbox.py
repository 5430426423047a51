# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.inbox: which tests need a person, and what happened to them."""

from dataclasses import replace

from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry, Change, Decision, Pending
from core.evidence.proposals import URGENCY, Concern, NotProposed, Proposal, change_of, decided, note_of
from core.evidence.proposals.inbox import inbox_items
from core.evidence.verdicts import Judgement, Verdict
from tests.support.evidence import judged, observed


def _judged(verdict: Verdict, id: str, arch: str = "n150") -> Judgement:
    return judged(verdict, [observed(test_id=id, arch=arch)])


def _proposal(*judgements: Judgement) -> Proposal:
    id = judgements[0].id
    op = Operation(OpKind.SET, id, "f", ("status",), "EXPECTED_PASSING")
    return Proposal(id, judgements, (op,), BaseEntry("f", id, {"status": "UNSPECIFIED"}))


def test_every_verdict_has_its_urgency() -> None:
    assert sorted(URGENCY) == sorted(Verdict)


def test_the_most_urgent_first_and_what_is_true_left_out() -> None:
    stale, regressed = _judged(Verdict.STALE, "a"), _judged(Verdict.REGRESSED, "b")
    judgements = [
        stale,
        regressed,
        _judged(Verdict.ACTIVE, "b", "p150"),
        _judged(Verdict.ACTIVE, "c"),
        _judged(Verdict.FLAKY, "d"),
        _judged(Verdict.UNKNOWN, "e"),
        _judged(Verdict.UNUSED, "f"),
        _judged(Verdict.UNKNOWN, "f", "p150"),
    ]
    held = [NotProposed("d", "n150", Verdict.FLAKY, "it is")]
    found = inbox_items(judgements, [_proposal(stale), _proposal(regressed)], held)
    assert [(one.id, one.concern, one.verdict) for one in found] == [
        ("b", Concern.DECIDE, Verdict.REGRESSED),
        ("a", Concern.DECIDE, Verdict.STALE),
        ("d", Concern.NOT_PROPOSED, Verdict.FLAKY),
        ("f", Concern.BLIND, Verdict.UNUSED),
        ("e", Concern.UNKNOWN, Verdict.UNKNOWN),
    ]
    assert [one.arch for one in found[0].about] == ["n150", "p150"]


def test_a_proposal_is_the_change_it_has_become() -> None:
    proposal = _proposal(_judged(Verdict.STALE, "a"))
    fresh = change_of(proposal, Pending())
    assert (fresh.ops, fresh.bases, fresh.decision) == (proposal.ops, (proposal.base,), Decision.UNDECIDED)
    assert (fresh.note, fresh.evidence) == (note_of(proposal), proposal.evidence)
    assert proposal.evidence
    taken = replace(fresh, id=4, decision=Decision.ACCEPTED)
    assert change_of(proposal, Pending((taken,))) is taken
    # After an edit in the review, it is still the same item.
    edited = replace(taken, ops=(Operation(OpKind.SET, "a", "f", ("reason",), "x"),))
    assert change_of(proposal, Pending((edited,))) is edited
    # Another edit of the entry makes a different one.
    own = Change(edited.ops, "by hand", Decision.ACCEPTED, id=5)
    assert change_of(proposal, Pending((own,))) == fresh


def test_progress() -> None:
    assert decided([]) == (0, 0)
    changes = [Change((), decision=one) for one in (Decision.ACCEPTED, Decision.REJECTED, Decision.UNDECIDED)]
    assert decided(changes) == (2, 1)


def test_a_pending_change_is_found_by_its_test() -> None:
    two = Change((Operation(OpKind.UNSET, "a", "f", ("reason",)), Operation(OpKind.UNSET, "b", "f", ("reason",))))
    one = Change((Operation(OpKind.UNSET, "b", "f", ("status",)),))
    pending = Pending((two, one))
    assert [pending.about(id) for id in ("a", "b", "c")] == [[two], [two, one], ()]
