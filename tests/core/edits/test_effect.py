# SPDX-License-Identifier: Apache-2.0
"""The cells a plan changes."""

from pathlib import Path

import pytest

from core.edits.effect import CellChange, effect
from core.edits.operations import Operation, OpKind
from core.edits.plan import plan
from core.matrix.index import Matrix, index
from core.model import Status
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def _effect(matrix: Matrix, *operations: Operation) -> list[CellChange]:
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    assert planned.rejected == ()
    return effect(matrix, planned)


def test_only_archs_that_no_override_covers_change(matrix: Matrix) -> None:
    change = Operation(OpKind.SET, NET, path=("status",), value="NOT_SUPPORTED_SKIP")
    assert _effect(matrix, change) == [
        CellChange(NET, "n300-llmbox", Status.EXPECTED_PASSING, Status.NOT_SUPPORTED_SKIP)
    ]


def test_marking_for_other_archs(matrix: Matrix) -> None:
    change = Operation(OpKind.SET, TINY, path=("supported_archs",), value=["p150", "n300"])
    assert _effect(matrix, change) == [
        CellChange(TINY, "n150", Status.EXPECTED_PASSING, None),
        CellChange(TINY, "n300", None, Status.EXPECTED_PASSING),
    ]


def test_removing_an_entry_leaves_the_default(matrix: Matrix) -> None:
    assert _effect(matrix, Operation(OpKind.REMOVE, ORG)) == [
        CellChange(ORG, arch, Status.NOT_SUPPORTED_SKIP, Status.UNSPECIFIED) for arch in ("n150", "p150")
    ]


def test_other_fields_change_no_cell(matrix: Matrix) -> None:
    assert _effect(matrix, Operation(OpKind.SET, TINY, path=("reason",), value="x")) == []


def test_an_entry_that_a_later_file_shadows_has_no_effect(tmp_path: Path) -> None:
    late = f"test_config:\n  {TINY}:\n    status: EXPECTED_PASSING\n"
    name = "torch_llm/test_config_inference_single_device.yaml"
    matrix = index(write_checkout(tmp_path, LOADERS, YAML | {name: late}))
    assert _effect(matrix, Operation(OpKind.SET, TINY, INFERENCE, ("status",), "EXCLUDE_MODEL")) == []
