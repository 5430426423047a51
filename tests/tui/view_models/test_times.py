# SPDX-License-Identifier: Apache-2.0
"""Moments in words: how long ago."""

import pytest
from hypothesis import given, strategies as st

from tui.view_models import moment_text
from tui.view_models.times import ago_text

HOUR = 3_600.0


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (0, "now"),
        (59, "now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (24 * HOUR, "24 h ago"),
        (48 * HOUR, "2 d ago"),
        (9e8, "10,416 d ago"),
    ],
)
def test_a_moment_is_so_long_ago(age: float, words: str) -> None:
    assert ago_text(1e9 - age, 1e9) == words


def test_a_moment_that_is_not_known_or_to_come() -> None:
    assert (ago_text(None, 1e9), ago_text(0.0, 1e9), moment_text(None)) == ("", "", "")
    assert ago_text(1e9 + 5, 1e9) == "now"


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0, 1e9))
def test_what_is_older_never_looks_newer(now: float, age: float, more: float) -> None:
    units = {"min": 60.0, "h": HOUR, "d": 24 * HOUR}

    def least(at: float) -> float:
        if (words := ago_text(at, now)) == "now":
            return 0.0
        number, unit, _ = words.split()
        return float(number.replace(",", "")) * units[unit]

    if now - age - more > 0:
        assert least(now - age) <= least(now - age - more)
