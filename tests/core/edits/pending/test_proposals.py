# SPDX-License-Identifier: Apache-2.0
"""Files of proposals, and of plain operations."""

import json

import pytest

from core.edits.operations import Operation, OpKind
from core.edits.pending.change import BaseEntry
from core.edits.pending.proposals import parse_proposals
from core.errors import UsageError

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
        {"id": "a", "arch": "p150", "verdict": "promote", "why": "it passes", "evidence": None, "ops": [OP]},
        {"id": "b", "ops": []},
    ]
    found = parse_proposals(json.dumps(proposals))
    assert found.operations == (PARSED, PARSED)
    assert found.evidence == {"a": ("it passes", "https://example.com/1", "3 of 3", "by hand")}


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
