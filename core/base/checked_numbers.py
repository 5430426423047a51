# SPDX-License-Identifier: Apache-2.0
"""Numbers and times from outside, checked on input: what no float, clock or calendar can hold is rejected."""

import math
import time
from datetime import UTC, datetime
from typing import Final

LAST_MOMENT: Final = 253_402_128_000.0
"""Seconds since the epoch: 9999-12-30, so that no time zone moves it past the year 9999, the last of `datetime`."""
LONGEST: Final = 10 * 366 * 86_400.0
"""Seconds, ten years: no measured duration is longer."""
MOST_AHEAD: Final = 86_400.0
"""Seconds, a day: a machine whose clock is further ahead of ours has a wrong one, whatever its time zone."""


def finite(value: object) -> float | None:
    """Return `value` as a float; None if it is a bool, not a number, or not finite."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def moment(value: object) -> float | None:
    """Return `value` as seconds since the epoch; None if it is no moment that every calendar can show."""
    number = finite(value)
    return number if number is not None and 0 <= number <= LAST_MOMENT else None


def duration(value: object) -> float:
    """Return `value` as the seconds that something took; 0 if it is negative, longer than LONGEST or not a number."""
    number = finite(value)
    return number if number is not None and 0 <= number <= LONGEST else 0.0


def day_of(moment: float) -> str:
    """The day of a moment in UTC, `2026-11-24`; empty: the moment is 0, which means unknown."""
    return datetime.fromtimestamp(moment, UTC).date().isoformat() if moment else ""


def moment_text(moment: float | None) -> str | None:
    """A moment as JSON has it, ISO 8601 in UTC to the second; None: it is None or 0, which means unknown."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds") if moment else None


def last_possible(end: float = math.inf) -> float:
    """The last moment that a result can have, in seconds since the epoch: later ones are of a wrong clock.

    `end` is the moment up to which results are known.
    """
    return end if end < math.inf else time.time() + MOST_AHEAD
