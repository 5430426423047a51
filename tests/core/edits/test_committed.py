# SPDX-License-Identifier: Apache-2.0
"""The text of a pull request from commits: as before the commit, with renames, evidence and CI jobs."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.edits.commit import read_committed
from core.history import entry_edits
from core.matrix import index
from core.sources import Checkout
from core.states import pull_request_of
from tests.support.cli import call
from tests.support.git import git
from tests.support.sample import sample_checkout
from tests.support.states import states_of

STALE = "patch_vit/pytorch-Small_Patch8-single_device-training"
TRAINING = "torch/test_config_training_single_device.yaml"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("committed") / "tt-xla")


def _commit(checkout: Checkout, old: str, new: str, message: str) -> None:
    file = checkout.test_config / TRAINING
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    git(checkout.root, "commit", "--quiet", "--all", "--message", message)


def test_renames_are_renames() -> None:
    before = {"a.yaml": "test_config:\n  x/pytorch-V1_5-single_device-inference:\n    status: EXPECTED_PASSING\n"}
    after = {"a.yaml": before["a.yaml"].replace("V1_5", "v1.5")}
    (edit,) = entry_edits(before, after)
    assert edit.before is not None
    assert edit.after is not None
    assert (edit.before.id, edit.after.id) == (
        "x/pytorch-V1_5-single_device-inference",
        "x/pytorch-v1.5-single_device-inference",
    )
    assert entry_edits(before, before) == ()


def test_every_commit_of_the_sample_has_a_text(checkout: Checkout) -> None:
    matrix = index(checkout)
    commits = [line.split() for line in git(checkout.root, "log", "--format=%H %P").splitlines()]
    found = [read_committed(checkout, matrix.schema, "".join(parents[:1]), tip) for tip, *parents in commits]
    assert all(one.changes for one in found)
    assert found[-1].base == ""
    renamed = [change for one in found for change in one.changes if change.was]
    assert any("tinynet" in change.id and "V1_5" in change.was for change in renamed)


def test_a_commit_and_a_range_with_evidence_and_jobs(checkout: Checkout) -> None:
    start = git(checkout.root, "rev-parse", "HEAD").strip()
    entry = f"  {STALE}:\n    status: "
    message = "Expect it to pass\n\nEvidence:\n  seen in nightly-1\n  seen in nightly-2\n\nRefs a/b#1"
    _commit(checkout, f"{entry}KNOWN_FAILURE_XFAIL", f"{entry}EXPECTED_PASSING", message)
    one = call("pr", "--repo", checkout.root, "--json").json
    assert one["tests"] == [STALE]
    text = one["markdown"]
    assert text.startswith(f"# Expect {STALE} to pass\n")
    assert "`status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING`" in text
    assert "- seen in nightly-1\n- seen in nightly-2\n" in text
    assert "**1 test leaves CI**" in text

    _commit(checkout, f"{entry}EXPECTED_PASSING", f"{entry}NOT_SUPPORTED_SKIP", "Skip it")
    tip = git(checkout.root, "rev-parse", "HEAD").strip()
    (change,) = read_committed(checkout, index(checkout).schema, start, tip).changes
    sides = [side.fields["status"] for side in (change.before, change.after) if side]
    assert sides == ["KNOWN_FAILURE_XFAIL", "NOT_SUPPORTED_SKIP"]
    called = call("pr", f"{start}..", "--repo", checkout.root, "--json")
    assert (called.json["base"], called.json["tests"]) == (start, [STALE])
    assert called.json["markdown"].startswith(f"# Skip {STALE}\n")


@pytest.mark.parametrize("revision", ["no-such", "--all", "HEAD:x", "HEAD..no-such"])
def test_what_is_no_commit_is_named(checkout: Checkout, tmp_path: Path, revision: str) -> None:
    with pytest.raises(UsageError, match="No commit is named"):
        pull_request_of(states_of(checkout, tmp_path), index(checkout), revision)


def test_a_commit_without_changes_says_so(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    (checkout.root / "README.md").write_text("other\n")
    git(checkout.root, "commit", "--quiet", "--all", "--message", "Words")
    with pytest.raises(UsageError, match="HEAD changes nothing of the matrix"):
        pull_request_of(states_of(checkout, tmp_path / "cache"), index(checkout))
