# SPDX-License-Identifier: Apache-2.0
"""core.edits.pending.proposals: files of proposals and of operations; those made on one commit, applied on another."""

import json
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry, Change, ProposalFile, ProposedChange, parse_proposals, rebased_proposals
from core.matrix import index
from core.sources import Checkout
from tests.support.git import committed_checkout, git
from tests.support.tree import TRAINING, sample

OP = {"op": "set", "id": "a", "path": ["status"], "value": "EXPECTED_PASSING"}
PARSED = Operation(OpKind.SET, "a", path=("status",), value="EXPECTED_PASSING")


def test_operations_are_proposals_without_evidence() -> None:
    found = parse_proposals(json.dumps([OP]))
    assert (found.operations, found.evidence) == ((PARSED,), {})
    assert parse_proposals("[]").operations == ()


def test_proposals() -> None:
    evidence = [{"url": "https://example.com/1", "outcome": "passed"}, {"summary": "3 of 3", "runs": 3}, "by hand"]
    proposals = [
        {"id": "a", "arch": "n150", "verdict": "promote", "why": "it passes", "evidence": evidence, "ops": [OP]},
        {
            "id": "a",
            "arch": "p150",
            "verdict": "promote",
            "why": "it passes",
            "cause": "fixed",
            "evidence": None,
            "ops": [OP],
        },
        {"id": "b", "ops": []},
    ]
    found = parse_proposals(json.dumps(proposals))
    assert found.operations == (PARSED, PARSED)
    assert found.evidence == {"a": ("it passes", "https://example.com/1", "3 of 3", "by hand")}
    assert found.causes == {"a": "fixed"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "JSON list"),
        ("nonsense", "not valid JSON"),
        ('[{"op": "set"}]', "Operation 0"),
        ('[{"ops": 1}]', "Proposal 0"),
        ('[{"ops": []}, {"op": "remove", "id": "x"}]', "Proposal 1"),
        ('[{"ops": [{"op": "set", "id": "x"}]}]', "Proposal 0"),
    ],
)
def test_what_is_neither_is_named(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_proposals(text)


def test_the_base_of_a_proposal() -> None:
    item = {"id": "a", "ops": [OP], "base": {"commit": "abc", "file": "f.yaml", "fields": None}}
    (made,) = parse_proposals(json.dumps([item])).made
    assert (made.commit, made.change.bases) == ("abc", (BaseEntry("f.yaml", "a", None),))


@pytest.mark.parametrize("base", [1, {}, {"commit": 1, "file": "f", "fields": {}}, {"commit": "a", "file": "f"}])
def test_a_base_that_is_none_is_refused(base: object) -> None:
    with pytest.raises(UsageError, match="Proposal 0"):
        parse_proposals(json.dumps([{"id": "a", "ops": [OP], "base": base}]))


TRAIN = "alpha/pytorch-tiny-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def _proposed(checkout: Checkout, value: str = "EXPECTED_PASSING") -> ProposalFile:
    entry = index(checkout).entries[TRAIN]
    ops = (
        Operation(OpKind.SET, TRAIN, TRAINING, ("status",), value),
        Operation(OpKind.UNSET, TRAIN, TRAINING, ("reason",)),
    )
    change = Change(ops, bases=(BaseEntry(TRAINING, TRAIN, entry.fields),))
    return ProposalFile((ProposedChange(change, git(checkout.root, "rev-parse", "HEAD").strip(), ("3 of 3",)),))


def _edit(checkout: Checkout, old: str, new: str) -> None:
    path = checkout.test_config / TRAINING
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def _commit(checkout: Checkout) -> None:
    git(checkout.root, "commit", "--quiet", "--all", "--message=more")


def test_on_the_same_commit_nothing_is_to_be_said(checkout: Checkout) -> None:
    proposed = _proposed(checkout)
    found = rebased_proposals(proposed, index(checkout))
    assert (found.proposed, found.rejected, found.notes) == (proposed, (), ())


def test_work_on_other_fields_and_entries_does_not_matter(checkout: Checkout) -> None:
    proposed = _proposed(checkout)
    _edit(checkout, "bringup_status: FAILED_RUNTIME", "bringup_status: UNKNOWN")
    _edit(checkout, "status: EXPECTED_PASSING", "status: NOT_SUPPORTED_SKIP")
    _commit(checkout)
    found = rebased_proposals(proposed, index(checkout))
    assert found.proposed.operations == proposed.operations
    assert not found.rejected
    assert found.notes[0].startswith("made on ")


@pytest.mark.parametrize("committed", [True, False])
def test_a_field_that_was_changed_since_is_rejected(checkout: Checkout, committed: bool) -> None:
    proposed = _proposed(checkout)
    _edit(checkout, "Bad StatusOr access", "DRAM OOM")
    if committed:
        _commit(checkout)
    (rejected,) = rebased_proposals(proposed, index(checkout)).rejected
    assert rejected.op.path == ("reason",)
    assert rejected.why == "reason was Bad StatusOr access when this was proposed, and is DRAM OOM now"


def test_an_entry_that_was_renamed_is_followed(checkout: Checkout) -> None:
    proposed = _proposed(checkout)
    _edit(checkout, TRAIN, TRAIN.replace("tiny", "tiny2"))
    _commit(checkout)
    found = rebased_proposals(proposed, index(checkout))
    assert not found.rejected
    assert {op.id for op in found.proposed.operations} == {TRAIN.replace("tiny", "tiny2")}
    assert found.proposed.evidence == {TRAIN.replace("tiny", "tiny2"): ("3 of 3",)}


def test_what_is_done_already_is_dropped(checkout: Checkout) -> None:
    proposed = _proposed(checkout)
    _edit(checkout, "status: KNOWN_FAILURE_XFAIL\n    bringup", "status: EXPECTED_PASSING\n    bringup")
    _edit(checkout, '    reason: "Bad StatusOr access"\n', "")
    _commit(checkout)
    found = rebased_proposals(proposed, index(checkout))
    assert found.proposed.operations == ()
    assert "done already: 1 proposal" in found.notes


@pytest.mark.parametrize("commit", ["0123456789abcdef0123456789abcdef01234567", "--help", "a b"])
def test_a_commit_of_another_history_is_refused(checkout: Checkout, commit: str) -> None:
    (made,) = _proposed(checkout).made
    with pytest.raises(UsageError, match="does not have"):
        rebased_proposals(ProposalFile((ProposedChange(made.change, commit),)), index(checkout))


def test_operations_that_name_no_base_are_taken_as_they_are(checkout: Checkout) -> None:
    proposed = ProposalFile((ProposedChange(Change((Operation(OpKind.REMOVE, TRAIN),))),))
    assert rebased_proposals(proposed, index(checkout)).proposed == proposed
