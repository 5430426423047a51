# SPDX-License-Identifier: Apache-2.0
"""One form over many tests becomes the right operations for each."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.doctor.doctor import diagnose
from core.domain.model import Status
from core.edits import EntryForm, Operation, OpKind, plan, with_item
from core.edits.bulk import present_text, set_fields
from core.edits.checks import without_no_ops
from core.edits.form_fields import FORM_FIELDS
from core.edits.planning import write
from core.edits.synthesis import home_file
from core.matrix import Matrix, index, resolve, status_on, supports
from tests.support.tree import INFERENCE, TRAINING, first_layout, sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
TRAIN = "alpha/pytorch-tiny-single_device-training"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_present_text(matrix: Matrix) -> None:
    assert present_text(matrix, [TINY], "", "status") == "EXPECTED_PASSING"
    assert present_text(matrix, [TINY, NET], "", "status") == "EXPECTED_PASSING"
    assert present_text(matrix, [TINY, ORG], "", "status") is None
    assert present_text(matrix, [TINY], "", "reason") == ""
    assert present_text(matrix, [NET], "n150", "reason") == "DRAM OOM"
    assert present_text(matrix, [NET], "", "supported_archs") == "n150, n300-llmbox"


def test_set_and_unset(matrix: Matrix) -> None:
    filled = {"status": "expected_passing", "reason": " ", "required_pcc": "0.98", "markers": "push, large"}
    assert set_fields(matrix, [TRAIN], "", filled) == (
        Operation(OpKind.SET, TRAIN, TRAINING, ("status",), "EXPECTED_PASSING"),
        Operation(OpKind.UNSET, TRAIN, TRAINING, ("reason",)),
        Operation(OpKind.SET, TRAIN, TRAINING, ("required_pcc",), 0.98),
        Operation(OpKind.SET, TRAIN, TRAINING, ("markers",), ["push", "large"]),
    )


def test_an_empty_text_on_an_absent_field_is_no_operation(matrix: Matrix) -> None:
    assert set_fields(matrix, [TINY], "", {"reason": ""}) == ()


def test_present_text_on_archs_is_what_counts_there(matrix: Matrix) -> None:
    assert present_text(matrix, [NET], "n150", "status") == "KNOWN_FAILURE_XFAIL"
    assert present_text(matrix, [NET], "n300-llmbox", "status") == "EXPECTED_PASSING"
    assert present_text(matrix, [NET], ("n150", "n300-llmbox"), "status") is None
    assert present_text(matrix, [NET, TINY], "p150", "reason") == ""


def test_what_holds_on_every_arch_lands_at_the_entry(matrix: Matrix) -> None:
    (op,) = set_fields(matrix, [ORG], ("n150", "p150"), {"reason": "why"})
    assert (op.op, op.path, op.value) == (OpKind.SET, ("reason",), "why")


def test_an_override_goes_once_it_says_what_the_entry_says(matrix: Matrix) -> None:
    operations = set_fields(matrix, [NET], ("n150",), {"status": "EXPECTED_PASSING", "reason": ""})
    assert {(op.op, op.path) for op in operations} == {
        (OpKind.UNSET, ("arch_overrides", "n150", "status")),
        (OpKind.UNSET, ("arch_overrides", "n150", "reason")),
    }


def test_an_arch_that_nothing_selects_the_test_on_gets_an_override_and_moves_nothing(matrix: Matrix) -> None:
    operations = set_fields(matrix, [NET], ("p150",), {"status": "NOT_SUPPORTED_SKIP", "reason": ""})
    assert [(op.op, op.path) for op in operations] == [(OpKind.SET, ("arch_overrides", "p150", "status"))]
    assert without_no_ops(matrix, operations)[0] == ()
    assert set_fields(matrix, [NET], ("p150",), {"reason": ""}) == ()


def test_every_cell_has_what_it_should_in_bulk(matrix: Matrix) -> None:
    ids = [TINY, NET, ORG, TRAIN]
    before = {id: matrix.entries[id] for id in ids}
    operations = set_fields(matrix, ids, ("p150", "n300-llmbox"), {"status": "NOT_SUPPORTED_SKIP", "reason": "no"})
    planned = plan(matrix.checkout.test_config, operations, matrix.schema)
    assert planned.rejected == ()
    write(planned, matrix.checkout.test_config)
    for id, entry in index(matrix.checkout).entries.items():
        if id not in ids:
            assert entry.fields == matrix.entries[id].fields
            continue
        for arch in (arch for arch in matrix.schema.archs if supports(before[id], arch)):
            changed = arch in ("p150", "n300-llmbox")
            assert status_on(entry, arch) is (Status.NOT_SUPPORTED_SKIP if changed else status_on(before[id], arch))
            assert resolve(entry, "reason", arch).value == (
                "no" if changed else resolve(before[id], "reason", arch).value
            )


def test_one_arch_gets_an_override(matrix: Matrix) -> None:
    (op,) = set_fields(matrix, [NET], "n150", {"assert_pcc": "false"})
    assert (op.path, op.value) == (("arch_overrides", "n150", "assert_pcc"), False)


def test_a_test_without_entry_gets_one_where_it_belongs(matrix: Matrix) -> None:
    id = "beta/causal_lm/pytorch-1B-single_device-training"
    (op,) = set_fields(matrix, [id], "p150", {"status": "EXPECTED_PASSING", "reason": ""})
    assert op == Operation(OpKind.ADD, id, TRAINING, value={"arch_overrides": {"p150": {"status": "EXPECTED_PASSING"}}})
    assert plan(matrix.checkout.test_config, [op], matrix.schema).rejected == ()


def test_no_entry_is_made_in_a_file_that_is_not_there(matrix: Matrix) -> None:
    id = "gamma/jax-Base-data_parallel-training"
    form = EntryForm(matrix, [id, TINY])
    why = rf"^{id} has no entry, and there is no file jax/test_config_training_data_parallel\.yaml for one"
    with pytest.raises(UsageError, match=why):
        form.operations("", {"reason": "why"})
    with pytest.raises(UsageError, match=r"^2 tests have no entry"):
        with_item(matrix, [id, TINY, id.replace("training", "inference")], "markers", "nightly")
    assert form.operations("", {"reason": ""}) == ()


@pytest.mark.parametrize(
    ("id", "file"),
    [
        ("gamma/jax-Base-data_parallel-training", "jax/test_config_training_data_parallel.yaml"),
        (TINY, INFERENCE),
        (
            "beta/causal_lm/pytorch-1B-llm_prefill-seq_128-batch_1-fsdp-dp-tensor_parallel-mesh_2x4-inference",
            "torch_llm/test_config_inference_tensor_parallel.yaml",
        ),
    ],
)
def test_home_file(matrix: Matrix, id: str, file: str) -> None:
    assert home_file(matrix, id) == file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("status", "PASSING"),
        ("bringup_status", "x"),
        ("required_pcc", "7"),
        ("required_pcc", "a"),
        ("assert_pcc", "off"),
    ],
)
def test_a_text_the_field_cannot_hold_is_named(matrix: Matrix, name: str, text: str) -> None:
    with pytest.raises(UsageError, match=name):
        set_fields(matrix, [TINY], "", {name: text})


def test_every_form_field_is_one_of_the_schema(matrix: Matrix) -> None:
    assert {field.name for field in FORM_FIELDS} <= set(matrix.schema.fields)


def test_before_there_were_directories_an_entry_belongs_into_test_config_itself(tmp_path: Path) -> None:
    matrix = index(first_layout(tmp_path))
    assert matrix.entry(matrix.rows[TINY])
    assert home_file(matrix, TINY) == INFERENCE.removeprefix("torch/")
    assert {finding.kind for finding in diagnose(matrix)} == {"unknown-id"}
    assert not any(id.startswith("gamma/jax") for id in matrix.ids)
