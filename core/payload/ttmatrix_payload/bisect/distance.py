# SPDX-License-Identifier: Apache-2.0
"""How far a result is from the reference, and whether that is more than rounding explains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_flatten

from ..tensors import chunks, dtype_name, pearson, plain, same_elements

RTOL: Mapping[torch.dtype, float] = {
    torch.float64: 1e-9,
    torch.float32: 1e-4,
    torch.float16: 4e-3,
    torch.bfloat16: 1.2e-2,
}
"""Relative error allowed for one op, by the narrowest float of its arguments and result: 1.5 steps of bfloat16."""
FLOOR = 1.0
"""The absolute tolerance of an element, as a multiple of the relative tolerance times the usual size of its inputs."""
SUMS_FLOOR = 4.0
"""The same for ops that sum: their loss depends on the size of the terms."""
FINAL = 10.0
"""Allowed error of whole outputs whose true values are unknown, as a multiple of the tolerance of one op."""
NOISE = 3.0
"""How many times the reference's distance from the true values a result may be away from them."""

_NARROW = 0.15
"""For floats of 8 bits."""
_SAMPLE = 1 << 12
"""Elements used to estimate the usual size."""
_OUTLIER = 1e3
"""Elements this many times the median do not count for the usual size: masks add the lowest possible number."""


class Distance(NamedTuple):
    """How far the tensors of a result are from those of the reference; the worst value of each measure."""

    max_abs: float = 0.0
    max_rel: float = 0.0
    """Of single elements, except those whose reference is 0."""
    rel: float = 0.0
    """Of whole tensors: the norm of the difference by that of the reference."""
    pcc: float | None = None
    """None: undefined, or there is no tensor of floats."""
    excess: float = 0.0
    """The error of a whole tensor, or of an element, divided by the allowed error; it deviates above 1."""
    beyond: float = 0.0
    """The largest difference of an element after subtracting the relative tolerance."""
    mismatched: float = 0.0
    """Percent of integers and booleans that differ."""
    problem: str = ""
    """A difference that no number expresses: another shape, NaN that the reference does not have."""

    @property
    def same(self) -> bool:
        """Whether every element is equal."""
        return not (self.max_abs or self.mismatched or self.problem)

    def worse(self, other: Distance) -> Distance:
        """The worse of both for each measure."""
        known = [one for one in (self.pcc, other.pcc) if one is not None]
        return Distance(
            max(self.max_abs, other.max_abs),
            max(self.max_rel, other.max_rel),
            max(self.rel, other.rel),
            min(known, default=None),
            max(self.excess, other.excess),
            max(self.beyond, other.beyond),
            max(self.mismatched, other.mismatched),
            self.problem or other.problem,
        )


def tolerance(values: Any, asked: float | None) -> float:
    """The relative tolerance for an op with arguments and results `values`; `asked` takes precedence."""
    if asked is not None:
        return asked
    dtypes = {one.dtype for one in tensors_of(values) if one.dtype.is_floating_point or one.dtype.is_complex}
    dtypes = {one.to_real() for one in dtypes}
    return max((RTOL.get(one, _NARROW) for one in dtypes), default=0.0)


def tensors_of(values: Any) -> list[torch.Tensor]:
    """The tensors of a nested value, in order."""
    return [one for one in tree_flatten(values)[0] if isinstance(one, torch.Tensor)]


def distance(
    test: Any, reference: Any, rtol: float, ties: torch.Tensor | None = None, atol: float | None = None
) -> Distance:
    """How far `test` is from `reference`, both nested values.

    `ties`: see `_integers`. `atol`: of an element; None: derived from each tensor.
    """
    ours, _ = tree_flatten(test)
    theirs, _ = tree_flatten(reference)
    if len(ours) != len(theirs):
        return _wrong(f"{len(ours)} values, the reference has {len(theirs)}")
    total = Distance()
    for x, y in zip(ours, theirs, strict=True):
        if isinstance(y, torch.Tensor):
            total = total.worse(_tensors(x, y, rtol, ties, atol))
    return total


