# SPDX-License-Identifier: Apache-2.0
"""Differences larger than the noise: how often noise alone causes one, and how often a real step is found."""

import random

import pytest

from core.evidence.analysis import Shift
from core.evidence.analysis.noise import difference, needed

CALLED = (Shift.MORE, Shift.LESS)


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ((1.0, 1.0), (2.0, 2.0), Shift.UNKNOWN),
        ((), (1.0, 1.0, 1.0), Shift.UNKNOWN),
        ((1.0, 1.1, 0.9), (1.55, 1.6, 1.5), Shift.MORE),
        ((1.0, 1.1, 0.9), (0.45, 0.4, 0.5), Shift.LESS),
        ((1.0, 1.1, 0.9), (1.2, 1.2, 1.2), Shift.NOISE),
        ((1.0, 1.0, 1.0), (1.019, 1.019, 1.019), Shift.NOISE),
        ((0.0, 0.0, 0.0), (0.1, 0.1, 0.1), Shift.MORE),
        # One outlier moves a mean, but not a median.
        ((1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0, 9.0), Shift.NOISE),
    ],
)
def test_a_difference_is_more_than_the_noise(
    first: tuple[float, ...], other: tuple[float, ...], expected: Shift
) -> None:
    assert difference(first, other) is expected


@pytest.mark.parametrize(
    ("before", "after", "noise", "least"),
    [(3, 3, 0.03, 0.93), (5, 5, 0.1, 0.42), (8, 8, 0.1, 0.77), (10, 10, 0.1, 0.9), (20, 10, 0.1, 0.96)],
)
def test_noise_raises_no_more_alarms_than_the_page_says_and_a_step_of_20_percent_is_found(
    before: int, after: int, noise: float, least: float
) -> None:
    drawn = random.Random(0)

    def called(mean: float) -> float:
        """How often of 1,000 trials."""
        found = 0
        for _ in range(1000):
            first = [drawn.gauss(1.0, noise) for _ in range(before)]
            found += difference(first, [drawn.gauss(mean, noise) for _ in range(after)]) in CALLED
        return found / 1000

    # Of 1 %: by chance 2.2 % in one of 10,000 such thousands.
    assert called(1.0) < 0.022
    assert called(1.2) > least


def test_how_many_results_a_step_needs() -> None:
    drawn = random.Random(1)
    noisy = [drawn.gauss(1.0, 0.1) for _ in range(500)]
    assert needed(noisy, noisy, 0.2) in (9, 10)
    quiet = [drawn.gauss(1.0, 0.01) for _ in range(500)]
    assert needed(quiet, quiet, 0.2) == 3
    assert needed([1.0, 9.0, 20.0], [1.0, 9.0, 20.0], 0.01) is None
    assert needed([1.0], [1.0], 0.2) is None
