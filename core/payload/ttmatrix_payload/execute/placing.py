# SPDX-License-Identifier: Apache-2.0
"""Copy nested values between devices, and place models there with their shared parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class _Moving(TorchFunctionMode):
    """While active, deep copies of tensors are created on `device`."""

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

    A tensor that occurs twice is copied once. Models write to their inputs (a key-value cache): every run gets its own.
    """
    with _Moving(device):
        return copy.deepcopy(value)


def place_model(model: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """Move `model` in place; shared parameters stay shared, which torch-xla by itself does not ensure."""
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
