# SPDX-License-Identifier: Apache-2.0
"""How alike two tensors are: correlations that are defined, and upstream's to the last bit."""

import importlib
from typing import Any

import pytest
from hypothesis import given, strategies as st

torch = pytest.importorskip("torch")
tensors: Any = importlib.import_module("core.payload.ttmatrix_payload.tensors")


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20), st.floats(0.1, 10), st.floats(-5, 5))
def test_correlation_ignores_scale_and_shift(numbers: list[float], scale: float, shift: float) -> None:
    one = torch.tensor(numbers, dtype=torch.float64)
    if float(one.std()) < 1e-3:
        return
    assert tensors.pearson(one, one * scale + shift) == pytest.approx(1)
    assert tensors.pearson(one, one * -scale + shift) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("one", "other"),
    [([1.0], [1.0]), ([1.0, 1.0], [1.0, 2.0]), ([1.0, float("nan")], [1.0, 2.0]), ([1.0, 2.0], [1.0, 2.0, 3.0])],
)
def test_an_undefined_correlation_is_none(one: list[float], other: list[float]) -> None:
    assert tensors.pearson(torch.tensor(one), torch.tensor(other)) is None


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20), st.integers(0, 2**32 - 1))
def test_both_formulas_agree_where_tensors_differ(numbers: list[float], seed: int) -> None:
    """Upstream's differs where tensors are close (1) and for a constant (NaN); elsewhere by rounding alone."""
    one = torch.tensor(numbers, dtype=torch.float64)
    other = torch.rand(len(numbers), dtype=torch.float64, generator=torch.Generator().manual_seed(seed)) * 1e3
    if float(one.std()) < 1e-3:
        return
    found = tensors.upstream_pcc(one, other, rtol=0.0, atol=0.0)
    assert found == pytest.approx(tensors.pearson(one, other), abs=1e-9)
