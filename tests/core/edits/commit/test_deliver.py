# SPDX-License-Identifier: Apache-2.0
"""All commits are made, or none."""

import os
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.edits import EditPlan, Operation, OpKind, plan
from core.edits.commit import Answer, CommitDraft, deliver
from core.edits.commit.validator import VALIDATOR
from core.sources import Checkout
from tests.support.git import committed_checkout, git, hook, state
from tests.support.tree import TRAINING, YAML, sample

OPERATION = Operation(
    OpKind.SET, "alpha/pytorch-tiny-single_device-training", path=("status",), value="EXPECTED_PASSING"
)
DRAFTS = [CommitDraft("m", (OPERATION,))]
SEES = "import pathlib; text = pathlib.Path('tests/runner/test_config', {name!r}).read_text()\nraise SystemExit({code})"


def checkout(root: Path, validator: str = "") -> Checkout:
    made = sample(root)
    if validator:
        (root / VALIDATOR).write_text(validator)
    return committed_checkout(made)


def planned(checkout: Checkout) -> EditPlan:
    return plan(checkout.test_config, [OPERATION])


def test_written_validated_and_committed(tmp_path: Path) -> None:
    # The validator sees the new files: one entry fewer that is expected to fail.
    code = "'XFAIL' in text"
    tree = checkout(tmp_path, SEES.format(name=TRAINING, code=code))
    done = deliver(tree, planned(tree), DRAFTS)
    assert done.validation is not None
    assert done.validation.answer is Answer.PASSED
    assert git(tmp_path, "rev-parse", "HEAD").strip() == done.committed.revisions[0]
    assert git(tmp_path, "status", "--porcelain") == ""


@pytest.mark.parametrize("reason", ["validator", "hook"])
def test_what_fails_leaves_every_byte(tmp_path: Path, reason: str) -> None:
    tree = checkout(tmp_path, "print('ERROR: no')\nraise SystemExit(1)" if reason == "validator" else "")
    if reason == "hook":
        hook(tmp_path, "pre-commit", "exit 1")
    file = tree.test_config / TRAINING
    file.chmod(0o640)
    # As if written a while after git looked at it: git then wants to record that in the index.
    os.utime(file, (0, 0))
    before = state(tmp_path)
    with pytest.raises(TTMatrixError):
        deliver(tree, planned(tree), DRAFTS)
    assert state(tmp_path) == before
    assert file.read_text() == YAML[TRAINING]
    assert file.stat().st_mode & 0o777 == 0o640


def test_several_commits_leave_nothing_behind(tmp_path: Path) -> None:
    """Entries are added at the end of a file in the order of the plan, whatever the commits that add them."""
    tree = checkout(tmp_path, "")
    ids = [f"omega/pytorch-v{at}-single_device-training" for at in range(4)]
    added = [Operation(OpKind.ADD, id, TRAINING, value={"status": "UNSPECIFIED"}) for id in ids]
    whole = plan(tree.test_config, added)
    drafts = [CommitDraft("m", (added[1], added[3])), CommitDraft("n", (added[0], added[2]))]
    deliver(tree, whole, drafts, verify=False)
    assert git(tmp_path, "status", "--porcelain") == ""
    changed = git(tmp_path, "diff", "--numstat", "HEAD~2", "HEAD~1"), git(tmp_path, "diff", "--numstat", "HEAD~1")
    assert [lines.split()[1] for lines in changed] == ["0", "0"], "no commit moves what another one added"


def test_the_validator_can_be_left_out(tmp_path: Path) -> None:
    tree = checkout(tmp_path, "raise SystemExit(1)")
    assert deliver(tree, planned(tree), DRAFTS, verify=False).validation is None
    assert git(tmp_path, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "words", ["stash", "checkout HEAD~0 -- .", "reset --hard", "commit -am mine", "pull --rebase . main"]
)
def test_no_other_git_comes_between(tmp_path: Path, words: str) -> None:
    meanwhile = f"import subprocess, sys\nsys.exit(subprocess.run(['git', *{words.split()!r}]).returncode == 0)"
    tree = checkout(tmp_path, meanwhile)
    (tmp_path / "mine").write_text("mine")
    deliver(tree, planned(tree), DRAFTS)
    assert git(tmp_path, "status", "--porcelain") == "?? mine\n"
    assert git(tmp_path, "log", "--format=%s").split() == ["m", "first"]
    assert git(tmp_path, "branch", "--show-current") == "main\n"
