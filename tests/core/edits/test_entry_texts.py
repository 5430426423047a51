# SPDX-License-Identifier: Apache-2.0
"""Entries before and after, as the files have them."""

from pathlib import Path

from core.edits import EntryText, Operation, OpKind, entry_texts, plan
from tests.support.tree import INFERENCE, TRAINING, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
GONE = "alpha/pytorch-gone-single_device-training"
PASSING = "    status: EXPECTED_PASSING"


def test_changed_new_and_removed_entries(tmp_path: Path) -> None:
    directory = sample(tmp_path).test_config
    operations = (
        Operation(OpKind.SET, TINY, None, ("status",), "NOT_SUPPORTED_SKIP"),
        Operation(OpKind.ADD, "alpha/pytorch-new", TRAINING, value={"status": "EXPECTED_PASSING"}),
        Operation(OpKind.REMOVE, GONE),
    )
    assert entry_texts(plan(directory, operations)) == [
        EntryText(TINY, INFERENCE, (f"  {TINY}:", PASSING), (f"  {TINY}:", "    status: NOT_SUPPORTED_SKIP")),
        EntryText("alpha/pytorch-new", TRAINING, (), ("  alpha/pytorch-new:", PASSING)),
        EntryText(GONE, TRAINING, (f"  {GONE}:", PASSING), ()),
    ]


def test_an_entry_that_moves_is_followed(tmp_path: Path) -> None:
    directory = sample(tmp_path).test_config
    (found,) = entry_texts(plan(directory, [Operation(OpKind.MOVE, TINY, INFERENCE, to=TRAINING)]))
    assert (found.file, found.before, found.after) == (TRAINING, (f"  {TINY}:", PASSING), (f"  {TINY}:", PASSING))


def test_nothing_changes_nothing(tmp_path: Path) -> None:
    assert entry_texts(plan(sample(tmp_path).test_config, ())) == []
