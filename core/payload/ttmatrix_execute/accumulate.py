# SPDX-License-Identifier: Apache-2.0
"""Sum in float32 where XLA on CPU would round every single addition to bfloat16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_ATEN = torch.ops.aten
_REDUCTIONS = frozenset({_ATEN.sum.default, _ATEN.sum.dim_IntList, _ATEN.mean.default, _ATEN.mean.dim})


class WideSums(TorchDispatchMode):
    """Within it, sums of narrow floats are made in float32 and rounded once.

    PyTorch and every accelerator do so. XLA's CPU compiler rounds after each addition instead, which leaves the
    gradient of a bias (a sum over batch and image) with hardly a digit: an error of this compiler, not of the model.
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if not args or not _narrow(args[0]):
            return func(*args, **kwargs)
        if func in _REDUCTIONS and kwargs.get("dtype") is None:
            return func(args[0].float(), *args[1:], **kwargs).to(args[0].dtype)
        if func is _ATEN.convolution_backward.default:
            return _convolution_backward(func, args)
        return func(*args, **kwargs)


def _convolution_backward(func: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """As the original, with the gradient of the bias summed apart."""
    *head, (wants_input, wants_weight, wants_bias) = args
    gradient = args[0]
    of_input, of_weight, of_bias = func(*head, (wants_input, wants_weight, False))
    if wants_bias:
        others = [dimension for dimension in range(gradient.dim()) if dimension != 1]
        of_bias = gradient.float().sum(others).to(gradient.dtype)
    return of_input, of_weight, of_bias


def _narrow(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16)
