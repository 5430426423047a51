# SPDX-License-Identifier: Apache-2.0
"""Helpers that several loaders share."""

from typing import Optional

import torch


def cast_input_to_type(tensor: torch.Tensor, dtype_override: Optional[torch.dtype]) -> torch.Tensor:
    """`tensor` in `dtype_override`; integers, booleans and the absence of an override leave it as it is."""
    if dtype_override is None or not tensor.is_floating_point():
        return tensor
    return tensor.to(dtype_override)


def cast_model_to_type(model: torch.nn.Module, dtype_override: Optional[torch.dtype]) -> torch.nn.Module:
    """`model` with its floating-point parameters and buffers in `dtype_override`, where one is given."""
    return model if dtype_override is None else model.to(dtype_override)


def random_normal(*shape: int, dtype: Optional[torch.dtype] = None, seed: int = 0) -> torch.Tensor:
    """The same normally distributed numbers on every machine, drawn in float32 and then cast."""
    generator = torch.Generator().manual_seed(seed)
    return cast_input_to_type(torch.randn(*shape, generator=generator), dtype)


def random_tokens(*shape: int, vocabulary: int, seed: int = 0) -> torch.Tensor:
    """The same token ids below `vocabulary` on every machine, int64."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(vocabulary, shape, generator=generator)
