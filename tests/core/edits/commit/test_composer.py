# SPDX-License-Identifier: Apache-2.0
"""From operations to commits and their messages."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.edits import Operation, OpKind, plan
from core.edits.commit import Split, compose_commits
from core.edits.planning import write
from core.matrix import Matrix, index
from tests.support.git import committed_checkout
from tests.support.tree import INFERENCE, TRAINING, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
PASS = Operation(OpKind.SET, TRAIN, path=("status",), value="EXPECTED_PASSING")
WHY = Operation(OpKind.SET, TINY, path=("reason",), value="why")


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(committed_checkout(sample(tmp_path)))


def test_what_is_written_already_is_still_to_be_committed(matrix: Matrix) -> None:
    write(plan(matrix.checkout.test_config, [PASS, WHY]), matrix.checkout.test_config)
    found = compose_commits(matrix, [PASS, WHY], evidence={TRAIN: ("it passes",)})
    assert [change.id for change in found.changes] == [TINY, TRAIN]
    assert found.files == [INFERENCE, TRAINING]
    (draft,) = found.drafts()
    assert draft.message.startswith("Update expectations of 2 tests\n")
    assert "it passes" in draft.message
    assert draft.operations == (PASS, WHY)


def test_split(matrix: Matrix) -> None:
    found = compose_commits(matrix, [PASS, WHY])
    assert [draft.message.split("\n")[0] for draft in found.drafts(Split.REASON)] == [
        f"Update reason of {TINY}",
        f"Expect {TRAIN} to pass",
    ]
    assert [draft.message for draft in found.drafts(Split.REASON, "Own words\n\nbody")] == [
        "Own words: why\n\nbody",
        "Own words: Bad StatusOr access\n\nbody",
    ]
    assert [draft.message for draft in found.drafts(Split.NONE, "Own words")] == ["Own words"]


def test_what_does_not_fit_the_last_commit_is_reported(matrix: Matrix) -> None:
    absent = Operation(OpKind.REMOVE, "no/pytorch-such-single_device-training", TRAINING)
    with pytest.raises(TTMatrixError, match="cannot be committed by itself"):
        compose_commits(matrix, [absent])
