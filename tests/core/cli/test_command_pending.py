# SPDX-License-Identifier: Apache-2.0
"""`pending`: what waits for a decision, decided without a screen, and seen by one that is open."""

from pathlib import Path

import pytest

from core.edits.pending import Decision
from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.pending_changes import propose
from tests.support.tree import INFERENCE, sample

TINY, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def pending(checkout: Checkout, *argv: object) -> Called:
    return call("pending", *argv, "--repo", checkout.root)


def decisions(called: Called) -> list[tuple[int, str]]:
    return [(one["id"], one["decision"]) for one in called.json]


def test_nothing_is_pending(checkout: Checkout) -> None:
    called = pending(checkout, "list")
    assert (called.code, called.out) == (0, "")
    assert "no change is pending" in called.err
    assert pending(checkout, "list", "--json").json == []
    assert pending(checkout, "undo", "--json").json == []


def test_changes_are_listed_decided_and_undone(checkout: Checkout) -> None:
    screen = propose(checkout, TINY, "status", "KNOWN_FAILURE_XFAIL", "it fails")
    propose(checkout, ORG, "reason", "\x1b[31mred", "because")
    listed = pending(checkout)
    assert listed.code == 0
    assert TINY in listed.out
    assert "status = KNOWN_FAILURE_XFAIL" in listed.out
    assert "it fails" in listed.out
    assert "\x1b" not in listed.out
    first, _ = pending(checkout, "list", "--json").json
    assert first["tests"] == [TINY]
    assert first["ops"] == [
        {"op": "set", "id": TINY, "file": INFERENCE, "path": ["status"], "value": "KNOWN_FAILURE_XFAIL"}
    ]
    assert decisions(pending(checkout, "accept", "1", "--json")) == [(1, "accepted"), (2, "undecided")]
    assert decisions(pending(checkout, "reject", ORG, "--json")) == [(1, "accepted"), (2, "rejected")]
    # An app that is open sees it.
    assert screen.catch_up()
    assert [one.decision for one in screen.pending.changes] == [Decision.ACCEPTED, Decision.REJECTED]
    assert decisions(pending(checkout, "undo", "--json")) == [(1, "accepted"), (2, "undecided")]
    assert decisions(pending(checkout, "accept", "--all", "--json")) == [(1, "accepted"), (2, "accepted")]
    assert decisions(pending(checkout, "undo", "--json")) == [(1, "accepted"), (2, "undecided")]


def test_what_was_changed_elsewhere_is_said(checkout: Checkout) -> None:
    propose(checkout, TINY, "status", "KNOWN_FAILURE_XFAIL")
    file = checkout.test_config / INFERENCE
    file.write_text(file.read_text().replace("EXPECTED_PASSING", "NOT_SUPPORTED_SKIP"))
    (one,) = pending(checkout, "list", "--json").json
    assert one["conflicts"] == [{"id": TINY, "file": INFERENCE, "path": ["status"]}]
    assert "changed elsewhere too" in pending(checkout, "list").out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("accept",), "needs changes, or --all"),
        (("reject", "1", "--all"), "needs changes, or --all"),
        (("accept", "7"), "No pending change is called '7'"),
        (("accept", "alpha"), "No pending change is called 'alpha'"),
        (("undo", "1"), "undo takes no changes"),
        (("list", "--all"), "list takes no changes"),
    ],
)
def test_what_cannot_be_meant(checkout: Checkout, argv: tuple[str, ...], words: str) -> None:
    propose(checkout, TINY, "status", "KNOWN_FAILURE_XFAIL")
    called = pending(checkout, *argv)
    assert called.code == 64
    assert words in called.err
    assert decisions(pending(checkout, "list", "--json")) == [(1, "undecided")]
