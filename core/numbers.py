# SPDX-License-Identifier: Apache-2.0
"""Numbers and times from outside, bounded where they come in: what no float, clock or calendar can hold is none."""

import math
from typing import Final

LAST_MOMENT: Final = 253_402_128_000.0
"""Seconds since the epoch: 9999-12-30, so that no time zone leads behind the last year there is."""
LONGEST: Final = 10 * 366 * 86_400.0
"""Seconds: nothing that is measured takes ten years."""


def finite(value: object) -> float | None:
    """`value` as a float, where it is a number that one can hold; a truth value is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def moment(value: object) -> float | None:
    """`value` as seconds since the epoch, where every calendar has that moment."""
    number = finite(value)
    return number if number is not None and 0 <= number <= LAST_MOMENT else None


def duration(value: object) -> float:
    """`value` as seconds that something took; 0 where nothing takes so long, or less than nothing."""
    number = finite(value)
    return number if number is not None and 0 <= number <= LONGEST else 0.0
