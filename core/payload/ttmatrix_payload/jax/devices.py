# SPDX-License-Identifier: Apache-2.0
"""The devices of JAX: those of a PJRT plugin, else the CPU, which can simulate several for a mesh."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..backend import Stage
    from ..settings import Settings
    from .run import JaxTest

NODES = Path("/dev/tenstorrent")
VIRTUAL_DEVICES = 2
"""How many devices the CPU simulates if `CPU_NUM_DEVICES` is not set."""

_COUNT = "CPU_NUM_DEVICES"
"""The same variable as for torch-xla."""
_FORCED = "--xla_force_host_platform_device_count"
_PLUGIN = "jax_plugin_tt"
_TT, _CPU = "tt", "cpu"


class Pjrt:
    """The devices that run tests of JAX models. Does not import jax before `start`."""

    def __init__(self) -> None:
        self.name = "tt" if _has_tt() else "xla"
        """Name in reports: `tt` for Tenstorrent devices, `xla` for everything that XLA itself compiles for."""

    @staticmethod
    def prepare() -> None:
        """Set the environment before jax looks for devices, which may already happen when a loader is imported.

        As in upstream's tests: 64-bit types, in which results are compared, and several CPU devices.
        """
        os.environ.setdefault("JAX_ENABLE_X64", "1")
        if _FORCED not in os.environ.get("XLA_FLAGS", ""):
            os.environ.setdefault("JAX_NUM_CPU_DEVICES", os.environ.get(_COUNT) or str(VIRTUAL_DEVICES))
        if _has_tt():
            os.environ.setdefault("JAX_PLATFORMS", f"{_TT},{_CPU}")

    def missing(self) -> str | None:
        """Why JAX models cannot run here."""
        if importlib.util.find_spec("jax") is None:
            return "jax is not installed; upstream uses jax 0.7.1, jaxlib 0.7.1 and flax 0.10.4"
        return None

    def start(self, settings: Settings) -> None:
        """Nothing to do: `prepare` was called before jax was imported."""

    def model_test(self, loader: Any, settings: Settings, stage: Stage) -> JaxTest:
        """A test of a JAX model."""
        from .run import JaxTest

        return JaxTest(loader, settings, self, stage)

    def devices(self) -> list[Any]:
        """The devices under test. Starts the runtime."""
        import jax

        return list(jax.devices())

    def hosts(self) -> list[Any]:
        """The CPU devices, which compute the references. Starts the runtime."""
        import jax

        return list(jax.devices(_CPU))

    def device_count(self) -> int:
        """How many devices a model can be spread over. Starts the runtime."""
        return len(self.devices())

    def device_text(self, count: int) -> str:
        """The hardware that really runs a model on `count` devices, for people. Starts the runtime."""
        kind = str(self.devices()[0].platform).upper()
        return kind if count == 1 else f"{kind}, {count} {'virtual ' if kind == 'CPU' else ''}devices"


def _has_tt() -> bool:
    return importlib.util.find_spec(_PLUGIN) is not None and NODES.is_dir() and any(NODES.iterdir())
