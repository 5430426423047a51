# SPDX-License-Identifier: Apache-2.0
"""Which selected tests run their body."""

from dataclasses import replace

import pytest

from core.ci.jobs import llm_skip_reason, skip_reason
from core.ci.markers import Traits
from core.domain.ids import LlmShape, TestId
from core.domain.model import Entry, Function, Loader
from core.matrix.universe import collected_members
from core.sources import Schema

TRAITS = Traits(Function.TORCH, "single_device", "inference", "red", skipped=False)
ID = "a/pytorch-x-single_device-inference"
SKIP = Entry(ID, "f.yaml", 1, 1, {"arch_overrides": {"n150": {"status": "NOT_SUPPORTED_SKIP"}}})


def _parsed(text: str) -> TestId:
    parsed = TestId.parse(text)
    assert parsed is not None
    return parsed


def test_a_model_runs_2_decode_and_300_prefill_combinations() -> None:
    loader = Loader("b/pytorch", ("1B",), ("1B",), has_decode=True)
    parsed = [_parsed(member.id) for member in collected_members([loader], Schema(), [])]
    runnable = [one.llm.phase for one in parsed if one.llm is not None and not llm_skip_reason(one)]
    assert (runnable.count("llm_decode"), runnable.count("llm_prefill")) == (2, 300)


@pytest.mark.parametrize(
    ("middle", "said"),
    [
        ("llm_decode-seq_1-batch_1-single_device-mesh_2x2", "default mesh"),
        ("llm_prefill-seq_128-batch_1-megatron-dp-tensor_parallel-mesh_default", "needs a mesh"),
        ("llm_prefill-seq_128-batch_1-megatron-dp-tensor_parallel-mesh_1x8", "several rows"),
        ("llm_decode-seq_128-batch_1-single_device-mesh_default", "sequence length"),
        ("llm_decode-seq_1-batch_4-single_device-mesh_default", "batch 1"),
        ("llm_decode-seq_1-batch_1-megatron-no_dp-tensor_parallel-mesh_1x4", "explicit strategy"),
        ("llm_prefill-seq_1-batch_1-single_device-mesh_default", "sequence length"),
        ("llm_prefill-seq_128-batch_1-tensor_parallel-mesh_default", "explicit strategy"),
    ],
)
def test_each_condition_says_what_it_is(middle: str, said: str) -> None:
    assert said in llm_skip_reason(_parsed(f"a/pytorch-x-{middle}-inference"))


def test_the_first_condition_that_holds_is_reported() -> None:
    text = "a/pytorch-x-llm_decode-seq_128-batch_4-single_device-mesh_default-training"
    assert "sequence length" in llm_skip_reason(_parsed(text))
    assert "train" in llm_skip_reason(_parsed(text.replace("seq_128-batch_4", "seq_1-batch_1")))


def test_without_a_mesh_the_conditions_that_came_with_it_do_not_hold() -> None:
    shape = LlmShape("llm_prefill", 128, 1, "")
    id = TestId("a/pytorch", "x", "tensor_parallel", "inference", shape)
    assert llm_skip_reason(id) == ""
    assert "sequence length" in llm_skip_reason(replace(id, llm=replace(shape, seq_len=1)))


def test_other_tests_have_no_such_conditions() -> None:
    assert llm_skip_reason(_parsed(ID)) == ""


def test_a_skipped_status_counts_on_its_arch_unless_forced() -> None:
    assert skip_reason(ID, TRAITS, SKIP, "n150") == "NOT_SUPPORTED_SKIP"
    assert skip_reason(ID, TRAITS, SKIP, "p150") == ""
    assert skip_reason(ID, TRAITS, SKIP, "n150", force_run=True) == ""
    assert skip_reason(ID, TRAITS._replace(function=Function.OP_BY_OP), SKIP, "n150") == ""


def test_the_conftest_skips_first_and_whatever_is_forced() -> None:
    traits = TRAITS._replace(skipped=True)
    assert "lb-blackhole" in skip_reason(ID, traits, None, "lb-blackhole", force_run=True)
    assert skip_reason(ID, traits, None, "n150") == ""


def test_llm_tests_are_asked_for_their_combination() -> None:
    traits = TRAITS._replace(function=Function.LLM)
    id = "a/pytorch-x-llm_decode-seq_1-batch_4-single_device-mesh_default-inference"
    assert skip_reason(id, traits, None, None) == "decode needs batch 1"
    assert skip_reason(id.replace("batch_4", "batch_1"), traits, None, None) == ""
