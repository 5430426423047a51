# SPDX-License-Identifier: Apache-2.0
"""Accumulate in float32 where XLA on CPU would round every single addition to bfloat16."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ..models.widen import CONVOLUTIONS, narrow_dtype, widened

_ATEN = torch.ops.aten
_SUMS = frozenset({_ATEN.sum.default, _ATEN.sum.dim_IntList, _ATEN.mean.default, _ATEN.mean.dim})


class WideSums(TorchDispatchMode):
    """While active, sums and convolutions of narrow floats are computed in float32 and rounded once.

    PyTorch and every accelerator do so. XLA's CPU compiler rounds after each addition instead, which leaves the
    gradient of a bias (a sum over batch and image) with hardly a digit: an error of this compiler, not of the model.
    It has no fast convolution of narrow floats either.
    """

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        wide = func in CONVOLUTIONS or (func in _SUMS and kwargs.get("dtype") is None)
        dtype = narrow_dtype(args) if wide else None
        if dtype is None:
            with _as_outside(args, kwargs):
                return func(*args, **kwargs)
        return widened(func, args, kwargs, dtype)


def _as_outside(args: tuple[Any, ...], kwargs: dict[str, Any]) -> AbstractContextManager[object]:
    """Create tensors made from nothing, or from host tensors, as if no mode were active.

    PyTorch disables functionalization inside a mode, so torch-xla would create tensors that ignore writes to
    their views: `scores[:, 0] = 1` had no effect.
    """
    if any(isinstance(one, torch.Tensor) and one.device.type == "xla" for one in tree_leaves((args, kwargs))):
        return nullcontext()
    excluded = torch._C._dispatch_tls_local_exclude_set().remove(torch._C.DispatchKey.Functionalize)
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), excluded)
