# SPDX-License-Identifier: Apache-2.0
"""The tests of one model: functions, ids and parameters as upstream's (docs/rules.md 1.2, 1.5, 1.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from .models import Model

TORCH, JAX, LLM = "test_all_models_torch", "test_all_models_jax", "test_llms_torch"
OP_BY_OP, PLACEHOLDER = "test_all_models_op_by_op", "test_placeholder_models"
FUNCTIONS = (TORCH, JAX, LLM, OP_BY_OP, PLACEHOLDER)
"""In the order of collection."""

_MODES = ("inference", "training")
_PARALLELISMS = ("single_device", "data_parallel", "tensor_parallel")
_SEQ_LENS = (None, 128, 1024, 2048, 4096, 8192)
_BATCH_SIZES = (1, 4)
_MESHES = (None, (1, 4), (2, 2), (1, 8), (2, 4), (4, 8))


@dataclass(frozen=True)
class Sharding:
    """How an LLM test spreads the model."""

    id: str
    strategy: str | None = None
    shard_inputs: bool = False

    @property
    def parallelism(self) -> str:
        return "single_device" if self.id == "single_device" else "tensor_parallel"


_SHARDINGS = (
    Sharding("single_device"),
    Sharding("tensor_parallel"),
    Sharding("megatron-no_dp-tensor_parallel", "megatron"),
    Sharding("fsdp-no_dp-tensor_parallel", "fsdp"),
    Sharding("fsdp-dp-tensor_parallel", "fsdp", True),
    Sharding("megatron-dp-tensor_parallel", "megatron", True),
)


@dataclass(frozen=True)
class Case:
    """One test."""

    function: str
    id: str
    model: Model | None
    """None: a placeholder."""
    mode: str = "inference"
    parallelism: str = "single_device"
    """In the words of markers and reports: explicit strategies count as tensor parallel."""
    phase: str = "default"
    batch_size: int | None = None
    """For LLM tests only, over all devices together."""
    seq_len: int | None = None
    mesh: tuple[int, int] | None = None
    strategy: str | None = None
    shard_inputs: bool = False
    skip_reason: str = ""
    """Why upstream skips this combination of parameters; empty: it does not."""

    @property
    def name(self) -> str:
        """The last part of the node id."""
        return f"{self.function}[{self.id}]"


def cases(model: Model) -> Iterator[Case]:
    """All tests of `model`, op-by-op twins included, in the order of upstream's parameters."""
    if not model.prefill:
        function = JAX if model.framework == "jax" else TORCH
        for parallelism, mode in product(_PARALLELISMS, _MODES):
            yield Case(function, f"{model.base}-{parallelism}-{mode}", model, mode, parallelism)
        for mode in _MODES:
            yield Case(OP_BY_OP, f"{model.base}-single_device-{mode}", model, mode)
    if model.framework != "jax" and (model.prefill or hasattr(model.loader_class, "load_inputs_decode")):
        yield from _llm_cases(model, "llm_prefill" if model.prefill else "llm_decode")


def placeholder(key: str) -> Case:
    """The test of a model that has no loader yet."""
    return Case(PLACEHOLDER, key, None)


def _llm_cases(model: Model, phase: str) -> Iterator[Case]:
    for seq_len, batch, sharding, mesh, mode in product(_SEQ_LENS, _BATCH_SIZES, _SHARDINGS, _MESHES, _MODES):
        shape = f"seq_{seq_len or 1}-batch_{batch}-{sharding.id}-mesh_{f'{mesh[0]}x{mesh[1]}' if mesh else 'default'}"
        yield Case(
            LLM,
            f"{model.base}-{phase}-{shape}-{mode}",
            model,
            mode,
            sharding.parallelism,
            phase,
            batch * mesh[0] if mesh and sharding.shard_inputs and phase == "llm_prefill" else batch,
            seq_len,
            mesh if sharding.strategy else None,
            sharding.strategy,
            sharding.shard_inputs,
            _skip_reason(phase, seq_len, batch, sharding, mesh, mode),
        )


def _skip_reason(
    phase: str, seq_len: int | None, batch: int, sharding: Sharding, mesh: tuple[int, int] | None, mode: str
) -> str:
    if reason := _mesh_reason(sharding, mesh):
        return reason
    return (
        _prefill_reason(sharding, seq_len) if phase == "llm_prefill" else _decode_reason(sharding, seq_len, batch, mode)
    )


def _mesh_reason(sharding: Sharding, mesh: tuple[int, int] | None) -> str:
    if sharding.strategy is None:
        return "" if mesh is None else f"{sharding.id} needs the default mesh"
    if mesh is None:
        return f"{sharding.id} needs a mesh"
    if mesh[0] == 1 and (sharding.strategy != "megatron" or sharding.shard_inputs):
        return f"{sharding.id} needs a mesh of several rows"
    return ""


def _decode_reason(sharding: Sharding, seq_len: int | None, batch: int, mode: str) -> str:
    if seq_len is not None:
        return "decode takes no sequence length"
    if batch != 1:
        return "decode needs batch 1"
    if mode == "training":
        return "decode does not train"
    return "" if sharding.strategy is None else "decode takes no explicit strategy"


def _prefill_reason(sharding: Sharding, seq_len: int | None) -> str:
    if seq_len is None:
        return "prefill needs a sequence length"
    return "prefill needs an explicit strategy" if sharding.id == "tensor_parallel" else ""
