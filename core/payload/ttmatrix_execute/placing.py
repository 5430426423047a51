# SPDX-License-Identifier: Apache-2.0
"""Copy nested values from device to device, and put models there with what they share."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class _Moving(TorchFunctionMode):
    """Within it, a deep copy of a tensor is on `device`."""

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is not torch.Tensor.__deepcopy__:
            return func(*args, **(kwargs or {}))
        tensor, memo = args
        if id(tensor) not in memo:
            wants_gradient = tensor.requires_grad and tensor.is_leaf
            memo[id(tensor)] = tensor.detach().to(self.device, copy=True).requires_grad_(wants_gradient)
        return memo[id(tensor)]


def copied(value: Any, device: torch.device) -> Any:
    """A deep copy of `value` whose tensors, however deep, are on `device`.

    One tensor in two places stays one. Models write to their inputs (a key-value cache), so every run gets its own.
    """
    with _Moving(device):
        return copy.deepcopy(value)


def place_model(model: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """Move `model` in place; parameters that are one stay one, which torch-xla by itself does not see to."""
    shared = _shared_parameters(model)
    model = model.to(device)
    for first, *others in shared:
        parameter = model.get_parameter(first)
        for name in others:
            owner, _, attribute = name.rpartition(".")
            setattr(model.get_submodule(owner), attribute, parameter)
    return model


def _shared_parameters(model: torch.nn.Module) -> list[list[str]]:
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    return [group for group in names.values() if len(group) > 1]
