# SPDX-License-Identifier: Apache-2.0
"""How fresh the evidence of CI is, in the words of the bar at the top and of `ttmatrix nightly` alike."""

from core.base.text import ago_text
from core.evidence.ci_runs import CiRun

_MINUTE, _HOUR = 60.0, 3_600.0
_STALE = 36 * _HOUR
"""A nightly ends every day: without one for that long something is missing, the run or its reports."""
_LONGEST = 24 * _HOUR
"""What began earlier does not run any more, whatever GitHub said when it was last asked."""
_AHEAD = 10 * _MINUTE
"""Clocks differ by less."""


def freshness(night: CiRun | None, running: CiRun | None, report: float | None, now: float) -> str:
    """For the newest nightly that has ended and one that is running, or else the newest report; None: there is none.

    Moments are in seconds since the epoch.
    """
    ended, what = (report, "last report") if night is None else (night.ended, "last night")
    is_next = _is_next(night, running, now)
    if ended is None:
        return "the first night is running" if is_next else "no results of CI yet"
    if ended - now > _AHEAD:
        return f"{what}: in {ago_text(now, ended).removesuffix(' ago')}, by the clock here"
    if is_next:
        return f"{what}: {ago_text(ended, now)}, next running"
    return f"{what}: {ago_text(ended, now)}{', stale' if now - ended > _STALE else ''}"


def is_stale(night: CiRun, running: CiRun | None, now: float) -> bool:
    """Whether `freshness` calls the newest nightly stale: none has ended for long, and none is running."""
    return now - night.ended > _STALE and not _is_next(night, running, now)


def _is_next(night: CiRun | None, running: CiRun | None, now: float) -> bool:
    """Whether the one that was seen running comes after the newest that has ended, and may still run."""
    began = night.created if night is not None else 0.0
    return running is not None and began < running.created and now - running.created < _LONGEST
