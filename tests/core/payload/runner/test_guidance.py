# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.report: the table of docs/rules.md 5.3."""

import math

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.runner.report import guidance


@pytest.mark.parametrize(
    ("pcc", "required", "checked", "told"),
    [
        (0.9841, 0.97, True, ["RAISE_PCC"]),
        (0.993, 0.985, True, []),
        (0.995, 0.985, True, ["RAISE_PCC_099"]),
        (0.99, 0.979, True, ["RAISE_PCC"]),
        (0.984, 0.97, True, []),
        (0.975, 0.97, False, ["ENABLE_PCC"]),
        (0.974, 0.97, False, []),
        (0.9841, 0.97, False, ["ENABLE_PCC", "RAISE_PCC"]),
        (0.9945, 0.99, False, ["ENABLE_PCC_099"]),
        (1.0, 0.99, True, []),
        (None, 0.5, False, []),
        (math.nan, 0.5, False, []),
    ],
)
def test_numbers(pcc: float | None, required: float, checked: bool, told: list[str]) -> None:
    assert guidance(pcc, required, checked, "EXPECTED_PASSING", "PASSED") == told


@pytest.mark.parametrize(
    ("status", "bringup", "told"),
    [
        ("KNOWN_FAILURE_XFAIL", "PASSED", ["RM_XFAIL"]),
        ("KNOWN_FAILURE_XFAIL", "INCORRECT_RESULT", ["RM_XFAIL"]),
        ("KNOWN_FAILURE_XFAIL", "FAILED_RUNTIME", []),
        ("UNSPECIFIED", "PASSED", ["ADD_CONFIG"]),
        ("NOT_SUPPORTED_SKIP", "PASSED", []),
        ("UNSPECIFIED", None, []),
    ],
)
def test_status(status: str, bringup: str | None, told: list[str]) -> None:
    assert guidance(None, 0.99, True, status, bringup) == told


@given(st.floats(0.6, 1.0), st.integers(59, 99))
def test_what_would_be_raised_holds_with_room_to_spare(pcc: float, percent: int) -> None:
    told = guidance(pcc, percent / 100, True, "EXPECTED_PASSING", "PASSED")
    if "RAISE_PCC" in told:
        assert (percent + 1) / 100 + 0.004 < pcc
    if "RAISE_PCC_099" in told:
        assert pcc > 0.994
