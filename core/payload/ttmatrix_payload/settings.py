# SPDX-License-Identifier: Apache-2.0
"""Settings of one execution of a model, and its result."""

from __future__ import annotations

import resource
from dataclasses import dataclass, field
from pathlib import Path

from .models.compile_options import NO_OPTIONS, CompileOptions


@dataclass(frozen=True)
class Settings:
    """Settings of one test, from its id and its entry (docs/rules.md 1.5, 2.2). The defaults are upstream's."""

    mode: str = "inference"
    """`inference` or `training`."""
    phase: str = "default"
    """`default`, `llm_decode` or `llm_prefill`."""
    parallelism: str = "single_device"
    """`single_device`, `data_parallel` or `tensor_parallel`."""
    batch_size: int | None = None
    """None: 2 in training, else the loader's default. For prefill: over all devices together."""
    seq_len: int | None = None
    """Tokens, for prefill."""
    mesh: tuple[int, int] | None = None
    """Shape of the mesh; None lets the loader choose."""
    strategy: str | None = None
    """`fsdp` or `megatron` for prefill loaders; None takes the loader's own sharding."""
    shard_inputs: bool = False
    """Split inputs over the first axis of the mesh as well: the `dp` of an id."""
    required_pcc: float = 0.99
    assert_pcc: bool = True
    assert_atol: bool = False
    required_atol: float | None = None
    """A number enables the check, as `assert_atol` does with 0.16."""
    assert_allclose: bool = False
    allclose_rtol: float | None = None
    """A number enables the check, as `assert_allclose` does with 0.01."""
    allclose_atol: float | None = None
    optimization_level: int | None = None
    weight_bfp8: bool = False
    """The entry's `enable_weight_bfp8_conversion`; only `tt` supports it."""
    inject_custom_moe: bool = False
    """Only `tt` supports it."""
    measure: bool = True
    """Time two inference runs after three warm-up runs (docs/rules.md 4.2)."""
    serialize_to: Path | None = None
    """Save StableHLO and compile options in this directory, which is created."""
    filechecks: tuple[Path, ...] = ()
    """Pattern files for LLVM's FileCheck, named `<what>.<ir>.mlir`."""
    compile_options: CompileOptions = NO_OPTIONS
    """Compile options of the profile; they take precedence over the entry."""

    def device_options(self) -> dict[str, str]:
        """The options for a Tenstorrent device's compiler, from entries and profiles, by the compiler's names."""
        options = {}
        if self.optimization_level:
            options["optimization_level"] = str(self.optimization_level)
        if self.weight_bfp8:
            options["experimental_weight_dtype"] = "bfp_bf8"
        if self.serialize_to is not None:
            options["export_path"] = str(self.serialize_to)
        return {**options, **self.compile_options.values}

    @property
    def training(self) -> bool:
        """Whether there is a backward pass."""
        return self.mode == "training"

    @property
    def asserts_nothing(self) -> bool:
        """Whether every check is off, so that no comparison can fail the test."""
        return not (self.assert_pcc or self.checks_atol or self.checks_allclose)

    @property
    def checks_atol(self) -> bool:
        """Whether the largest difference is checked."""
        return self.assert_atol or self.required_atol is not None

    @property
    def checks_allclose(self) -> bool:
        """Whether closeness of every element is checked."""
        return self.assert_allclose or self.allclose_rtol is not None or self.allclose_atol is not None


@dataclass(frozen=True)
class Comparison:
    """How close the compiled run is to the CPU reference: for one output, or for all gradients."""

    pcc: float | None
    """The lowest over all tensors; may be NaN."""
    atol: float | None
    """The largest difference; may be NaN or infinite."""
    allclose: bool | None
    passed: bool
    """Whether every enabled check passed."""
    error_message: str | None = None
    """The failure message, in upstream's words; None if nothing failed."""
    floored: tuple[str, ...] = ()
    """Gradients treated as equal because both are numerically zero (`compare.GRADIENT_FLOOR`)."""


@dataclass(frozen=True)
class FileCheck:
    """The result of one pattern file."""

    pattern: str
    """Its name without the suffix: `concatenate_heads.ttnn`."""
    passed: bool | None
    """None if it was not checked, for the reason in `message`."""
    message: str | None = None


@dataclass
class Execution:
    """The result of an execution. Filled step by step, so that a failure leaves what was known before."""

    backend: str
    device: str
    """What really ran the model, for people: `CPU` or `CPU, 8 virtual devices`."""
    comparisons: list[Comparison] = field(default_factory=list)
    """For inference one; for training backward, then forward. Empty if the model raised."""
    samples: list[float] = field(default_factory=list)
    """Seconds of each timed run; empty where nothing was timed."""
    compile_seconds: float | None = None
    """Total time from the start of each compilation to that of the next execution; None: nothing was compiled."""
    ignored_options: list[str] = field(default_factory=list)
    """Compile options that the backend does not support."""
    parameters: int | None = None
    """Number of parameters of the model."""
    parameter_bytes: int | None = None
    """Bytes of all of them, in the dtypes that the model runs with."""
    weights_dtype: str | None = None
    """`bfp_bf8` if weights were converted for the device, else None, as upstream reports."""
    batch_size: int = 1
    input_shape: tuple[int, ...] = ()
    """Shape of the first input tensor."""
    filechecks: list[FileCheck] = field(default_factory=list)

    @property
    def performance(self) -> dict[str, object]:
        """The measurements: times in seconds, sizes in bytes; null if unknown."""
        mean = sum(self.samples) / len(self.samples) if self.samples else None
        return {
            "compile_s": self.compile_seconds,
            "run_s": mean,
            "samples_s": list(self.samples),
            "samples_per_s": self.batch_size / mean if mean else None,
            "batch_size": self.batch_size,
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "parameters": self.parameters,
            "parameter_bytes": self.parameter_bytes,
        }

    @property
    def model_size_billions(self) -> float | None:
        """Parameters in billions, upstream's unit."""
        return None if self.parameters is None else self.parameters / 1e9
