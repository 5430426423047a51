# SPDX-License-Identifier: Apache-2.0
"""Add up products of narrow floats in float32 and round once, as accelerators do, and CPUs that know bfloat16."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

_ATEN = torch.ops.aten
_NARROW = (torch.bfloat16, torch.float16)
CONVOLUTIONS = frozenset(
    {
        _ATEN.convolution.default,
        _ATEN.convolution_overrideable.default,
        _ATEN.convolution_backward.default,
        _ATEN.convolution_backward_overrideable.default,
    }
)
PRODUCTS = frozenset({_ATEN.mm.default, _ATEN.addmm.default, _ATEN.bmm.default, _ATEN.baddbmm.default})


def narrow_dtype(values: Any) -> torch.dtype | None:
    """The dtype of all floating-point tensors in `values`, where it is one and narrow.

    Else None: a mismatch is for PyTorch to complain of.
    """
    tensors = (one for one in tree_leaves(values) if isinstance(one, torch.Tensor))
    found = {one.dtype for one in tensors if one.is_floating_point()}
    return next(iter(found)) if len(found) == 1 and found <= set(_NARROW) else None


def widened(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype) -> Any:
    """What `func` gives for `args`, worked out in float32 and rounded to `dtype`."""
    result = func(*tree_map(lambda one: _cast(one, dtype, torch.float32), args), **kwargs)
    return tree_map(lambda one: _cast(one, torch.float32, dtype), result)


def host_numerics() -> AbstractContextManager[object]:
    """Surrounds what runs on the CPU: one that does not know bfloat16 takes minutes where float32 takes seconds."""
    return nullcontext() if host_knows_bfloat16() else _WideProducts()


def host_knows_bfloat16() -> bool:
    """Whether this CPU multiplies matrices of bfloat16 by itself."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def wide_decompositions() -> dict[Any, Callable[..., Any]]:
    """The same for a compiler: each operation as one in float32, between casts."""

    def wide(func: Any) -> Callable[..., Any]:
        def decomposed(*args: Any, **kwargs: Any) -> Any:
            dtype = narrow_dtype(args)
            return NotImplemented if dtype is None else widened(func, args, kwargs, dtype)

        return decomposed

    return {func: wide(func) for func in (*CONVOLUTIONS, *PRODUCTS)}


class _WideProducts(TorchDispatchMode):
    """Within it, convolutions and products of matrices are made in float32."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        wide = func in CONVOLUTIONS or func in PRODUCTS
        dtype = narrow_dtype(args) if wide else None
        return func(*args, **(kwargs or {})) if dtype is None else widened(func, args, kwargs or {}, dtype)


def _cast(value: Any, old: torch.dtype, new: torch.dtype) -> Any:
    return value.to(new) if isinstance(value, torch.Tensor) and value.dtype == old else value
