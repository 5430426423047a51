# SPDX-License-Identifier: Apache-2.0
"""Days of the week in cron lines."""

import pytest
from hypothesis import given, strategies as st

from core.sources.ci.triggers import cron_days


@pytest.mark.parametrize(
    ("days", "wanted"),
    [
        ("*", {0, 1, 2, 3, 4, 5, 6}),
        ("1-6", {1, 2, 3, 4, 5, 6}),
        ("0", {0}),
        ("7", {0}),
        ("5-7", {5, 6, 0}),
        ("1,3", {1, 3}),
        ("*/3", {0, 3, 6}),
        ("MON-fri/2", {1, 3, 5}),
        ("8", set()),
        ("x", set()),
        ("*/0", set()),
        ("-", set()),
    ],
)
def test_days(days: str, wanted: set[int]) -> None:
    assert cron_days(f"0 8 * * {days}") == wanted


@pytest.mark.parametrize("cron", ["", "0 8 * *", "0 8 1 * *", "0 8 * 2 *", "0 8 * * * *"])
def test_a_line_that_is_malformed_or_bound_to_dates_means_no_day(cron: str) -> None:
    assert cron_days(cron) == frozenset()


@given(st.text(alphabet="0123456789*/,- monsu", max_size=20))
def test_any_text_is_taken(text: str) -> None:
    assert cron_days(f"0 0 * * {text}") <= set(range(7))
