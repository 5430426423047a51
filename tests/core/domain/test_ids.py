# SPDX-License-Identifier: Apache-2.0
"""Ids are taken apart and put together again without loss."""

import pytest
from hypothesis import given, strategies as st

from core.domain.ids import LlmShape, TestId
from core.domain.model import Framework, Function

_SEGMENT = st.text("abcdefghijklmnopqrstuvwxyzABC0123456789_.+-", min_size=1, max_size=12)
_DIRECTORY = st.builds(
    "/".join, st.lists(_SEGMENT.filter(lambda s: s not in ("pytorch", "jax")), min_size=1, max_size=3)
)
_VARIANT = st.none() | st.text("abcXYZ0189_.+/", min_size=1, max_size=20).filter(
    lambda s: "/pytorch" not in s and "/jax" not in s
)
_MODE = st.sampled_from(["inference", "training"])
_PLAIN = st.builds(
    TestId,
    directory=st.builds("{}/{}".format, _DIRECTORY, st.sampled_from(["pytorch", "jax"])),
    variant=_VARIANT,
    parallelism=st.sampled_from(["single_device", "data_parallel", "tensor_parallel"]),
    mode=_MODE,
    full=st.booleans(),
)
_LLM = st.builds(
    TestId,
    directory=st.builds("{}/pytorch".format, _DIRECTORY),
    variant=_VARIANT,
    parallelism=st.sampled_from(
        ["single_device", "tensor_parallel", "megatron-no_dp-tensor_parallel", "fsdp-dp-tensor_parallel"]
    ),
    mode=_MODE,
    llm=st.builds(
        LlmShape,
        phase=st.sampled_from(["llm_decode", "llm_prefill"]),
        seq_len=st.sampled_from([1, 128, 8192]),
        batch_size=st.sampled_from([1, 4]),
        mesh=st.sampled_from(["mesh_default", "mesh_2x4", ""]),
    )
    | st.builds(LlmShape, st.sampled_from(["llm_decode", "llm_prefill"]), st.none(), st.none(), st.just("")),
)


@given(_PLAIN | _LLM)
def test_an_id_survives_print_and_parse(test_id: TestId) -> None:
    assert TestId.parse(str(test_id)) == test_id


@given(st.text(max_size=60))
def test_what_parses_prints_as_it_was(text: str) -> None:
    parsed = TestId.parse(text)
    assert parsed is None or str(parsed) == text


@pytest.mark.parametrize(
    ("text", "directory", "variant", "function"),
    [
        ("mnist/image/pytorch-Cnn-single_device-training", "mnist/image/pytorch", "Cnn", Function.TORCH),
        ("solar-10_7B/pytorch-single_device-inference", "solar-10_7B/pytorch", None, Function.TORCH),
        (
            "gemma3/pytorch-google/gemma-3-27b-it-tensor_parallel-inference",
            "gemma3/pytorch",
            "google/gemma-3-27b-it",
            Function.TORCH,
        ),
        ("falcon/jax-3_3B_Base-data_parallel-inference", "falcon/jax", "3_3B_Base", Function.JAX),
        (
            "llama/causal_lm/pytorch-3.2_1B-llm_prefill-seq_128-batch_4-fsdp-dp-tensor_parallel-mesh_2x4-training",
            "llama/causal_lm/pytorch",
            "3.2_1B",
            Function.LLM,
        ),
    ],
)
def test_real_ids(text: str, directory: str, variant: str | None, function: Function) -> None:
    parsed = TestId.parse(text)
    assert parsed is not None
    assert (parsed.directory, parsed.variant, parsed.function) == (directory, variant, function)


@pytest.mark.parametrize(
    "text", ["", "meta-llama/Llama 4", "alpha/onnx-x-single_device-inference", "alpha/pytorch-x-single_device"]
)
def test_what_follows_no_grammar_is_none(text: str) -> None:
    assert TestId.parse(text) is None


def test_framework_is_the_last_directory() -> None:
    parsed = TestId.parse("a/jax-b-single_device-training")
    assert parsed is not None
    assert parsed.framework is Framework.JAX


def test_a_size_that_nobody_can_mean_is_no_part_of_an_id() -> None:
    size = "9" * 5000
    found = TestId.parse(f"a/pytorch-llm_decode-seq_{size}-batch_1-single_device-inference")
    assert found is None or found.llm is None or found.llm.seq_len is None
