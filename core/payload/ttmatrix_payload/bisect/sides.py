# SPDX-License-Identifier: Apache-2.0
"""The tested side: a backend of the runner, or any other that dynamo knows or a module provides."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule

from ..backend import Backend
from ..execute import Settings, choose_backend
from ..execute.choose import BACKENDS
from ..execute.host import PLAIN, Dynamo, Eager
from ..execute.placing import copied, place_model
from ..ops.running import copy_to
from .distance import tensors_of

_CPU = torch.device("cpu")


class Side:
    """Runs graphs on one backend."""

    def __init__(self, name: str) -> None:
        """Raises BackendMissing, with a remedy, if the backend cannot work here."""
        self.name = name
        self._settings = Settings()
        self._backend = _backend(name)
        self._backend.start(self._settings)
        self.device = self._backend.device()
        self.compiles = self._backend.name not in ("eager", "xla")
        """Whether graphs are compiled ahead; else their ops are called one by one."""
        self._compiled: dict[Any, Callable[..., Any]] = {}

    @property
    def is_host(self) -> bool:
        """Whether its tensors are CPU tensors."""
        return self.device.type == "cpu"

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of a CPU tensor on the device, in the same layout."""
        return copy_to(tensor.detach(), self.device)

    def place_all(self, value: Any) -> Any:
        """A deep copy whose tensors are on the device."""
        return copied(value, self.device)

    def place_model(self, model: Any) -> Any:
        """The model on the device; a copy, unless the device is the CPU."""
        if self.is_host or not isinstance(model, torch.nn.Module):
            return model
        return place_model(copy.deepcopy(model), self.device)

    def call(self, key: Any, graph: Callable[[], GraphModule], tensors: Sequence[torch.Tensor]) -> Any:
        """Run a graph on tensors of the device and wait. Graphs of the same `key` are compiled once."""
        run = self._compiled.get(key)
        if run is None:
            run = self._compiled[key] = self.compiled(graph())
        return self.run(run, tensors)

    def compiled(self, model: torch.nn.Module) -> Callable[..., Any]:
        """A function that calls `model` on the backend."""
        return self._backend.compile(model, self._settings, _no_stage)

    def run(self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Any:
        """Call the result of `compiled`, and wait for its result and for everything that it wrote to."""
        with self._backend.numerics():
            output = function(*args, **(kwargs or {}))
        self._backend.settle(tensors_of((output, list(args), kwargs or {})), _no_stage)
        return output


def _backend(name: str) -> Backend:
    if name in BACKENDS:
        found: Backend = choose_backend(name)
        return found
    if name in PLAIN:
        return Eager()
    return Dynamo(name)


def _no_stage(_: str) -> None:
    """Ignore the stage: nobody needs it for a single op."""
