# SPDX-License-Identifier: Apache-2.0
"""How fresh the evidence of CI is, in a few words for the top of every screen."""

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_STALE_SECONDS = 36 * _HOUR
"""A nightly ends every day: without one for that long something is missing, the run or its reports."""


def freshness(night: float | None, report: float | None, now: float) -> str:
    """For the newest nightly, which ended at a moment, or else the newest report; None: there is none.

    All are in seconds since the epoch.
    """
    ended, what = (report, "last report") if night is None else (night, "last night")
    if ended is None:
        return "no results of CI yet"
    age = max(0.0, now - ended)
    if age < _HOUR:
        return f"{what}: {age / _MINUTE:.0f} min ago"
    old = f"{age // _HOUR:.0f} h" if age < 2 * _DAY else f"{age // _DAY:.0f} d"
    return f"{what}: {old} ago{', stale' if age > _STALE_SECONDS else ''}"
