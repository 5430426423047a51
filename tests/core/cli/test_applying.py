# SPDX-License-Identifier: Apache-2.0
"""What `edit` can be asked beside a diff: commits, their number, the text of a pull request, edits without effect."""

import json
from pathlib import Path

import pytest

from core.edits.validator import VALIDATOR
from core.sources.checkout import Checkout
from tests.support.cli import Called, call
from tests.support.git import committed_checkout, git
from tests.support.tree import INFERENCE, TRAINING, YAML, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
PASS = {"op": "set", "id": TRAIN, "path": ["status"], "value": "EXPECTED_PASSING"}
WHY = {"op": "set", "id": TINY, "path": ["reason"], "value": "why"}
SAME = {"op": "set", "id": TINY, "path": ["status"], "value": "EXPECTED_PASSING"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def edit(checkout: Checkout, operations: object, *words: str) -> Called:
    return call("edit", "--apply", "-", *words, "--repo", checkout.root, stdin=json.dumps(operations))


def test_a_commit_for_each_reason(checkout: Checkout) -> None:
    called = edit(checkout, [PASS, WHY], "--write", "--commit", "--split", "reason")
    assert called.code == 0
    assert called.err.count("committed ") == 2
    assert git(checkout.root, "log", "--format=%s", "-2").splitlines() == [
        f"Expect {TRAIN} to pass",
        f"Update reason of {TINY}",
    ]
    assert git(checkout.root, "status", "--porcelain") == ""


def test_the_validator_stops_it_unless_told_otherwise(checkout: Checkout) -> None:
    (checkout.root / VALIDATOR).write_text("print('ERROR: bad entry')\nraise SystemExit(1)\n")
    called = edit(checkout, [PASS], "--commit")
    assert called.code == 2
    assert "bad entry" in called.err
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]
    assert edit(checkout, [PASS], "--commit", "--no-verify-config").code == 0
    assert git(checkout.root, "show", "--name-only", "--format=").split() == [f"tests/runner/test_config/{TRAINING}"]


def test_markdown_is_printed_and_nothing_is_touched(checkout: Checkout) -> None:
    called = edit(checkout, [PASS], "--markdown")
    assert called.out.startswith(f"# Expect {TRAIN} to pass\n\n| test | change |\n")
    assert edit(checkout, [PASS], "--markdown", "--json").json["markdown"] == called.out
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


def test_what_has_no_effect_is_noted_and_done_as_the_contract_says(checkout: Checkout) -> None:
    called = edit(checkout, [SAME], "--json")
    assert called.code == 0
    assert (called.json["applied"], called.json["rejected"], called.json["effect"]) == ([SAME], [], [])
    assert called.json["notes"] == [f"no effect: {TINY}: status is EXPECTED_PASSING already"]
    assert "no effect" in called.err


def test_what_has_no_effect_is_refused_on_request(checkout: Checkout) -> None:
    called = edit(checkout, [SAME, WHY], "--refuse-no-effect", "--write", "--json")
    assert called.code == 1
    assert [one["op"] for one in called.json["rejected"]] == [SAME, WHY]
    assert called.json["rejected"][0]["why"] == "it has no effect: status is EXPECTED_PASSING already"
    assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]
    assert edit(checkout, [WHY], "--refuse-no-effect").code == 0


def test_a_dead_override_is_pointed_out(checkout: Checkout) -> None:
    dead = {"op": "set", "id": TINY, "path": ["arch_overrides", "n300", "reason"], "value": "x"}
    notes = edit(checkout, [dead], "--json").json["notes"]
    assert f"dead override: {TINY} is not marked for n300" in notes


@pytest.mark.parametrize("words", [("-m", "words"), ("--commit", "--split", "colour")])
def test_requests_that_mean_nothing(checkout: Checkout, words: tuple[str, ...]) -> None:
    assert edit(checkout, [PASS], *words).code == 64


def test_a_commit_of_nothing_is_64(checkout: Checkout) -> None:
    assert edit(checkout, [SAME], "--commit").code == 64
