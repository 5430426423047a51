# SPDX-License-Identifier: Apache-2.0
"""Sum products of narrow floats in float32 and round once, as accelerators and CPUs with bfloat16 support do."""

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
    """The common dtype of all floating-point tensors in `values`, if they have one and it is narrow.

    Otherwise None: PyTorch itself reports mixed dtypes.
    """
    tensors = (one for one in tree_leaves(values) if isinstance(one, torch.Tensor))
    found = {one.dtype for one in tensors if one.is_floating_point()}
    return next(iter(found)) if len(found) == 1 and found <= set(_NARROW) else None


def widened(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype) -> Any:
    """The result of `func` for `args`, computed in float32 and rounded to `dtype`."""
    result = func(*tree_map(lambda one: _cast(one, dtype, torch.float32), args), **kwargs)
    return tree_map(lambda one: _cast(one, torch.float32, dtype), result)


def host_numerics() -> AbstractContextManager[object]:
    """A context for runs on the CPU: without bfloat16 support it takes minutes instead of the seconds for float32."""
    return nullcontext() if host_knows_bfloat16() else _WideProducts()


def host_knows_bfloat16() -> bool:
    """Whether this CPU has native bfloat16 matrix multiplication."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def wide_decompositions() -> dict[Any, Callable[..., Any]]:
    """Decompositions for a compiler: each operation as one in float32, between casts."""

    def wide(func: Any) -> Callable[..., Any]:
        def decomposed(*args: Any, **kwargs: Any) -> Any:
            dtype = narrow_dtype(args)
            return NotImplemented if dtype is None else widened(func, args, kwargs, dtype)

        return decomposed

    return {func: wide(func) for func in (*CONVOLUTIONS, *PRODUCTS)}


class _WideProducts(TorchDispatchMode):
    """While active, convolutions and matrix products are computed in float32."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        wide = func in CONVOLUTIONS or func in PRODUCTS
        dtype = narrow_dtype(args) if wide else None
        return func(*args, **(kwargs or {})) if dtype is None else widened(func, args, kwargs or {}, dtype)


def _cast(value: Any, old: torch.dtype, new: torch.dtype) -> Any:
    return value.to(new) if isinstance(value, torch.Tensor) and value.dtype == old else value
