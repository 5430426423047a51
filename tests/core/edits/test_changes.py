# SPDX-License-Identifier: Apache-2.0
"""What operations make of entries, in words."""

from pathlib import Path

import pytest

from core.edits import Operation, OpKind, change_in_words, plan
from core.edits.impact import entry_changes
from core.sources import Checkout
from tests.support.tree import INFERENCE, TRAINING, sample

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
TRAIN, GONE, NEW = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "gone", "new"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path)


def _said(checkout: Checkout, *operations: Operation) -> dict[str, list[str]]:
    planned = plan(checkout.test_config, operations)
    assert planned.rejected == ()
    return {change.id: change_in_words(change) for change in entry_changes(planned)}


def test_fields(checkout: Checkout) -> None:
    assert _said(
        checkout,
        Operation(OpKind.SET, TRAIN, path=("status",), value="EXPECTED_PASSING"),
        Operation(OpKind.UNSET, TRAIN, path=("reason",)),
        Operation(OpKind.SET, TRAIN, path=("required_pcc",), value=0.98),
        Operation(OpKind.SET, NET, path=("arch_overrides", "n150", "reason"), value="x" * 300),
    ) == {
        TRAIN: ["status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING", "reason removed", "required_pcc: 0.98"],
        NET: [f"reason on n150: DRAM OOM -> {'x' * 48}…{'x' * 71}"],
    }


def test_entries_that_come_and_go(checkout: Checkout) -> None:
    said = _said(
        checkout,
        Operation(OpKind.RENAME, TRAIN, to=NEW),
        Operation(OpKind.MOVE, GONE, TRAINING, to=INFERENCE),
        Operation(OpKind.REMOVE, TINY),
        Operation(OpKind.ADD, TRAIN, TRAINING, value={"status": "EXPECTED_PASSING", "markers": ["push"]}),
    )
    assert said == {
        NEW: [f"renamed from {TRAIN}"],
        GONE: [f"moved from {TRAINING}"],
        TRAIN: ["new entry, status: EXPECTED_PASSING", "new entry, markers: push"],
        TINY: ["entry removed"],
    }


def test_a_value_on_several_lines_is_said_on_one(checkout: Checkout) -> None:
    said = _said(checkout, Operation(OpKind.SET, TINY, path=("reason",), value="a\n\x1b[31mb"))
    assert said == {TINY: ["reason: a \N{REPLACEMENT CHARACTER}[31mb"]}