def usual_size(reference: torch.Tensor) -> float:
    """The root mean square of a sample of elements, without outliers, zeros and non-finite values."""
    flat = reference.flatten()
    step = max(1, flat.numel() // _SAMPLE)
    sample = flat[::step][: _SAMPLE * 2].abs().double()
    sample = sample[torch.isfinite(sample) & (sample > 0)]
    if not sample.numel():
        return 0.0
    sample = sample[sample <= _OUTLIER * sample.median()]
    return float(sample.square().mean().sqrt())


def _tensors(
    test: Any, reference: torch.Tensor, rtol: float, ties: torch.Tensor | None, atol: float | None
) -> Distance:
    if not isinstance(test, torch.Tensor):
        return _wrong(f"a {type(test).__name__}, the reference is a tensor")
    if test.shape != reference.shape:
        return _wrong(f"a shape of {list(test.shape)}, the reference has {list(reference.shape)}")
    if test.dtype != reference.dtype:
        return _wrong(f"dtype {dtype_name(test)}, the reference has {dtype_name(reference)}")
    if reference.is_meta or not reference.numel():
        return Distance()
    x, y = plain(test), plain(reference)
    if y.dtype.is_complex:
        x, y = torch.view_as_real(x), torch.view_as_real(y)
    return _floats(x, y, rtol, atol) if y.dtype.is_floating_point else _integers(x, y, ties)


def _floats(test: torch.Tensor, reference: torch.Tensor, rtol: float, atol: float | None) -> Distance:
    floor = SUMS_FLOOR * rtol * usual_size(reference) if atol is None else atol
    max_abs = max_rel = excess = beyond = 0.0
    square = norm = 0.0
    problem = ""
    for x, y in chunks(test, reference):
        same = same_elements(x, y)
        odd = ~same & ~(torch.isfinite(x) & torch.isfinite(y))
        if not problem and bool(odd.any()):
            at = int(odd.nonzero()[0])
            problem = f"{float(x[at]):g} where the reference has {float(y[at]):g}"
        same |= odd
        apart, size = (x - y).abs().masked_fill_(same, 0.0), y.abs().masked_fill_(~torch.isfinite(y), 0.0)
        max_abs = max(max_abs, float(apart.max()))
        relative = (apart / size).masked_fill_(same | (size == 0), 0.0)
        max_rel = max(max_rel, float(relative.max()))
        beyond = max(beyond, float((apart - rtol * size).max()))
        allowed = rtol * size + floor
        excess = max(excess, float((apart / allowed).masked_fill_(apart == 0, 0.0).max()))
        square += float(apart.square().sum())
        norm += float(size.square().sum())
    rel = math.sqrt(square / norm) if norm else float(square > 0)
    excess = math.inf if problem else max(excess, rel / rtol if rtol else math.inf if rel else 0.0)
    return Distance(max_abs, max_rel, rel, pearson(test, reference), excess, beyond, 0.0, problem)


def _integers(test: torch.Tensor, reference: torch.Tensor, ties: torch.Tensor | None) -> Distance:
    """Compare exactly. Indices that point to equal values of `ties` are equal."""
    differ = test != reference
    if ties is not None and bool(differ.any()) and reference.dtype is torch.int64:
        differ &= ~_tied(test, reference, plain(ties))
    count = int(differ.sum())
    if not count:
        return Distance()
    at = tuple(int(one) for one in differ.nonzero()[0])
    text = f"{count:,} of {reference.numel():,} elements differ, at first {test[at].item()} for {reference[at].item()}"
    percent = 100 * count / reference.numel()
    return Distance(excess=math.inf, mismatched=percent, problem=text)


def _tied(test: torch.Tensor, reference: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Where both indices point to the same value, along whichever dimension they apply to."""
    nothing = torch.zeros_like(test, dtype=torch.bool)
    if reference.dim() == 0:
        flat = values.flatten()
        fits = 0 <= int(test) < flat.numel()
        return flat[test] == flat[reference] if fits else nothing
    for dim in range(values.dim()):
        for x, y in ((test, reference), (test.unsqueeze(dim), reference.unsqueeze(dim))):
            fits = x.dim() == values.dim() and all(
                one <= other for at, (one, other) in enumerate(zip(x.shape, values.shape, strict=True)) if at != dim
            )
            if fits and bool(((x >= 0) & (x < values.shape[dim]) & (y < values.shape[dim])).all()):
                return (values.gather(dim, x) == values.gather(dim, y)).reshape(test.shape)
    return nothing


def _wrong(problem: str) -> Distance:
    return Distance(excess=math.inf, problem=problem)
