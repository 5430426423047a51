# SPDX-License-Identifier: Apache-2.0
"""Operations on the texts in git."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.edits import Operation, OpKind, Planner, plan
from core.edits.commit import Repository
from core.edits.commit.staging import read_base, staged_after, stages
from core.edits.texts import texts_of
from core.sources import Checkout, Schema, read_schema
from tests.support.git import committed_checkout, git
from tests.support.tree import INFERENCE, TRAINING, YAML, first_layout, sample

TRAIN = "alpha/pytorch-tiny-single_device-training"
GONE = "alpha/pytorch-gone-single_device-training"
PASS = Operation(OpKind.SET, TRAIN, path=("status",), value="EXPECTED_PASSING")
CLEAR = Operation(OpKind.UNSET, TRAIN, path=("reason",))
MOVE = Operation(OpKind.MOVE, GONE, TRAINING, to=INFERENCE)
DIRECTORY = "tests/runner/test_config"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path))


def test_the_work_tree_does_not_count(checkout: Checkout) -> None:
    (checkout.test_config / TRAINING).write_text("nonsense: [")
    base = read_base(Repository(checkout.root), DIRECTORY, Schema())
    assert base.committed == YAML
    assert base.staged == {}
    assert set(base.indexed) == set(base.blobs) == set(YAML)


def test_what_is_staged_takes_the_operations_in(checkout: Checkout) -> None:
    staged = YAML[TRAINING].replace("Bad StatusOr access", "mine")
    (checkout.test_config / TRAINING).write_text(staged)
    git(checkout.root, "add", "--all")
    base = read_base(Repository(checkout.root), DIRECTORY, Schema())
    assert base.staged == {TRAINING: staged}
    assert staged_after(base, [PASS], Schema(), Planner()) == {
        TRAINING: staged.replace("KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING", 1)
    }


def test_stages_build_on_each_other(checkout: Checkout) -> None:
    base = read_base(Repository(checkout.root), DIRECTORY, Schema())
    first, second, third = stages(base, [[PASS], [MOVE], [CLEAR]], Schema(), Planner())
    assert set(first) == set(third) == {TRAINING}
    assert set(second) == {TRAINING, INFERENCE}
    together = Planner().plan(texts_of(YAML), [PASS, MOVE, CLEAR], Schema())
    assert {edit.file: edit.after for edit in together.files} == {**first, **second, **third}


def test_entries_that_several_commits_add_are_in_the_order_of_the_work_tree(checkout: Checkout) -> None:
    base = read_base(Repository(checkout.root), DIRECTORY, Schema())
    # All behind the last entry of the file, where the order is that of the operations.
    a, b, c, d = (
        Operation(OpKind.ADD, f"omega/pytorch-v{at}-single_device-training", TRAINING, value={"status": "UNSPECIFIED"})
        for at in range(4)
    )
    together = Planner().plan(texts_of(YAML), [a, b, c, PASS, d], Schema()).files[0].after
    unplaced = replace(PASS, file=TRAINING)
    *_, before, last = stages(base, [[b, d], [unplaced], [a, c]], Schema(), Planner(), [a, b, c, PASS, d])
    assert last == {TRAINING: together}
    assert [line for line in before[TRAINING].split("\n") if line.startswith("  omega")] == [f"  {b.id}:", f"  {d.id}:"]


def test_what_rests_on_other_work_is_refused(checkout: Checkout) -> None:
    base = read_base(Repository(checkout.root), DIRECTORY, Schema())
    absent = Operation(OpKind.REMOVE, "no/pytorch-such-single_device-training", TRAINING)
    with pytest.raises(TTMatrixError, match="1 of the operations cannot be done on the last commit"):
        stages(base, [[absent]], Schema(), Planner())


def test_files_in_test_config_itself(tmp_path: Path) -> None:
    checkout = committed_checkout(first_layout(tmp_path))
    schema = read_schema(checkout)[0]
    base = read_base(Repository(checkout.root), DIRECTORY, schema)
    assert set(base.committed) == {path.removeprefix("torch/") for path in YAML}
    (staged,) = stages(base, [[PASS]], schema, Planner())
    (name,) = staged
    assert plan(checkout.test_config, [PASS], schema).files[0].after == staged[name]
    assert not plan(checkout.test_config, [replace(PASS, file=f"torch/{name}")], schema).files
