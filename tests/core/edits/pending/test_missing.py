# SPDX-License-Identifier: Apache-2.0
"""Written changes are found in the files again, and missing ones are reported."""

from pathlib import Path

import pytest

from core.edits import Operation, OpKind, Present, plan
from core.edits.operations import OVERRIDES
from core.edits.pending.recovery import missing
from core.edits.planning import write
from core.sources import Checkout, Schema, read_expectations
from tests.support.tree import INFERENCE, TRAINING, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
NAME = "alpha/pytorch-org/name-single_device-inference"
GONE = "alpha/pytorch-gone-single_device-training"
TRAIN = "alpha/pytorch-tiny-single_device-training"

CHANGES = [
    [Operation(OpKind.SET, TINY, INFERENCE, ("status",), "NOT_SUPPORTED_SKIP")],
    [Operation(OpKind.UNSET, NAME, INFERENCE, ("reason",))],
    [Operation(OpKind.ADD, NAME, INFERENCE, ("markers",), "push")],
    [Operation(OpKind.REMOVE, NAME, INFERENCE, ("markers",), "large")],
    [Operation(OpKind.RENAME, NET, INFERENCE, (OVERRIDES, "n150"), to="p150")],
    [Operation(OpKind.SET, NET, INFERENCE, (OVERRIDES, "n300-llmbox", "reason"), "why")],
    [Operation(OpKind.ADD, "alpha/pytorch-new", TRAINING, value={"status": "EXPECTED_PASSING"})],
    [Operation(OpKind.REMOVE, GONE, TRAINING)],
    [Operation(OpKind.SET, TRAIN, TRAINING, ("reason",), "x"), Operation(OpKind.RENAME, TRAIN, TRAINING, to="other")],
]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path)


def _present(checkout: Checkout) -> Present:
    return Present(read_expectations(checkout, Schema()))


def test_before_the_write_all_are_missing(checkout: Checkout) -> None:
    assert missing(CHANGES, _present(checkout)) == tuple(range(len(CHANGES)))


def test_after_the_write_none_is(checkout: Checkout) -> None:
    planned = plan(checkout.test_config, [op for change in CHANGES for op in change])
    assert planned.rejected == ()
    write(planned, checkout.test_config)
    assert missing(CHANGES, _present(checkout)) == ()


@pytest.mark.parametrize("left_out", range(len(CHANGES)))
def test_each_that_was_not_written_is_missing(checkout: Checkout, left_out: int) -> None:
    others = [op for at, change in enumerate(CHANGES) if at != left_out for op in change]
    write(plan(checkout.test_config, others), checkout.test_config)
    assert missing(CHANGES, _present(checkout)) == (left_out,)


def test_the_last_word_on_a_place_counts(checkout: Checkout) -> None:
    first = [Operation(OpKind.SET, TINY, INFERENCE, ("status",), "NOT_SUPPORTED_SKIP")]
    then = [Operation(OpKind.SET, TINY, INFERENCE, ("status",), "EXCLUDE_MODEL")]
    write(plan(checkout.test_config, [*first, *then]), checkout.test_config)
    assert missing([first, then], _present(checkout)) == ()
    assert missing([then, first], _present(checkout)) == (0, 1)
    assert missing([], _present(checkout)) == ()


@pytest.mark.parametrize(
    "ops",
    [
        [Operation(OpKind.RENAME, NAME, INFERENCE, ("markers",), "large", to="push")],
        [
            Operation(OpKind.RENAME, NET, INFERENCE, (OVERRIDES, "n150"), to="p150"),
            Operation(OpKind.SET, NET, INFERENCE, (OVERRIDES, "n150", "reason"), "again"),
        ],
        [
            Operation(OpKind.RENAME, NET, INFERENCE, (OVERRIDES, "n150"), to="p150"),
            Operation(OpKind.UNSET, NET, INFERENCE, (OVERRIDES,)),
        ],
        [
            Operation(OpKind.UNSET, NAME, INFERENCE, ("reason",)),
            Operation(OpKind.REMOVE, NAME, INFERENCE),
            Operation(OpKind.ADD, NAME, INFERENCE, value={"status": "EXPECTED_PASSING", "reason": "new"}),
        ],
    ],
)
def test_what_a_later_operation_replaces_is_not_missing(checkout: Checkout, ops: list[Operation]) -> None:
    planned = plan(checkout.test_config, ops)
    assert planned.rejected == ()
    assert missing([ops], _present(checkout)) == (0,)
    write(planned, checkout.test_config)
    assert missing([ops], _present(checkout)) == ()
