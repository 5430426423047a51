# SPDX-License-Identifier: Apache-2.0
"""How fresh the evidence of CI is, in a few words for the top of every screen."""

from typing import NamedTuple

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
STALE_SECONDS = 36 * _HOUR
"""A nightly ends every day: without one for that long something is missing, the run or its reports."""


class Freshness(NamedTuple):
    """How old the newest night is."""

    words: str
    stale: bool = False


def freshness(night: float | None, report: float | None, now: float) -> Freshness:
    """For the newest nightly, which ended at a moment, or else the newest report; None: there is none.

    All are in seconds since the epoch.
    """
    ended, what = (report, "last report") if night is None else (night, "last night")
    if ended is None:
        return Freshness("no results of CI yet", stale=True)
    age = max(0.0, now - ended)
    if age < _HOUR:
        return Freshness(f"{what}: {age / _MINUTE:.0f} min ago")
    if age < 2 * _DAY:
        return Freshness(
            f"{what}: {age // _HOUR:.0f} h ago{', stale' if age > STALE_SECONDS else ''}", age > STALE_SECONDS
        )
    return Freshness(f"{what}: {age // _DAY:.0f} d ago, stale", stale=True)
