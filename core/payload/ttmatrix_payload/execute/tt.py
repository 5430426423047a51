# SPDX-License-Identifier: Apache-2.0
"""The Tenstorrent backend: tt-xla's PJRT plugin with torch-xla, and tt-xla's own `torch.compile` backend."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from ..backend import Stage
from ..settings import Settings
from .xla import Xla

NODES = Path("/dev/tenstorrent")

_PACKAGES = ("torch_xla", "pjrt_plugin_tt", "torch_plugin_tt", "tt_torch")


class Tenstorrent(Xla):
    """Compiles with tt-mlir and runs on Tenstorrent devices.

    The plugin writes the stages of compilation and execution to the stage file itself (docs/rules.md 4.5).
    """

    name = "tt"

    def missing(self) -> str | None:
        """Why Tenstorrent devices cannot be used here."""
        absent = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if absent:
            return f"{', '.join(absent)} not installed; activate tt-xla's environment (source venv/activate)"
        if not NODES.is_dir() or not any(NODES.iterdir()):
            return f"there is no device at {NODES}"
        return None

    def start(self, settings: Settings) -> None:
        """Choose the device and pass the compiler its options."""
        import torch_xla
        import torch_xla.runtime

        torch_xla.runtime.set_device_type("TT")
        if settings.parallelism != "single_device":
            # tt-mlir needs Shardy's annotations.
            os.environ["CONVERT_SHLO_TO_SHARDY"] = "1"
        super().start(settings)
        torch_xla.set_custom_compile_options(self.compile_options(settings))

    def compile_options(self, settings: Settings) -> dict[str, str]:
        """The options passed to the compiler."""
        return settings.device_options()

    def compile(self, model: Callable[..., Any], settings: Settings, stage: Stage) -> Callable[..., Any]:
        """`torch.compile` by tt-xla; training takes its older path, as upstream's tester does."""
        options = {"tt_legacy_compile": True, "tt_enable_torch_fx_fusion_pass": False} if settings.training else {}
        asked = settings.compile_options
        if weights := asked.weights:
            from tt_torch.weight_dtype import apply_weight_dtype_overrides

            apply_weight_dtype_overrides(model, dict(weights))
        return torch.compile(model, backend="tt", options={**options, **asked.torch})

    def reset(self) -> None:
        """Drop dynamo's guards; programs stay."""
        torch._dynamo.reset()
