# SPDX-License-Identifier: Apache-2.0
"""The cells a plan changes."""

from pathlib import Path

import pytest

from core.ci import read_ci, selected
from core.cli.demo_walk import STALE
from core.domain.model import Status
from core.edits import CellChange, EditPlan, Operation, OpKind, dead_overrides, effect, odd_markers, plan, unknown_ids
from core.edits.impact import FieldChange
from core.matrix import Matrix, index
from core.sources import read_model_infos
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


def _planned(matrix: Matrix, *operations: Operation) -> EditPlan:
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    assert planned.rejected == ()
    return planned


def _effect(matrix: Matrix, *operations: Operation) -> list[CellChange]:
    return effect(matrix, _planned(matrix, *operations))


def _statuses(changes: list[CellChange]) -> list[tuple[str, str, Status | None, Status | None]]:
    return [(one.id, one.arch, one.before, one.after) for one in changes]


def test_only_archs_that_no_override_covers_change(matrix: Matrix) -> None:
    change = Operation(OpKind.SET, NET, path=("status",), value="NOT_SUPPORTED_SKIP")
    assert _effect(matrix, change) == [
        CellChange(
            NET,
            "n300-llmbox",
            Status.EXPECTED_PASSING,
            Status.NOT_SUPPORTED_SKIP,
            fields=(FieldChange("status", "EXPECTED_PASSING", "NOT_SUPPORTED_SKIP"),),
        )
    ]


def test_marking_for_other_archs(matrix: Matrix) -> None:
    change = Operation(OpKind.SET, TINY, path=("supported_archs",), value=["p150", "n300"])
    assert _effect(matrix, change) == [
        CellChange(TINY, "n150", Status.EXPECTED_PASSING, None),
        CellChange(TINY, "n300", None, Status.EXPECTED_PASSING),
    ]


def test_removing_an_entry_leaves_the_default(matrix: Matrix) -> None:
    changes = _effect(matrix, Operation(OpKind.REMOVE, ORG))
    assert _statuses(changes) == [
        (ORG, arch, Status.NOT_SUPPORTED_SKIP, Status.UNSPECIFIED) for arch in ("n150", "p150")
    ]
    assert [one.name for one in changes[0].fields] == ["status", "reason", "markers"]


def test_every_field_that_acts_otherwise_is_an_effect(matrix: Matrix) -> None:
    changes = _effect(matrix, Operation(OpKind.SET, TINY, path=("required_pcc",), value=0.98))
    assert [(one.arch, one.fields) for one in changes] == [
        (arch, (FieldChange("required_pcc", 0.99, 0.98),)) for arch in ("n150", "p150")
    ]
    assert all(one.before is one.after is Status.EXPECTED_PASSING for one in changes)


@pytest.mark.parametrize(("name", "value"), [("required_pcc", 0.99), ("assert_pcc", True), ("markers", [])])
def test_what_acts_alike_is_none(matrix: Matrix, name: str, value: object) -> None:
    assert _effect(matrix, Operation(OpKind.SET, TINY, path=(name,), value=value)) == []


def test_the_schedule_and_the_time_it_takes(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    nightly = "conv_classifier/pytorch-Width_16-single_device-inference"
    mark = Operation(OpKind.SET, nightly, path=("markers",), value=["push", "weekly"])
    changes = effect(matrix, _planned(matrix, mark), ci)
    known = ci.selector.seconds(nightly)
    assert known is not None
    assert any(change.jobs_lost for change in changes)
    for change in changes:
        assert change.markers_gained == ("push", "weekly")
        assert change.markers_lost == ("nightly",)
        assert change.seconds == known
        balance = len(change.jobs_gained) - len(change.jobs_lost)
        assert change.minutes == pytest.approx(balance * known / 60)
    assert CellChange("x", "n150", None, None).minutes is None


def test_new_ids_that_no_test_has_are_pointed_out(matrix: Matrix) -> None:
    typo = TINY.replace("single_device", "singel_device")
    renamed = unknown_ids(matrix, _planned(matrix, Operation(OpKind.RENAME, TINY, to=typo)))
    assert renamed == [f"no test has the id {typo}, so its entry has no effect; nearest: {TINY}"]
    file = matrix.entries[TINY].file
    added = Operation(OpKind.ADD, "x", value={"status": "NOT_SUPPORTED_SKIP"}, file=file)
    (said,) = unknown_ids(matrix, _planned(matrix, added))
    assert said.startswith("no test has the id x, so its entry has no effect")
    known = next(id for id in matrix.universe() if id not in matrix.entries)
    assert unknown_ids(matrix, _planned(matrix, Operation(OpKind.RENAME, TINY, to=known))) == []
    assert unknown_ids(matrix, _planned(matrix, Operation(OpKind.SET, TINY, path=("reason",), value="x"))) == []


def test_dead_overrides_of_touched_entries_are_pointed_out(matrix: Matrix) -> None:
    change = Operation(OpKind.SET, NET, path=("supported_archs",), value=["n300-llmbox"])
    assert dead_overrides(matrix, _planned(matrix, change)) == [(NET, "n150")]
    other = Operation(OpKind.SET, TINY, path=("reason",), value="x")
    assert dead_overrides(matrix, _planned(matrix, other)) == []


def test_an_entry_that_a_later_file_shadows_has_no_effect(tmp_path: Path) -> None:
    late = f"test_config:\n  {TINY}:\n    status: EXPECTED_PASSING\n"
    name = "torch_llm/test_config_inference_single_device.yaml"
    matrix = index(write_checkout(tmp_path, LOADERS, YAML | {name: late}))
    assert _effect(matrix, Operation(OpKind.SET, TINY, INFERENCE, ("status",), "EXCLUDE_MODEL")) == []


def test_a_doubtful_marker_is_reported_where_the_plan_adds_it(matrix: Matrix) -> None:
    doubtful = Operation(OpKind.SET, TINY, path=("markers",), value=["push", "Nightly"])
    (said,) = odd_markers(matrix, _planned(matrix, doubtful))
    assert said.startswith(TINY) and said.endswith("Did you mean nightly?")
    on_arch = Operation(OpKind.SET, TINY, path=("arch_overrides", "n150", "markers"), value=["n300"])
    assert "supported_archs" in odd_markers(matrix, _planned(matrix, on_arch))[0]
    assert odd_markers(matrix, _planned(matrix, Operation(OpKind.SET, TINY, path=("markers",), value=["push"]))) == []
