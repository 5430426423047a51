# SPDX-License-Identifier: Apache-2.0
"""The torch-xla backend: any PJRT device that is available, the CPU if none is named."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any

import torch

from ..backend import COMPILATION, EXECUTION, Stage
from ..models.compile_options import ALL_HONOURED
from ..settings import Settings
from .accumulate import WideSums
from .pytorch import PyTorchTest

VIRTUAL_DEVICES = 2
"""How many devices the CPU simulates for a parallel test without a mesh: the smallest parallel number."""

_DEVICE = "PJRT_DEVICE"
_COUNT = "CPU_NUM_DEVICES"
_LEVEL = "--xla_backend_optimization_level"


class Xla:
    """Lazy tensors, lowered to StableHLO and compiled by XLA, one program per part of a test.

    torch_xla is imported where it is needed: the import takes seconds, and a runtime that is
    started before a fork hangs in the child.
    """

    name = "xla"
    _wide_sums = True

    def missing(self) -> str | None:
        """Why torch-xla cannot work here. Selects the CPU if no other device is named, before the runtime starts."""
        if importlib.util.find_spec("torch_xla") is None:
            return "torch_xla is not installed; it must be of the same version as torch: pip install torch-xla"
        os.environ.setdefault(_DEVICE, "CPU")
        return None

    def start(self, settings: Settings) -> None:
        """Set the number of devices while that is still possible, and the mode of parallel tests."""
        import torch_xla
        import torch_xla.runtime

        os.environ.setdefault(_DEVICE, "CPU")
        level = settings.compile_options.level
        if level is not None and self.name != ALL_HONOURED:
            # Read only once, when the runtime starts.
            os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_LEVEL}={level}".strip()
        self._wide_sums = settings.compile_options.flag("fp32_dest_acc_en", True)
        if settings.parallelism != "single_device":
            if os.environ[_DEVICE] == "CPU" and not torch_xla._XLAC._xla_runtime_is_initialized():
                os.environ.setdefault(_COUNT, str(prod(settings.mesh) if settings.mesh else VIRTUAL_DEVICES))
            torch_xla.runtime.use_spmd()
        # Otherwise the autograd engine has no queue for the device after a backward pass on the CPU: pytorch/xla#4174.
        torch_xla._XLAC._init_computation_client()

    def device_count(self) -> int:
        """Number of devices on all hosts."""
        import torch_xla.runtime

        return int(torch_xla.runtime.global_runtime_device_count())

    def model_test(self, loader: Any, settings: Settings, stage: Stage) -> PyTorchTest:
        """A test of a PyTorch model."""
        return PyTorchTest(loader, settings, self, stage)

    def device_text(self) -> str:
        """The kind of device, and the number if there are several."""
        import torch_xla.runtime

        kind, count = torch_xla.runtime.device_type(), self.device_count()
        if count == 1:
            return str(kind)
        return f"{kind}, {count} {'virtual ' if kind == 'CPU' else ''}devices"

    def device(self) -> torch.device:
        """The first device, or the virtual device for all if they act as one."""
        import torch_xla

        first: torch.device = torch_xla.device()
        return first

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """None: XLA's own are in XLA_FLAGS."""
        return {}

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """The model itself: calling it records a program, which `settle` compiles and runs."""
        return model

    def numerics(self) -> AbstractContextManager[object]:
        """Sums in float32, on the CPU, unless a profile turns that off."""
        import torch_xla.runtime

        return WideSums() if self._wide_sums and torch_xla.runtime.device_type() == "CPU" else nullcontext()

    def settle(self, tensors: Iterable[torch.Tensor], stage: Stage) -> None:
        """Compile, run, wait; each as its own step, so that a failure can be assigned to a stage."""
        import torch_xla

        outstanding = [tensor for tensor in tensors if tensor.device.type == "xla"]
        stage(COMPILATION)
        torch_xla._XLAC._xla_warm_up_cache(outstanding, [])
        stage(EXECUTION)
        torch_xla._XLAC._xla_sync_multi(outstanding, [str(self.device())], True)

    def reset(self) -> None:
        """Nothing: programs are cached by what they compute, which speeds up the next test."""

    def take_graphs(self) -> list[tuple[str, str]]:
        """None: ops are recorded one by one."""
        return []

    def stablehlo(self, tensors: Iterable[torch.Tensor]) -> str | None:
        """The text of the program."""
        import torch_xla.core.xla_model

        outstanding = [tensor for tensor in tensors if tensor.device.type == "xla"]
        return str(torch_xla.core.xla_model.get_stablehlo(outstanding))
