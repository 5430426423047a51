# SPDX-License-Identifier: Apache-2.0
"""Spread a model over devices through torch-xla's SPMD, as upstream's testers do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import torch

from ..settings import Settings

Spec = Mapping[torch.Tensor, tuple[str | None, ...]]
"""Axis of the mesh for each dimension, by tensor."""


def batched(inputs: Any, count: int) -> Any:
    """`inputs` repeated along the batch dimension, once for each of `count` devices."""
    if isinstance(inputs, Mapping):
        return {name: _repeated(value, count) for name, value in inputs.items()}
    if isinstance(inputs, (list, tuple)):
        return [_repeated(value, count) for value in inputs]
    return _repeated(inputs, count)


def _repeated(value: Any, count: int) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if value.dim() == 0:
        return value.repeat(count)
    return (value.unsqueeze(0) if value.dim() == 1 else value).repeat_interleave(count, dim=0)


class Sharding:
    """The mesh of a test, and how model and inputs are sharded over it.

    Raises ValueError if the loader does not support sharding over `devices`.
    """

    def __init__(self, loader: Any, settings: Settings, devices: int) -> None:
        self.loader = loader
        self.settings = settings
        shape, names = self._mesh_config(devices)
        if not shape or not names:
            raise ValueError(f"The loader gives no mesh for {devices} devices (get_mesh_config)")
        self.mesh = _make_mesh(tuple(shape), tuple(names))

    def mark(self, model: torch.nn.Module, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Shard the model and its inputs, all of which must be on the device."""
        if self.settings.parallelism == "tensor_parallel":
            self._mark(self.model_spec(model))
        if self.settings.parallelism == "data_parallel" or self.settings.shard_inputs:
            self._mark(_input_spec([*args, *kwargs.values()]))

    def mark_gradients(self, model: torch.nn.Module) -> None:
        """Shard gradients like their parameters."""
        if self.settings.parallelism == "tensor_parallel":
            spec = self.model_spec(model)
            self._mark({parameter.grad: axes for parameter, axes in spec.items() if parameter.grad is not None})

    def model_spec(self, model: torch.nn.Module) -> Spec:
        """The loader's sharding of its parameters. Raises ValueError if it gives none."""
        load = getattr(self.loader, "load_shard_spec", None)
        options = {}
        if self.settings.strategy is not None:
            options = {"strategy": self.settings.strategy, "batch_axis": self._other_axis()}
        spec = load(model, **options) if load else None
        if spec is None:
            raise ValueError("The loader gives no sharding of its model (load_shard_spec)")
        return spec  # type: ignore[no-any-return]

    def _other_axis(self) -> str:
        return "data" if self.settings.shard_inputs else "batch"

    def _mesh_config(self, devices: int) -> tuple[Any, Any]:
        if self.settings.parallelism == "data_parallel":
            return (1, devices), ("model", "data")
        if self.settings.mesh is not None:
            return self.settings.mesh, (self._other_axis(), "model")
        load: Callable[[int], tuple[Any, Any]] | None = getattr(self.loader, "get_mesh_config", None)
        return load(devices) if load else (None, None)

    def _mark(self, spec: Spec) -> None:
        import torch_xla.distributed.spmd as spmd

        for tensor, axes in spec.items():
            spmd.mark_sharding(tensor, self.mesh, tuple(axes))


def _input_spec(values: list[Any]) -> Spec:
    tensors = [value for value in values if isinstance(value, torch.Tensor) and value.dim()]
    return {tensor: ("data", *[None] * (tensor.dim() - 1)) for tensor in tensors}


def _make_mesh(shape: tuple[int, ...], names: tuple[str, ...]) -> Any:
    import numpy
    import torch_xla.distributed.spmd as spmd

    mesh = spmd.Mesh(numpy.arange(prod(shape)), shape, names)
    spmd.set_global_mesh(mesh)
    return mesh
