# SPDX-License-Identifier: Apache-2.0
"""Compare the results of a compiled model with the reference, with upstream's metrics, defaults and messages.

See docs/rules.md 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ..models.structures import leaves
from ..settings import Comparison, Settings
from ..tensors import plain, upstream_pcc

REQUIRED_ATOL = 0.16
TOLERANCE = 0.01
"""Absolute and relative tolerance of allclose."""
GRADIENT_FLOOR = 2**-8
"""A gradient below this part of the model's largest is numerically zero: the resolution of bfloat16.

An example is the bias before BatchNorm, whose true gradient is 0: only rounding is left, which has no correlation.
"""


@dataclass(frozen=True)
class Measured:
    """How far two tensors, or two sets of them, are apart."""

    pcc: float
    atol: float
    allclose: bool
    single: bool
    """Whether there is only one element, for which no correlation is defined."""

    def __add__(self, other: Measured) -> Measured:
        # max() and min() lose a NaN unless it comes first, and a NaN must always fail.
        pcc = math.nan if math.isnan(self.pcc) or math.isnan(other.pcc) else min(self.pcc, other.pcc)
        atol = math.nan if math.isnan(self.atol) or math.isnan(other.atol) else max(self.atol, other.atol)
        return Measured(pcc, atol, self.allclose and other.allclose, self.single and other.single)


EQUAL = Measured(1.0, 0.0, True, True)


def compare_outputs(ours: Any, reference: Any, settings: Settings, mask: torch.Tensor | None = None) -> Comparison:
    """Compare all tensors in two nested values of the same structure.

    `mask`, of shape [batch, tokens], is True for tokens that are not padding; only these count for the PCC.
    Raises ValueError if the structures differ or contain no tensor.
    """
    mine, theirs = dict(tensors(ours)), dict(tensors(reference))
    if mine.keys() != theirs.keys():
        odd = ", ".join(sorted(mine.keys() ^ theirs.keys()))
        raise ValueError(f"The outputs differ in structure from the reference: only one of them has {odd}")
    if not theirs:
        raise ValueError(f"The model returned no tensor to compare, but {type(reference).__name__}")
    total = EQUAL
    for name, tensor in theirs.items():
        total += measure(mine[name], tensor, settings, mask)
    return judge(total, settings)


def compare_gradients(
    ours: Mapping[str, torch.Tensor], reference: Mapping[str, torch.Tensor], settings: Settings
) -> Comparison:
    """Compare the gradients of all parameters, each by itself; the worst number of each kind counts.

    Raises ValueError if different parameters have gradients, or none has.
    """
    if not reference:
        raise ValueError("No gradients: no trainable parameter takes part in the output")
    if ours.keys() != reference.keys():
        odd = ", ".join(sorted(ours.keys() ^ reference.keys()))
        raise ValueError(f"Only one of reference and compiled model has a gradient for {odd}")
    largest = max(map(_largest, reference.values()))
    total, passed, messages, floored = EQUAL, True, [], []
    for name, gradient in reference.items():
        if max(_largest(ours[name]), _largest(gradient)) <= GRADIENT_FLOOR * largest:
            floored.append(name)
            continue
        measured = measure(ours[name], gradient, settings)
        result = judge(measured, settings)
        total += measured
        passed = passed and result.passed
        if result.error_message:
            messages.append(f"[{name}] {result.error_message}")
    return Comparison(
        total.pcc, total.atol, total.allclose, passed, "\n".join(messages) or None, floored=tuple(floored)
    )


def judge(measured: Measured, settings: Settings) -> Comparison:
    """The result of `measured` under the enabled checks. NaN and infinity fail each check that looks at them."""
    problems = []
    if settings.checks_atol:
        required = REQUIRED_ATOL if settings.required_atol is None else settings.required_atol
        if not measured.atol <= required or math.isinf(measured.atol):
            problems.append(_problem("Atol", "atol", measured.atol, required))
    if settings.assert_pcc and (not measured.pcc >= settings.required_pcc or math.isinf(measured.pcc)):
        problems.append(_problem("PCC", "pcc", measured.pcc, settings.required_pcc))
    if (settings.checks_allclose or measured.single) and not measured.allclose:
        rtol, atol = _tolerances(settings)
        calculated, needed = f"atol={measured.atol}", f"atol={atol}, rtol={rtol}"
        problems.append(f"Allclose comparison failed. Calculated: {calculated}. Required: {needed}.")
    text = "\n".join(problems) or None
    return Comparison(measured.pcc, measured.atol, measured.allclose, not problems, text)


def failure_text(comparisons: list[Comparison]) -> str | None:
    """Upstream's message for the failed comparisons, by position; None if none failed."""
    failed = [
        f"Evaluation result {index} failed: {one.error_message}"
        for index, one in enumerate(comparisons)
        if not one.passed
    ]
    return "\n".join(failed) or None


def measure(
    ours: torch.Tensor, reference: torch.Tensor, settings: Settings, mask: torch.Tensor | None = None
) -> Measured:
    """How far two tensors are apart, in float64. Raises ValueError where their shapes differ."""
    if ours.shape != reference.shape:
        raise ValueError(f"The output is of shape {list(ours.shape)}, the reference of {list(reference.shape)}")
    if not reference.numel():
        return EQUAL
    x, y = _wide(ours), _wide(reference)
    rtol, atol = _tolerances(settings)
    pcc = upstream_pcc(*_unpadded(x, y, mask), rtol=rtol, atol=atol)
    close = torch.allclose(x, y, rtol=rtol, atol=atol)
    return Measured(pcc, float((x - y).abs().max()), close, reference.numel() == 1)


def tensors(value: Any, seen: frozenset[int] = frozenset()) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of a nested value by path; of objects that are no containers, those of their attributes."""
    for name, leaf in leaves(value):
        if isinstance(leaf, torch.Tensor):
            yield name, leaf
        elif hasattr(leaf, "__dict__") and not isinstance(leaf, (type, torch.nn.Module)) and id(leaf) not in seen:
            for inner, tensor in tensors(vars(leaf), seen | {id(leaf)}):
                yield f"{name}.{inner}", tensor


def _unpadded(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Without padding: for logits [batch, tokens, width] and for keys and values [batch, heads, tokens, width]."""
    if mask is None or x.dim() not in (3, 4) or (x.shape[0], x.shape[-2]) != tuple(mask.shape):
        return x, y
    return x.movedim(-2, 1)[mask], y.movedim(-2, 1)[mask]


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    tensor = plain(tensor)
    return (torch.view_as_real(tensor) if tensor.is_complex() else tensor).to(torch.float64)


def _largest(tensor: torch.Tensor) -> float:
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def _tolerances(settings: Settings) -> tuple[float, float]:
    """Relative and absolute tolerance."""
    rtol = TOLERANCE if settings.allclose_rtol is None else settings.allclose_rtol
    atol = TOLERANCE if settings.allclose_atol is None else settings.allclose_atol
    return rtol, atol


def _problem(title: str, name: str, value: float, required: float) -> str:
    invalid = "" if math.isfinite(value) else " (invalid value)"
    return f"{title} comparison failed. Calculated: {name}={value}{invalid}. Required: {name}={required}."
