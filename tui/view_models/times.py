# SPDX-License-Identifier: Apache-2.0
"""Moments as tables and the top of the screen say them: how long ago. A detail says when: the day and the time."""

from datetime import datetime
from math import ceil

from core import hosts
from core.base.text import ago_text as ago_text

_MINUTE, _HOUR = 60.0, 3_600.0
_STEPS = ((_MINUTE, 10.0), (_HOUR, _MINUTE))
"""Up to so many seconds, what is left is said in steps of so many: more precision would be pretended, and repainted."""
_LONG_STEP = 10 * _MINUTE


def moment_text(at: float | None) -> str:
    """The day and the time of a moment, in local time; empty: it is not known."""
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}" if at else ""


def left_text(seconds: float) -> str:
    """`40 s`, `3 min`, `1 h 20 min`: an estimate of what is left, rounded up."""
    step = next((step for most, step in _STEPS if seconds <= most), _LONG_STEP)
    return hosts.time_text(ceil(seconds / step) * step)
