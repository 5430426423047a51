# SPDX-License-Identifier: Apache-2.0
"""Whether the body of a selected test runs, or skips itself at once (docs/rules.md 1.6, 4.1)."""

from core.ci.markers import Traits
from core.domain.ids import LlmShape, TestId
from core.domain.model import Entry, Function, Status
from core.matrix import status_on
from core.sources.ci import LB_BLACKHOLE

_PLAIN = ("single_device", "tensor_parallel")
_MEGATRON = "megatron-no_dp-tensor_parallel"
_DEFAULT_MESH = "mesh_default"
_ONE_ROW_MESHES = ("mesh_1x4", "mesh_1x8")
_NO_SEQUENCE = 1


def skip_reason(id: str, traits: Traits, entry: Entry | None, arch: str | None, *, force_run: bool = False) -> str:
    """Why the body of a test does not run under `--arch arch`; empty: it does.

    The reasons are checked in upstream's order, and the first one is returned. `force_run` is `--force-run`: it lifts
    only the last one, NOT_SUPPORTED_SKIP.
    """
    if traits.skipped and arch == LB_BLACKHOLE:
        return f"skipped on {LB_BLACKHOLE}"
    if traits.function is Function.LLM and (parsed := TestId.parse(id)) and (reason := llm_skip_reason(parsed)):
        return reason
    # The op-by-op twin ignores the status: it starts the whole test without an arch, and reads the files that this
    # leaves.
    gated = traits.function not in (Function.OP_BY_OP, Function.PLACEHOLDER)
    if gated and not force_run and status_on(entry, arch) is Status.NOT_SUPPORTED_SKIP:
        return "NOT_SUPPORTED_SKIP"
    return ""


def llm_skip_reason(id: TestId) -> str:
    """Why an LLM test skips its combination of parameters; empty: it runs, or is no LLM test."""
    if id.llm is None:
        return ""
    mesh = _mesh_reason(id.parallelism, id.llm.mesh)
    return mesh or (_decode_reason(id, id.llm) if id.llm.phase == "llm_decode" else _prefill_reason(id, id.llm))


def _mesh_reason(parallelism: str, mesh: str) -> str:
    if not mesh:
        # Older checkouts give LLM tests no mesh and do not check the conditions on it.
        return ""
    if parallelism in _PLAIN:
        return "" if mesh == _DEFAULT_MESH else f"{parallelism} needs the default mesh"
    if mesh == _DEFAULT_MESH:
        return f"{parallelism} needs a mesh"
    if mesh in _ONE_ROW_MESHES and parallelism != _MEGATRON:
        return f"{parallelism} needs a mesh of several rows"
    return ""


def _decode_reason(id: TestId, shape: LlmShape) -> str:
    if shape.seq_len is None:
        # The first LLM tests have no sizes, and no conditions on sizes.
        return ""
    if shape.seq_len != _NO_SEQUENCE:
        return "decode takes no sequence length"
    if shape.batch_size != 1:
        return "decode needs batch 1"
    if id.mode == "training":
        return "decode does not train"
    return "" if id.parallelism in _PLAIN else "decode takes no explicit strategy"


def _prefill_reason(id: TestId, shape: LlmShape) -> str:
    if shape.seq_len == _NO_SEQUENCE:
        return "prefill needs a sequence length"
    if shape.mesh and id.parallelism == "tensor_parallel":
        return "prefill needs an explicit strategy"
    return ""
