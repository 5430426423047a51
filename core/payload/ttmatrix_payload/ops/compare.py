# SPDX-License-Identifier: Apache-2.0
"""Compare the result of an op with the reference: structure, type, shape, dtype, device and values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from ..tensors import chunks, dtype_name, pearson, plain, same_elements

_BY_VALUE = (bool, int, complex, str, type(None), torch.dtype)
"""Types compared by value. Other objects, which are not results of ops, are compared by their text."""


class Tolerance(NamedTuple):
    """The criterion for equality: `|test - reference| <= atol + rtol * |reference|`, and NaN equals NaN."""

    rtol: float
    atol: float
    pcc: float | None = None
    """The lowest Pearson correlation that passes."""
    values: bool = True
    """Whether values are compared at all: uninitialised memory is not."""


class Measured(NamedTuple):
    """How far the floating-point tensors of two results are apart, the worst of each; None: no such value."""

    max_abs: float | None = None
    max_rel: float | None = None
    """Of elements whose reference is not 0."""
    mismatched: float = 0.0
    """Percent of the elements outside the tolerance."""
    pcc: float | None = None
    """None also if undefined: a single element, a constant, not finite."""

    def worse(self, other: Measured) -> Measured:
        """The worse of both in each number."""
        return Measured(
            _most(self.max_abs, other.max_abs),
            _most(self.max_rel, other.max_rel),
            max(self.mismatched, other.mismatched),
            min((one for one in (self.pcc, other.pcc) if one is not None), default=None),
        )


class Comparison(NamedTuple):
    """The measurements, and the mismatch; empty: the results are equal within the tolerance."""

    measured: Measured
    problems: tuple[str, ...] = ()


def compare(test: Any, reference: Any, tolerance: Tolerance, device: str, name: str = "output") -> Comparison:
    """Compare two results of any structure. Tensors of `test` must be on a device of type `device`."""
    if isinstance(reference, torch.Tensor):
        return _tensors(test, reference, tolerance, device, name)
    if isinstance(reference, (tuple, list)):
        return _sequences(test, reference, tolerance, device, name)
    if type(test) is not type(reference):
        return _wrong(f"{name} is a {_kind(test)}, the reference a {_kind(reference)}")
    if isinstance(reference, float):
        return _values(
            torch.tensor(test, dtype=torch.float64), torch.tensor(reference, dtype=torch.float64), tolerance, name
        )
    if (isinstance(reference, _BY_VALUE) and test != reference) or repr(test) != repr(reference):
        return _wrong(f"{name} is {test!r}, the reference {reference!r}")
    return Comparison(Measured())


def _sequences(test: Any, reference: Sequence[Any], tolerance: Tolerance, device: str, name: str) -> Comparison:
    kind = tuple if isinstance(reference, tuple) else list
    if not isinstance(test, kind):
        return _wrong(f"{name} is a {_kind(test)}, the reference a {_kind(reference)}")
    if len(test) != len(reference):
        return _wrong(f"{name} has a length of {len(test)}, the reference of {len(reference)}")
    measured = Measured()
    problems: list[str] = []
    for index, (one, other) in enumerate(zip(test, reference, strict=True)):
        part = compare(one, other, tolerance, device, f"{name}[{index}]")
        measured = measured.worse(part.measured)
        problems += part.problems
    return Comparison(measured, tuple(problems))


def _tensors(test: Any, reference: torch.Tensor, tolerance: Tolerance, device: str, name: str) -> Comparison:
    if not isinstance(test, torch.Tensor):
        return _wrong(f"{name} is a {_kind(test)}, the reference a tensor")
    problems = []
    if test.device.type != device:
        problems.append(f"{name} is on {test.device.type}, not on {device}: the op did not run there")
    if test.dtype != reference.dtype:
        problems.append(f"{name} is {dtype_name(test)}, the reference {dtype_name(reference)}")
    if test.shape != reference.shape:
        problems.append(f"{name} has a shape of {list(test.shape)}, the reference of {list(reference.shape)}")
    if problems or test.is_meta or not tolerance.values:
        return _wrong(*problems)
    return _values(plain(test), plain(reference), tolerance, name)


def _values(test: torch.Tensor, reference: torch.Tensor, tolerance: Tolerance, name: str) -> Comparison:
    if not reference.numel():
        return Comparison(Measured())
    if not (reference.dtype.is_floating_point or reference.dtype.is_complex):
        return _exact(test, reference, name)
    max_abs, max_rel, wrong = 0.0, 0.0, 0
    for x, y in chunks(test, reference):
        same = same_elements(x, y)
        apart, size = (x - y).abs().masked_fill_(same, 0.0), y.abs()
        wrong += int((~(same | (apart <= tolerance.atol + tolerance.rtol * size)) | apart.isinf()).sum())
        max_abs = _most(max_abs, float(apart.max()))
        relative = (apart / size).masked_fill_(same | (size == 0), 0.0)
        # An infinity on one side only.
        max_rel = _most(max_rel, float(relative.nan_to_num_(math.inf, math.inf).max()))
    percent = 100 * wrong / reference.numel()
    correlation = pearson(test, reference)
    measured = Measured(max_abs, max_rel, percent, correlation)
    return Comparison(measured, tuple(_judged(measured, wrong, reference.numel(), tolerance, name)))


def _judged(measured: Measured, wrong: int, count: int, tolerance: Tolerance, name: str) -> Iterator[str]:
    if wrong:
        yield f"{name}: {wrong} of {count} elements differ ({measured.mismatched:.3g} %), " + (
            f"by {measured.max_abs:.3g} at most, relative {measured.max_rel:.3g}; "
            f"allowed are atol {tolerance.atol:g} and rtol {tolerance.rtol:g}"
        )
    if tolerance.pcc is not None and measured.pcc is not None and measured.pcc < tolerance.pcc:
        yield f"{name}: the PCC is {measured.pcc:.6f}, less than {tolerance.pcc:g}"


def _exact(test: torch.Tensor, reference: torch.Tensor, name: str) -> Comparison:
    if torch.equal(test, reference):
        return Comparison(Measured())
    wrong, count = int((test != reference).sum()), reference.numel()
    percent = 100 * wrong / count
    text = f"{name}: {wrong} of {count} elements differ ({percent:.3g} %); {dtype_name(reference)} is compared exactly"
    return Comparison(Measured(mismatched=percent), (text,))


def _most(one: float | None, other: float | None) -> Any:
    """The larger value; NaN is larger than any number, and None smaller."""
    if one is None or other is None:
        return other if one is None else one
    return math.nan if math.isnan(one) or math.isnan(other) else max(one, other)


def _wrong(*problems: str) -> Comparison:
    return Comparison(Measured(), problems)


def _kind(value: Any) -> str:
    return "tensor" if isinstance(value, torch.Tensor) else type(value).__name__
