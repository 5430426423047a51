# SPDX-License-Identifier: Apache-2.0
"""core.base.checked_numbers: accepts what floats, clocks and calendars can represent."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from core.base.checked_numbers import LAST_MOMENT, LONGEST, duration, finite, moment


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, -(10**400), True, None, "1", "1e400", []])
def test_what_is_no_finite_number_is_none(value: object) -> None:
    assert (finite(value), moment(value), duration(value)) == (None, None, 0.0)


@pytest.mark.parametrize("value", [-1, -1e-9, LAST_MOMENT + 1, -62135679600.0, 1e300])
def test_what_no_calendar_has_is_no_moment(value: float) -> None:
    assert (finite(value), moment(value)) == (value, None)


@pytest.mark.parametrize(
    ("value", "wanted"), [(0, 0.0), (5, 5.0), (2.5, 2.5), (LONGEST, LONGEST), (LONGEST + 1, 0.0), (-1, 0.0)]
)
def test_durations(value: float, wanted: float) -> None:
    assert duration(value) == wanted


@given(st.floats(0, LAST_MOMENT), st.integers(-1439, 1439))
def test_every_moment_can_be_shown_in_every_zone(value: float, minutes: int) -> None:
    assert moment(value) == value
    assert datetime.fromtimestamp(value, UTC).astimezone(timezone(timedelta(minutes=minutes))).isoformat()
