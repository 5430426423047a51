# SPDX-License-Identifier: Apache-2.0
"""How fresh the evidence of CI is."""

import pytest
from hypothesis import given, strategies as st

from tui.view_models import freshness

HOUR = 3_600.0


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (-5.0, "last night: 0 min ago"),
        (0.5 * HOUR, "last night: 30 min ago"),
        (6.9 * HOUR, "last night: 6 h ago"),
        (36 * HOUR, "last night: 36 h ago"),
        (37 * HOUR, "last night: 37 h ago, stale"),
        (75 * HOUR, "last night: 3 d ago, stale"),
    ],
)
def test_the_age_of_the_newest_night(age: float, words: str) -> None:
    assert freshness(1e9 - age, 0.0, 1e9) == words


def test_without_a_night() -> None:
    assert freshness(None, None, 1e9) == "no results of CI yet"
    assert freshness(None, 1e9 - 7200, 1e9) == "last report: 2 h ago"


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_it_fits_beside_other_words(ended: float, now: float) -> None:
    assert len(freshness(ended, None, now)) < 40
