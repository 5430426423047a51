# SPDX-License-Identifier: Apache-2.0
"""Upstream's lists: archs, fields, LLM parameters, and what ids and markers are made of."""

from typing import NamedTuple

from core.domain.model import Function

DEFAULT_ARCHS = ("n150", "p150")
"""Archs of an entry that lists none (docs/rules.md 2.2)."""


class Schema(NamedTuple):
    """The lists of `tests/runner/test_config/constants.py`; the defaults are those of the pinned snapshot."""

    archs: tuple[str, ...] = (
        "n150",
        "p150",
        "n300",
        "n300-llmbox",
        "galaxy-wh-6u",
        "galaxy-bh",
        "qb2-blackhole",
        "lb-blackhole",
    )
    fields: tuple[str, ...] = (
        "required_pcc",
        "assert_pcc",
        "assert_atol",
        "required_atol",
        "assert_allclose",
        "allclose_rtol",
        "allclose_atol",
        "status",
        "reason",
        "bringup_status",
        "markers",
        "supported_archs",
        "batch_size",
        "arch_overrides",
        "execution_pass",
        "filechecks",
        "enable_weight_bfp8_conversion",
        "optimization_level",
        "inject_custom_moe",
        "emitpy_assert_exact",
    )
    placeholders_filename: str = "test_config_placeholders.yaml"
    config_directories: tuple[str, ...] = ("torch", "jax", "torch_llm")
    """Directories of expectation YAML, in the order they are merged: a later duplicate wins.

    They are below test_config; an empty one is test_config itself.
    """
    parallelisms: tuple[str, ...] = ("single_device", "data_parallel", "tensor_parallel")
    llm_parallelisms: tuple[str, ...] = (
        "single_device",
        "tensor_parallel",
        "megatron-no_dp-tensor_parallel",
        "fsdp-no_dp-tensor_parallel",
        "fsdp-dp-tensor_parallel",
        "megatron-dp-tensor_parallel",
    )
    llm_meshes: tuple[str, ...] = (
        "mesh_default",
        "mesh_1x4",
        "mesh_2x2",
        "mesh_1x8",
        "mesh_2x4",
        "mesh_4x8",
    )
    modes: tuple[str, ...] = ("inference", "training")
    llm_modes: tuple[str, ...] = ("inference", "training")
    llm_sequence_lengths: tuple[int, ...] = (128, 1024, 2048, 4096, 8192)
    llm_batch_sizes: tuple[int, ...] = (1, 4)
    excluded_torch_directories: tuple[str, ...] = ("suryaocr",)
    full_in_ids: bool = False
    """Whether ids have the part `full`, as before 2026."""
    torch_function: Function = Function.TORCH
    torch_parameters: tuple[str, ...] = (*parallelisms, *modes)
    """The parallelisms and modes with which PyTorch tests are collected; older checkouts have fewer."""
    jax_parameters: tuple[str, ...] = (*parallelisms, *modes)
    """The parallelisms and modes of JAX tests; empty: the checkout has no such test."""
    decode_parameters: tuple[str, ...] = ()
    """The parallelisms and modes of `test_llms_decode_torch`, whose ids have no phase."""
    has_llm_tests: bool = True
    has_op_by_op_tests: bool = True
    group_markers: tuple[str, ...] = ("red", "generality", "vulcan", "nightly", "weekly")
    """Markers that the runner's conftest gives by the group of a model; older ones have fewer."""
    has_bringup_markers: bool = True
    """Whether the conftest gives a marker by the `bringup_status` of an entry; not before the end of 2025."""
