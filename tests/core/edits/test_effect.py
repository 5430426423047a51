# SPDX-License-Identifier: Apache-2.0
"""The cells a plan changes."""

from pathlib import Path

import pytest

from core.cli.demo_walk import STALE
from core.edits.effect import CellChange, effect
from core.edits.operations import Operation, OpKind
from core.edits.plan import plan
from core.matrix.ci import read_ci, selected
from core.matrix.index import Matrix, index
from core.model import Status
from core.sources.model_info import read_model_infos
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_jobs_follow_the_entry(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    promote = Operation(OpKind.SET, STALE, path=("status",), value="EXPECTED_PASSING")
    changes = effect(matrix, plan(matrix.checkout.test_config, [promote], matrix.schema), ci)
    lost = {job for change in changes for job in change.jobs_lost}
    assert lost <= set(selected(ci).of(matrix.rows[STALE]))
    assert {job.runs_on for job in lost} == {change.arch for change in changes if change.jobs_lost}
    assert lost


def test_a_marker_alone_can_move_a_test_to_another_job(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    weekly = "conv_classifier/pytorch-Width_16-single_device-inference"
    mark = Operation(OpKind.SET, weekly, path=("markers",), value=["push", "nightly"])
    changes = effect(matrix, plan(matrix.checkout.test_config, [mark], matrix.schema), ci)
    assert changes
    assert all(change.before is change.after for change in changes)
    assert any(change.jobs_gained for change in changes)


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
