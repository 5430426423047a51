# SPDX-License-Identifier: Apache-2.0
"""The names that expectation files, validator and discovery agree on."""

PLACEHOLDERS_FILENAME = "test_config_placeholders.yaml"
"""Lists models that are planned; no other file of this directory may have this name."""

FRAMEWORKS = ("torch", "jax", "torch_llm")
"""Directories of expectation files, in the order they are read."""

ALLOWED_ARCHES = {
    "n150",
    "p150",
    "n300",
    "n300-llmbox",
    "galaxy-wh-6u",
    "galaxy-bh",
    "qb2-blackhole",
    "lb-blackhole",
}
"""What may be in `supported_archs` and below `arch_overrides`."""

ALLOWED_FIELDS = {
    # What is expected, and why.
    "status",
    "bringup_status",
    "reason",
    # Where and when it runs.
    "supported_archs",
    "markers",
    "arch_overrides",
    # How results are compared.
    "required_pcc",
    "assert_pcc",
    "required_atol",
    "assert_atol",
    "allclose_rtol",
    "allclose_atol",
    "assert_allclose",
    # How the model is run and compiled.
    "batch_size",
    "execution_pass",
    "optimization_level",
    "enable_weight_bfp8_conversion",
    "inject_custom_moe",
    # What is checked besides the numbers.
    "filechecks",
    "emitpy_assert_exact",
}
"""What an entry may hold."""

RUN_MODES_STANDARD = ("inference", "training")
PARALLELISMS_STANDARD = ("single_device", "data_parallel", "tensor_parallel")

LLM_PHASES = {"load_inputs_decode": "llm_decode", "load_inputs_prefill": "llm_prefill"}
"""The phase a language model is tested in, by the method its loader must have for it."""

LLM_SEQUENCE_LENGTHS = (128, 1024, 2048, 4096, 8192)
LLM_BATCH_SIZES = (1, 4)
RUN_MODES_LLM = ("inference", "training")
PARALLELISMS_LLM = (
    "single_device",
    "tensor_parallel",
    "megatron-no_dp-tensor_parallel",
    "fsdp-no_dp-tensor_parallel",
    "fsdp-dp-tensor_parallel",
    "megatron-dp-tensor_parallel",
)
LLM_MESH_SHAPES = ("mesh_default", "mesh_1x4", "mesh_2x2", "mesh_1x8", "mesh_2x4", "mesh_4x8")

TORCH_EXCLUDED_MODEL_DIRS = {"suryaocr"}
"""Directories whose torch loader is not discovered."""
