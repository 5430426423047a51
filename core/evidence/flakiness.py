# SPDX-License-Identifier: Apache-2.0
"""Flakiness as a number."""

from collections.abc import Sequence
from itertools import pairwise

FLAKINESS_RESULTS = 30
"""The number of newest results that flakiness is computed from."""


def flakiness_of(passed: Sequence[bool]) -> float:
    """Changes between pass and failure beyond the first one, as a share of those that were possible: 0 to 1.

    `passed` are the results that say something about the model, oldest first; the newest FLAKINESS_RESULTS count. A
    test that broke once, or was fixed once, has 0; one that changes every time comes near 1.
    """
    newest = passed[-FLAKINESS_RESULTS:]
    flips = sum(one is not other for one, other in pairwise(newest))
    return max(0, flips - 1) / (len(newest) - 2) if len(newest) > 2 else 0.0
