# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.compare: what counts as equal, and the messages for differences."""

import importlib
import math
from typing import Any

import pytest
from hypothesis import given, strategies as st

torch: Any = pytest.importorskip("torch")
compare: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.compare")
tensors: Any = importlib.import_module("core.payload.ttmatrix_payload.tensors")

LOOSE = compare.Tolerance(1e-2, 1e-2)
FLOATS = st.floats(width=32) | st.sampled_from([0.0, 1.0, 1.01, 1.02, math.nan, math.inf, -math.inf])


def problems(test: Any, reference: Any, tolerance: Any = LOOSE, device: str = "cpu") -> str:
    return "\n".join(compare.compare(test, reference, tolerance, device).problems)


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=20), st.sampled_from([0.0, 1e-3, 1e-2, 1.0]))
def test_it_agrees_with_assert_close(pairs: list[tuple[float, float]], tolerance: float) -> None:
    test, reference = (torch.tensor(side, dtype=torch.float64) for side in zip(*pairs, strict=True))
    try:
        torch.testing.assert_close(test, reference, rtol=tolerance, atol=tolerance, equal_nan=True)
        close = True
    except AssertionError:
        close = False
    assert (problems(test, reference, compare.Tolerance(tolerance, tolerance)) == "") is close


def test_two_percent_in_one_element_leave_the_correlation_at_one_and_show_in_the_relative_error() -> None:
    reference = torch.linspace(1, 2, 10_000)
    test = reference.clone()
    test[5000] *= 1.02
    found = compare.compare(test, reference, LOOSE, "cpu")
    assert found.measured.pcc > 0.9999
    assert found.measured.max_rel == pytest.approx(0.02, rel=1e-3)
    assert found.measured.mismatched == pytest.approx(0.01)
    assert found.problems == (
        "output: 1 of 10000 elements differ (0.01 %), by 0.03 at most, relative 0.02; allowed are atol 0.01 and rtol 0.01",
    )


def test_large_tensors_are_compared_a_part_at_a_time_in_any_layout() -> None:
    reference = torch.randn(300, 400, generator=torch.Generator().manual_seed(1))
    wrong = reference.clone()
    wrong[299, 399] += 1
    found = compare.compare(wrong.T, reference.T, LOOSE, "cpu")
    assert found.measured.max_abs == pytest.approx(1)
    assert found.measured.pcc == pytest.approx(
        float(torch.corrcoef(torch.stack([wrong.flatten(), reference.flatten()]))[0, 1])
    )
    assert "1 of 120000 elements" in found.problems[0]


@pytest.mark.parametrize(
    ("test", "reference", "text"),
    [
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "1 of 2 elements differ (50 %); int64 is compared exactly"),
        (torch.tensor([True]), torch.tensor([False]), "bool is compared exactly"),
        (torch.ones(2), torch.ones(2, dtype=torch.float64), "output is float32, the reference float64"),
        (torch.ones(2), torch.ones(2, 1), "output has a shape of [2], the reference of [2, 1]"),
        (torch.ones(2, device="meta"), torch.ones(2), "output is on meta, not on cpu"),
        (1.0, torch.ones(2), "output is a float, the reference a tensor"),
        (torch.ones(2), 1.0, "output is a tensor, the reference a float"),
        ((torch.ones(2),), [torch.ones(2)], "output is a tuple, the reference a list"),
        ([torch.ones(2)], [torch.ones(2)] * 2, "output has a length of 1, the reference of 2"),
        ([[torch.ones(2)]], [[torch.zeros(2)]], "output[0][0]: 2 of 2 elements differ"),
        (3, 4, "output is 3, the reference 4"),
        (True, 1, "output is a bool, the reference a int"),
        (torch.Size([1]), torch.Size([2]), "output[0] is 1, the reference 2"),
        (2.0, 1.0, "output: 1 of 1 elements differ"),
        (torch.tensor([1j]), torch.tensor([1.0 + 0j]), "output: 1 of 1 elements differ"),
    ],
)  # fmt: skip
def test_what_differs_is_reported(test: Any, reference: Any, text: str) -> None:
    assert text in problems(test, reference)


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(0, 3),
        torch.tensor(5.0),
        torch.tensor([math.nan, math.inf, -math.inf]),
        torch.ones(3, dtype=torch.bfloat16),
        torch.ones(3, dtype=torch.float8_e5m2),
        torch.tensor([1 + 2j, 3j]),
        torch.ones(2, 2).to_sparse(),
        torch.topk(torch.ones(4), 2),
        (1, 2.5, None, "ij", torch.float16, [True]),
    ],
)
def test_a_result_is_the_same_as_itself(value: Any) -> None:
    assert problems(value, value) == ""


def test_a_correlation_may_be_asked_for() -> None:
    reference = torch.linspace(-1, 1, 100)
    loose = compare.Tolerance(10.0, 10.0, pcc=0.99)
    assert problems(-reference, reference, loose) == "output: the PCC is -1.000000, less than 0.99"
    assert problems(reference * 3, reference, loose) == ""
    assert tensors.pearson(torch.ones(5), reference[:5]) is None
    assert tensors.pearson(torch.tensor([1.0]), torch.tensor([2.0])) is None
    assert tensors.pearson(torch.tensor([1.0, math.nan]), torch.tensor([2.0, 1.0])) is None
    assert tensors.pearson(torch.tensor([1j, 2j]), torch.tensor([1j, 2j])) == pytest.approx(1)
