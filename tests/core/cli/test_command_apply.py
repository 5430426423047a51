# SPDX-License-Identifier: Apache-2.0
"""`apply`: a file of proposals or operations is written and, when asked, committed."""

import json
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout, git
from tests.support.tree import TRAINING, YAML, sample

TRAIN = "alpha/pytorch-tiny-single_device-training"
OPS = [{"op": "set", "id": TRAIN, "path": ["status"], "value": "EXPECTED_PASSING"}]
PROPOSALS = [{"id": TRAIN, "arch": "n150", "verdict": "promote", "why": "3 of 3", "evidence": [], "ops": OPS}]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


@pytest.mark.parametrize("content", [OPS, PROPOSALS])
def test_both_kinds_of_file_are_written(checkout: Checkout, tmp_path: Path, content: object) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(content))
    assert call("apply", file, "--repo", checkout.root).code == 0
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING].replace(
        "KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING", 1
    )
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "1"


def test_commit_with_a_message(checkout: Checkout) -> None:
    called = call("apply", "-", "--commit", "-m", "Own words", "--json", "--repo", checkout.root, stdin=json.dumps(OPS))
    assert called.code == 0
    assert called.json["commits"] == [git(checkout.root, "rev-parse", "HEAD").strip()]
    assert called.json["written"] == [TRAINING]
    assert git(checkout.root, "log", "-1", "--format=%B").strip() == "Own words"
    assert git(checkout.root, "status", "--porcelain") == ""


def test_commit_of_proposals_says_why(checkout: Checkout) -> None:
    assert call("apply", "-", "--commit", "--repo", checkout.root, stdin=json.dumps(PROPOSALS)).code == 0
    assert "Evidence:\n  3 of 3" in git(checkout.root, "log", "-1", "--format=%B")


def test_rejected_operations_write_and_commit_nothing(checkout: Checkout) -> None:
    bad = {"op": "remove", "id": "no/pytorch-such-single_device-training"}
    called = call("apply", "-", "--commit", "--repo", checkout.root, stdin=json.dumps([*OPS, bad]))
    assert called.code == 1
    assert "nothing was written or committed" in called.err
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "1"
