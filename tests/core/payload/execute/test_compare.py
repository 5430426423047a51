# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.compare: upstream's numbers and words, and no NaN that passes."""

import importlib
import math
import re
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, strategies as st

torch: Any = pytest.importorskip("torch")
compare: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.compare")
Settings: Any = importlib.import_module("core.payload.ttmatrix_payload.execute").Settings

numbers = st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=20)


def outputs(ours: Any, reference: Any, mask: Any = None, **asked: Any) -> Any:
    return compare.compare_outputs(ours, reference, Settings(**asked), mask)


@given(numbers)
def test_equal_tensors_pass_every_check(values: list[float]) -> None:
    tensor = torch.tensor(values)
    result = outputs(tensor, tensor.clone(), assert_atol=True, assert_allclose=True)
    assert (result.pcc, result.atol, result.allclose, result.passed) == (1.0, 0.0, True, True)


@given(numbers, st.floats(0.5, 4), st.floats(-9, 9))
def test_correlation_knows_neither_scale_nor_shift(values: list[float], scale: float, shift: float) -> None:
    tensor = torch.tensor(values, dtype=torch.float64)
    if tensor.std() < 1:
        return
    assert outputs(tensor * scale + shift, tensor).pcc == pytest.approx(1.0, abs=1e-6)


@given(numbers, st.integers(0, 19), st.booleans())
def test_nan_fails_wherever_it_is(values: list[float], index: int, first: bool) -> None:
    good = torch.tensor(values)
    bad = good.clone()
    bad[index % len(values)] = math.nan
    pair = ([bad, good], [good, good]) if first else ([good, bad], [good, good])
    result = outputs(*pair, assert_atol=True)
    assert not result.passed
    assert math.isnan(result.pcc)
    assert "Calculated: pcc=nan (invalid value). Required: pcc=0.99." in result.error_message
    assert "Calculated: atol=nan (invalid value). Required: atol=0.16." in result.error_message


def test_the_words_are_those_of_upstream() -> None:
    one, other = torch.tensor([0.0, 1, 2, 3]), torch.tensor([3.0, 1, 2, 0])
    result = outputs(one, other, required_pcc=0.97, required_atol=0.5, assert_allclose=True)
    assert result.error_message == (
        "Atol comparison failed. Calculated: atol=3.0. Required: atol=0.5.\n"
        f"PCC comparison failed. Calculated: pcc={result.pcc}. Required: pcc=0.97.\n"
        "Allclose comparison failed. Calculated: atol=3.0. Required: atol=0.01, rtol=0.01."
    )
    assert result.pcc == pytest.approx(-0.8)
    good = outputs(one, one)
    assert compare.failure_text([good, result]) == f"Evaluation result 1 failed: {result.error_message}"
    assert compare.failure_text([good]) is None


def test_tensors_that_hardly_differ_are_not_correlated() -> None:
    """Constant except for rounding: the formula would return nonsense."""
    one = torch.full((100,), 0.5) + 1e-4 * torch.randn(100)
    assert outputs(one, torch.full((100,), 0.5)).pcc == 1.0
    strict = outputs(one, torch.full((100,), 0.5), allclose_rtol=0.0, allclose_atol=0.0)
    assert math.isnan(strict.pcc)


@pytest.mark.parametrize(("value", "pcc", "passed"), [(1.005, 1.0, True), (1.5, 0.0, False)])
def test_one_element_must_be_close(value: float, pcc: float, passed: bool) -> None:
    result = outputs(torch.tensor([value]), torch.tensor([1.0]), assert_pcc=False)
    assert (result.pcc, result.passed) == (pcc, passed)
    assert passed or "Allclose comparison failed" in result.error_message


def test_the_worst_tensor_counts() -> None:
    good, bad = torch.tensor([0.0, 1, 2]), torch.tensor([2.0, 1, 0])
    result = outputs({"a": good, "b": bad, "c": good}, {"a": good, "b": good, "c": good})
    assert (result.pcc, result.atol, result.allclose) == (pytest.approx(-1.0), 2.0, False)


def test_padding_does_not_count() -> None:
    mask = torch.tensor([[True, True, False]])
    one = torch.arange(12.0).reshape(1, 3, 4)
    other = one.clone()
    other[0, 2] = torch.tensor([900.0, -5, 3, 1])
    assert outputs(other, one, mask).passed
    assert not outputs(other, one).passed
    cache, noisy = one.reshape(1, 1, 3, 4), other.reshape(1, 1, 3, 4)
    assert outputs([noisy], [cache], mask).pcc == 1.0


@dataclass
class Heads:
    depth: Any
    name: str = "heads"


class Layer:
    def __init__(self, keys: Any) -> None:
        self.keys = keys
        self.parent = self


def test_outputs_of_any_class_are_looked_into() -> None:
    tensor = torch.tensor([1.0, 2, 4])
    assert outputs(Heads(tensor), Heads(tensor)).passed
    assert not outputs([Layer(tensor)], [Layer(-tensor)]).passed
    assert outputs(torch.tensor([1 + 2j, 3j]), torch.tensor([1 + 2j, 3j])).passed


@pytest.mark.parametrize(
    ("ours", "reference", "words"),
    [
        ([torch.ones(2)], [torch.ones(3)], "shape [2], the reference of [3]"),
        ({"a": torch.ones(2)}, {"b": torch.ones(2)}, "a, b"),
        (["text"], ["text"], "no tensor to compare, but list"),
    ],
)
def test_what_cannot_be_compared_says_why(ours: Any, reference: Any, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        outputs(ours, reference)


def gradients(ours: Any, reference: Any) -> Any:
    return compare.compare_gradients(ours, reference, Settings())


def test_gradients_are_compared_one_by_one() -> None:
    good, bad = torch.tensor([0.0, 1, 2]), torch.tensor([2.0, 1, 0])
    result = gradients({"w": good, "b": bad}, {"w": good, "b": good})
    assert not result.passed
    assert result.pcc == pytest.approx(-1.0)
    assert result.error_message == f"[b] PCC comparison failed. Calculated: pcc={result.pcc}. Required: pcc=0.99."


def test_gradients_that_are_numerically_zero_count_as_equal() -> None:
    large = torch.tensor([100.0, 50, 1])
    result = gradients({"w": large, "b": torch.tensor([0.1, -0.2])}, {"w": large, "b": torch.tensor([-0.3, 0.1])})
    assert (result.passed, result.pcc, result.floored) == (True, 1.0, ("b",))
    wrong = gradients({"w": large, "b": torch.tensor([9.0, -0.2])}, {"w": large, "b": torch.tensor([-0.3, 0.1])})
    assert (wrong.passed, wrong.floored) == (False, ())


def test_a_gradient_of_nothing_but_nan_is_no_zero() -> None:
    nan = torch.tensor([math.nan, math.nan])
    assert not gradients({"w": nan}, {"w": torch.tensor([1.0, 2])}).passed
    assert not gradients({"w": nan}, {"w": nan}).passed


@pytest.mark.parametrize(("ours", "reference", "words"), [({}, {}, "No gradients"), ({}, {"w": 1}, "gradient for w")])
def test_missing_gradients_are_an_error(ours: Any, reference: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        gradients(ours, reference)
