# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.verdict: the examples of docs/rules.md 5.3, and the arithmetic that floats would get wrong."""

import pytest
from hypothesis import given, strategies as st

from core.domain.model import Status
from core.evidence import Ending
from core.evidence.observation import lowest
from core.evidence.verdicts import allowed
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.policy import PccPolicy
from core.evidence.verdicts.verdict import lowered, raised
from tests.support.evidence import seen

POLICY = PccPolicy()


@pytest.mark.parametrize(
    ("required", "checked", "measured", "wanted"),
    [
        (0.97, True, 0.9841, 0.98),
        (0.97, True, 0.984, None),
        (0.985, True, 0.993, None),
        (0.985, True, 0.995, 0.99),
        # A threshold that would move by less than the margin stays: it would gain nothing.
        (0.979, True, 0.99, None),
        (0.975, True, 0.99, 0.98),
        (0.99, True, 0.9999, None),
        (0.97, False, 0.975, 0.97),
        (0.97, False, 0.974, 0.96),
        (0.99, False, 0.9941, 0.99),
        (0.99, False, 0.994, 0.98),
        (0.99, False, 0.89, None),
    ],
)
def test_raising(required: float, checked: bool, measured: float, wanted: float | None) -> None:
    expected = Expected(Status.EXPECTED_PASSING, required_pcc=required, pcc_checked=checked)
    assert raised([seen(pcc=measured), seen(pcc=0.9999)], expected, POLICY) == wanted


def test_lowering_stops_where_a_result_is_wrong() -> None:
    expected = Expected(Status.EXPECTED_PASSING)
    assert lowered([seen(Ending.INACCURATE, pcc=0.9671)], expected, POLICY) == 0.96
    assert lowered([seen(Ending.INACCURATE, pcc=0.903)], expected, POLICY) is None
    assert lowered([seen(Ending.INACCURATE, pcc=0.97), seen(Ending.INACCURATE)], expected, POLICY) is None
    assert lowered([], expected, POLICY) is None


def test_the_lowest_of_none() -> None:
    assert lowest([seen(), seen(pcc=0.5), seen(pcc=0.4)]) == 0.4
    assert lowest([seen()]) is None


@given(st.floats(0.0, 1.0))
def test_an_allowed_threshold_is_the_highest_with_room_above_it(measured: float) -> None:
    level = allowed(measured, POLICY)
    assert level <= 0.99
    assert measured - level > POLICY.margin - 1e-12
    if level < 0.99:
        assert measured - (level + 0.01) < POLICY.margin + 1e-12
