# SPDX-License-Identifier: Apache-2.0
"""How alike two tensors are: the one place for correlations, and for what makes tensors comparable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

_CHUNK = 1 << 15
"""Elements compared at a time: they fit into the cache, and are too few for torch to use other threads."""


def pearson(test: torch.Tensor, reference: torch.Tensor) -> float | None:
    """Pearson correlation of two tensors, in float64.

    None if undefined: different shapes, fewer than two elements, a constant, not finite.
    """
    if test.shape != reference.shape or reference.numel() < 2:
        return None
    if reference.dtype.is_complex:
        return pearson(torch.view_as_real(test), torch.view_as_real(reference))
    means = [_mean(one) for one in (test, reference)]
    sums = torch.zeros(3, dtype=torch.float64)
    for x, y in chunks(test, reference):
        x, y = x - means[0], y - means[1]
        sums += torch.stack([x @ x, y @ y, x @ y])
    scale = math.sqrt(sums[0]) * math.sqrt(sums[1]) if bool(torch.isfinite(sums).all()) else 0.0
    return min(1.0, max(-1.0, float(sums[2]) / scale)) if scale else None


def upstream_pcc(x: torch.Tensor, y: torch.Tensor, *, rtol: float, atol: float) -> float:
    """The PCC of two tensors of float64 as upstream's comparator has it, to the last bit (docs/rules.md 4.2).

    1 for tensors that are close: for those the formula is ill conditioned. 0 for single elements, NaN for a constant.
    """
    if torch.allclose(x, y, rtol=rtol, atol=atol):
        return 1.0
    if x.numel() == 1:
        return 0.0
    a, b = x.flatten() - x.mean(), y.flatten() - y.mean()
    scale = a.norm() * b.norm()
    return float(a @ b / scale) if scale != 0 else math.nan


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a tensor as a dense one on the CPU, without gradient, quantization or lazy conjugation."""
    tensor = tensor.detach().cpu()
    if tensor.layout != torch.strided:
        tensor = tensor.to_dense()
    return tensor.dequantize() if tensor.is_quantized else tensor.resolve_conj().resolve_neg()


def chunks(test: torch.Tensor, reference: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Both tensors as vectors in double precision, one part at a time."""
    wide = torch.complex128 if reference.dtype.is_complex else torch.float64
    # Flattening copies expanded and transposed tensors, but not contiguous ones.
    one, other = test.flatten(), reference.flatten()
    for start in range(0, other.numel(), _CHUNK):
        x, y = (flat[start : start + _CHUNK].to(wide) for flat in (one, other))
        yield x, y


def same_elements(test: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    """Where two tensors are equal; infinities of the same sign, and NaN on both sides, are."""
    return (test == reference) | (test.isnan() & reference.isnan())


def dtype_name(tensor: torch.Tensor) -> str:
    """`bfloat16` for `torch.bfloat16`."""
    return str(tensor.dtype).removeprefix("torch.")


def _mean(tensor: torch.Tensor) -> Any:
    total: Any = sum(x.sum() for x, _ in chunks(tensor, tensor))
    return total / tensor.numel()
