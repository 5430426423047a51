# SPDX-License-Identifier: Apache-2.0
"""The results of one cell as segments of one behaviour each: where it changed, and since when it is as it is.

Pure: it knows no entry and no clock. Since when, how often and on which machines is read from segments.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from core.evidence.observation import RAN, Ending, Observation, lowest
from core.evidence.reasons import same_failure

LEVEL = 0.004
"""Numbers of two levels lie further apart than this, the margin of upstream's guidance (docs/rules.md 5.3)."""


class _Course(Enum):
    """What results of one segment have in common before their numbers or causes are compared."""

    MEASURED = "measured"
    """It ran to its end. Whether its number is good enough is for an entry to say."""
    FAILED = "failed"
    CRASHED = "crashed"
    HUNG = "hung"
    STOPPED = "stopped"
    BOTH = "both"
    """It failed first and passed when it was repeated."""


_COURSES = {
    Ending.PASSED: _Course.MEASURED,
    Ending.INACCURATE: _Course.MEASURED,
    Ending.FAILED: _Course.FAILED,
    Ending.CRASHED: _Course.CRASHED,
    Ending.HUNG: _Course.HUNG,
    Ending.SLOW: _Course.STOPPED,
    Ending.OUT_OF_TIME: _Course.STOPPED,
    Ending.FLAKY: _Course.BOTH,
}


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive results of one behaviour."""

    rows: tuple[Observation, ...]
    """Oldest first; at least one."""

    @property
    def since(self) -> str:
        """The run of its first result."""
        return self.rows[0].run

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(row.host for row in self.rows if row.host)

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits it was seen at, oldest first."""
        return tuple(dict.fromkeys(row.commit for row in self.rows if row.commit))

    @property
    def pcc(self) -> float | None:
        """The lowest PCC; None if none was measured."""
        return lowest(self.rows)


def segments(rows: Sequence[Observation]) -> tuple[Segment, ...]:
    """The segments of `rows`, results of one cell, oldest first. Results that say nothing about the model are left out.

    A segment begins where results begin to show a behaviour that none of the results before it shows: another course,
    another cause, or numbers of another level. What comes and goes is one behaviour.
    """
    left = [row for row in rows if row.ending in RAN]
    found: list[Segment] = []
    while left:
        start = newest_start(left)
        found.append(Segment(tuple(left[start:])))
        left = left[:start]
    return tuple(reversed(found))


def newest_start(rows: Sequence[Observation]) -> int:
    """The position at which the newest segment of `rows` begins; all of them say something about the model."""
    course = _COURSES[rows[-1].ending]
    start = _suffix(rows, lambda row: _COURSES[row.ending] is course)
    same = rows[start:]
    if course is _Course.MEASURED:
        return start + _level_start(same)
    if course is _Course.FAILED:
        newest = same[-1]
        began = _suffix(same, lambda row: same_failure(row, newest))
        comes_and_goes = any(same_failure(row, newest) for row in same[:began])
        return start + (0 if comes_and_goes else began)
    return start


def _suffix(rows: Sequence[Observation], holds: Callable[[Observation], bool]) -> int:
    """Where the longest end of `rows` begins that `holds` for."""
    at = len(rows)
    while at and holds(rows[at - 1]):
        at -= 1
    return at


def _level_start(rows: Sequence[Observation]) -> int:
    """Where the newest level of numbers begins: all of its numbers lie on one side of all earlier ones.

    A result without a number is on no level: it and its neighbours are not parted.
    """
    numbers = [_number(row) for row in rows]
    if any(number is None for number in numbers):
        return 0
    known = [number for number in numbers if number is not None]
    # Rounded: numbers are compared as upstream prints them, not as floats differ.
    for at, (low, high) in _ends(known):
        before_low, before_high = min(known[:at]), max(known[:at])
        if round(low - before_high, 9) > LEVEL or round(before_low - high, 9) > LEVEL:
            return at
    return 0


def _ends(numbers: Sequence[float]) -> Iterator[tuple[int, tuple[float, float]]]:
    """Each position but the first, from the last one on, with the least and the greatest number from there on."""
    low, high = math.inf, -math.inf
    for at in range(len(numbers) - 1, 0, -1):
        low, high = min(low, numbers[at]), max(high, numbers[at])
        yield at, (low, high)


def _number(row: Observation) -> float | None:
    return row.pcc if row.pcc is not None and math.isfinite(row.pcc) else None
