# SPDX-License-Identifier: Apache-2.0
"""Moments as tables and the top of the screen say them: how long ago. A detail says when: the day and the time."""

from datetime import datetime
from math import ceil

from core import hosts

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_STALE_SECONDS = 36 * _HOUR
"""A nightly ends every day: without one for that long something is missing, the run or its reports."""
_STEPS = ((_MINUTE, 10.0), (_HOUR, _MINUTE))
"""Below so many seconds, what is left is said in steps of so many: more precision would be pretended, and repainted."""
_LONG_STEP = 10 * _MINUTE
_UNITS = ((_DAY, "d", 2 * _DAY), (_HOUR, "h", _HOUR))


def ago_text(at: float | None, now: float) -> str:
    """`24 h ago` for a moment; empty: it is not known. Both are in seconds since the epoch."""
    if not at:
        return ""
    age = max(0.0, now - at)
    found = next((f"{age // unit:,.0f} {name}" for unit, name, least in _UNITS if age >= least), None)
    return f"{found or f'{age // _MINUTE:.0f} min'} ago"


def moment_text(at: float | None) -> str:
    """The day and the time of a moment, in local time; empty: it is not known."""
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}" if at else ""


def freshness(night: float | None, report: float | None, now: float) -> str:
    """For the newest nightly, which ended at a moment, or else the newest report; None: there is none.

    All are in seconds since the epoch.
    """
    ended, what = (report, "last report") if night is None else (night, "last night")
    if ended is None:
        return "no results of CI yet"
    stale = ", stale" if now - ended > _STALE_SECONDS else ""
    return f"{what}: {ago_text(ended, now)}{stale}"


def left_text(seconds: float) -> str:
    """`40 s`, `3 min`, `1 h 20 min`: an estimate of what is left, rounded up."""
    step = next((step for below, step in _STEPS if seconds <= below - step), _LONG_STEP if seconds > _HOUR else _MINUTE)
    return hosts.time_text(ceil(seconds / step) * step)
