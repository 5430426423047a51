# SPDX-License-Identifier: Apache-2.0
"""Entries in two files, and in the wrong one."""

import pytest

from core.doctor.filing import DUPLICATE_KEY, MISFILED
from tests.support.findings import Find
from tests.support.tree import INFERENCE, TRAINING

ID = "alpha/pytorch-tiny-single_device-inference"
TENSOR = "torch/test_config_inference_tensor_parallel.yaml"
LLM_TENSOR = "torch_llm/test_config_inference_tensor_parallel.yaml"
LLM_ID = "beta/causal_lm/pytorch-1B-llm_prefill-seq_128-batch_1-fsdp-no_dp-tensor_parallel-mesh_2x4-inference"


def entry(id: str, status: str = "EXPECTED_PASSING") -> str:
    return f"  {id}:\n    status: {status}\n"


def test_across_files_the_one_that_never_counts_is_the_finding(find: Find) -> None:
    (one,) = find(DUPLICATE_KEY, {INFERENCE: entry(ID), TRAINING: entry("x") + entry(ID)})
    assert (one.file, one.line, one.column) == (f"tests/runner/test_config/{INFERENCE}", 2, 3)
    assert f"tests/runner/test_config/{TRAINING}:4 has the same id, is merged later and wins" in one.message
    assert one.fix == ({"op": "remove", "id": ID, "file": INFERENCE},)


def test_of_three_files_two_never_count(find: Find) -> None:
    found = find(DUPLICATE_KEY, {INFERENCE: entry(ID), TENSOR: entry(ID), TRAINING: entry(ID)})
    assert [one.file.rpartition("/")[2] for one in found] == [
        "test_config_inference_single_device.yaml",
        "test_config_inference_tensor_parallel.yaml",
    ]


def test_twice_in_one_file_is_found_while_reading(find: Find) -> None:
    (one,) = find(DUPLICATE_KEY, entry(ID) + entry(ID))
    assert (one.line, one.fix) == (4, ())


@pytest.mark.parametrize(
    ("file", "wrong"),
    [
        (TENSOR, "is single_device, not tensor_parallel"),
        (TRAINING, "is inference, not training"),
        ("jax/test_config_inference_single_device.yaml", "is torch, not jax"),
        ("torch_llm/test_config_training_single_device.yaml", "is torch, not torch_llm and inference, not training"),
    ],
)
def test_misfiled(find: Find, file: str, wrong: str) -> None:
    (one,) = find(MISFILED, {INFERENCE: entry("x"), file: entry("y") + entry(ID)})
    assert one.message == f"Belongs in {INFERENCE}: the test {wrong}"
    assert one.fix == ({"op": "move", "id": ID, "file": file, "to": INFERENCE},)


def test_no_move_to_a_file_that_is_not_there_or_has_the_id(find: Find) -> None:
    (one,) = find(MISFILED, {TENSOR: entry(ID)})
    assert one.fix == ()


def test_no_move_onto_a_duplicate(find: Find) -> None:
    (one,) = find(MISFILED, {TENSOR: entry(ID), INFERENCE: entry(ID)})
    assert one.fix == ()


@pytest.mark.parametrize(
    ("file", "id"),
    [
        (INFERENCE, ID),
        (LLM_TENSOR, LLM_ID),
        ("jax/test_config_training_data_parallel.yaml", "gamma/jax-Base-data_parallel-training"),
        ("torch/test_config_of_somebody.yaml", ID),
        ("torch/test_config_inference_moon.yaml", ID),
        (INFERENCE, "what is this"),
    ],
)
def test_what_is_right_or_is_unknown_is_no_finding(find: Find, file: str, id: str) -> None:
    assert find(MISFILED, {file: entry(id)}) == []


def test_an_llm_id_among_the_others(find: Find) -> None:
    (one,) = find(MISFILED, {LLM_TENSOR: entry("x"), TENSOR: entry(LLM_ID)})
    assert one.message == f"Belongs in {LLM_TENSOR}: the test is torch_llm, not torch"
