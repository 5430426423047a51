# SPDX-License-Identifier: Apache-2.0
"""Changes sorted into commits."""

import pytest
from hypothesis import given, strategies as st

from core.edits import Operation, OpKind, plan
from core.edits.commit import Split
from core.edits.commit.groups import grouped
from core.edits.impact import entry_changes
from core.sources import Checkout, Schema
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
TRAIN, GONE, NEW = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "gone", "new"))
ISSUE = "OOM - https://github.com/tenstorrent/tt-xla/issues/7"
PASS = "EXPECTED_PASSING"


def put(id: str, *path: str, value: object) -> Operation:
    return Operation(OpKind.SET, id, path=path, value=value)


OPERATIONS = (
    put(TRAIN, "status", value=PASS),
    put(NET, "status", value="NOT_SUPPORTED_SKIP"),
    Operation(OpKind.UNSET, TRAIN, path=("reason",)),
    put(ORG, "reason", value=ISSUE),
    put(TINY, "reason", value="DRAM OOM"),
    put(GONE, "status", value=PASS),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample(tmp_path_factory.mktemp("tree"))


def _groups(checkout: Checkout, split: Split, *operations: Operation) -> dict[str, list[str]]:
    planned = plan(checkout.test_config, operations)
    assert planned.rejected == ()
    found = grouped(entry_changes(planned), operations, split, Schema().archs)
    assert all([op.id for op in group.operations] for group in found)
    return {group.key: list(dict.fromkeys(op.id for op in group.operations)) for group in found}


def test_all_in_one(checkout: Checkout) -> None:
    # A change without effect is in no commit.
    assert _groups(checkout, Split.NONE, *OPERATIONS) == {"": [TRAIN, NET, ORG, TINY]}


def test_by_reason(checkout: Checkout) -> None:
    assert _groups(checkout, Split.REASON, *OPERATIONS) == {
        "DRAM OOM": [NET, TINY],
        ISSUE: [ORG],
        "Bad StatusOr access": [TRAIN],
    }


def test_by_issue(checkout: Checkout) -> None:
    assert _groups(checkout, Split.ISSUE, *OPERATIONS) == {"": [TRAIN, NET, TINY], "tenstorrent/tt-xla#7": [ORG]}


def test_by_arch(checkout: Checkout) -> None:
    assert _groups(checkout, Split.ARCH, *OPERATIONS) == {"n150, p150": [TRAIN, ORG, TINY], "n300-llmbox": [NET]}


def test_by_what_they_follow_from(checkout: Checkout) -> None:
    causes = {TRAIN: "broke since nightly-9", TINY: "broke since nightly-9", NET: "fixed"}
    planned = plan(checkout.test_config, OPERATIONS)
    found = grouped(entry_changes(planned), OPERATIONS, Split.CAUSE, Schema().archs, causes)
    assert {group.key: [change.id for change in group.changes] for group in found} == {
        "broke since nightly-9": [TINY, TRAIN],
        "fixed": [NET],
        "": [ORG],
    }


def test_ids_that_take_each_others_name_stay_together(checkout: Checkout) -> None:
    swap = (
        Operation(OpKind.REMOVE, GONE),
        Operation(OpKind.RENAME, TRAIN, to=GONE),
        put(GONE, "reason", value="new words"),
        put(TINY, "reason", value="other words"),
    )
    groups = _groups(checkout, Split.REASON, *swap)
    assert list(groups.values()) == [[TINY], [GONE, TRAIN]]


@given(st.permutations(OPERATIONS), st.sampled_from(Split))
def test_every_operation_that_changes_something_is_in_one_group(
    checkout: Checkout, operations: list[Operation], split: Split
) -> None:
    planned = plan(checkout.test_config, operations)
    found = [
        op for group in grouped(entry_changes(planned), operations, split, Schema().archs) for op in group.operations
    ]
    assert sorted(map(repr, found)) == sorted(repr(op) for op in operations if op.id != GONE)
