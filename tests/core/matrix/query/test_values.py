# SPDX-License-Identifier: Apache-2.0
"""Comparisons and ranges mean what arithmetic says."""

import operator
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from core.matrix.query import days, decimal
from core.matrix.query.values import number_test

_NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=32)


@pytest.mark.parametrize(
    ("sign", "compare"),
    [
        ("", operator.eq),
        ("=", operator.eq),
        ("<", operator.lt),
        ("<=", operator.le),
        (">", operator.gt),
        (">=", operator.ge),
    ],
)
@given(wanted=_NUMBER, number=_NUMBER)
def test_comparisons(sign: str, compare: Callable[[float, float], bool], wanted: float, number: float) -> None:
    holds = number_test(f"{sign}{wanted!r}", decimal)
    assert holds(number) == compare(number, wanted)
    assert holds(wanted) == compare(wanted, wanted)


@given(_NUMBER, _NUMBER, _NUMBER)
def test_both_ends_belong_to_a_range(one: float, other: float, number: float) -> None:
    low, high = sorted((one, other))
    holds = number_test(f"{low!r}..{high!r}", decimal)
    assert holds(low)
    assert holds(high)
    assert holds(number) == (low <= number <= high)


@pytest.mark.parametrize(
    "text", ["x", "<", "<>1", "1..", "..1", "1..x", "2..1", "nan", "<inf", "1...2", "", "0.99 x", "<=>1"]
)
def test_what_is_no_number_is_reported(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a number|is empty"):
        number_test(text, decimal)


def test_read_decides_what_a_number_is() -> None:
    assert number_test(">127", int)(128)
    with pytest.raises(ValueError, match="not a number"):
        number_test("0.5", int)


@pytest.mark.parametrize(("text", "number"), [("90", 90), ("90d", 90), ("2w", 14), ("1.5y", 547.5)])
def test_days(text: str, number: float) -> None:
    assert days(text) == number


@pytest.mark.parametrize("text", ["", "d", "-1d", "1 d", "1m", "nan", "٣d"])
def test_no_number_of_days(text: str) -> None:
    with pytest.raises(ValueError, match="not a number of days"):
        days(text)
