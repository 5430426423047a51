# SPDX-License-Identifier: Apache-2.0
"""The results of one cell as a series: segments of one behaviour each, turns between pass and failure, and gaps.

Pure: it knows no entry and no clock. Since when, how often and on which machines is read from a series, by verdicts,
histories, clusters and reports alike. What SQL answers for speed (`store_failing_since`) is compared with it by a test.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

from core.base.text import counted
from core.domain.model import BringupStatus
from core.evidence.observation import RAN, Ending, Observation, lowest, order
from core.evidence.reasons import same_failure, signature

LEVEL = 0.004
"""Numbers of two levels lie further apart than this, the margin of upstream's guidance (docs/rules.md 5.3)."""
_MORE = LEVEL + 1e-9
"""Numbers are compared as upstream prints them, not as floats differ."""
FLAKINESS_RESULTS = 30
"""The number of newest results that flakiness is computed from."""
FLAKY_FROM = 0.2
"""A cell with more flakiness than this counts as flaky, not as turned."""
SAYS_WHERE = RAN - {Ending.FLAKY}
"""What failed and passed within one session does not say where a test broke."""


def turns(passed: Sequence[bool]) -> list[int]:
    """The positions at which passes turned into failures, or the other way round."""
    return [at for at in range(1, len(passed)) if passed[at] is not passed[at - 1]]


def flakiness_of(passed: Sequence[bool]) -> float:
    """Turns beyond the first one, as a share of those that were possible: 0 to 1.

    `passed` are the results that say something about the model, oldest first; the newest FLAKINESS_RESULTS count. A
    test that broke once, or was fixed once, has 0; one that turns every time comes near 1.
    """
    newest = passed[-FLAKINESS_RESULTS:]
    return max(0, len(turns(newest)) - 1) / (len(newest) - 2) if len(newest) > 2 else 0.0


class Course(Enum):
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
    Ending.PASSED: Course.MEASURED,
    Ending.INACCURATE: Course.MEASURED,
    Ending.FAILED: Course.FAILED,
    Ending.CRASHED: Course.CRASHED,
    Ending.HUNG: Course.HUNG,
    Ending.SLOW: Course.STOPPED,
    Ending.OUT_OF_TIME: Course.STOPPED,
    Ending.FLAKY: Course.BOTH,
}


class Behaviour(NamedTuple):
    """What the results of one segment have in common."""

    course: Course
    stage: BringupStatus
    """Of the newest result."""
    cause: str
    """The signature of its failure; empty if it passed, or gives no reason."""
    level: tuple[float, float] | None
    """The lowest and the highest PCC; None if none was measured."""


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

    @property
    def behaviour(self) -> Behaviour:
        newest = self.rows[-1]
        numbers = [number for row in self.rows if (number := _number(row)) is not None]
        cause = signature(newest.steady) if newest.steady and newest.ending is not Ending.PASSED else ""
        level = (min(numbers), max(numbers)) if numbers else None
        return Behaviour(_COURSES[newest.ending], newest.stage, cause, level)


class Gap(NamedTuple):
    """The newest runs of the job of a cell, which report others and not it."""

    runs: int
    since: str
    """The first of them."""
    others: int
    """How many tests of the job the newest of them reports."""
    mentioned: float = 0.0
    """When a report last mentioned the cell, in seconds since the epoch."""
    suspect: str = ""
    """What a report names as the cause, as the rest of a sentence; empty: nothing."""


def gap_words(gap: Gap) -> str:
    """`no result in 3 runs, since nightly-3; 40 other tests of its job have one`, and the suspect."""
    verb = "has" if gap.others == 1 else "have"
    others = f"{counted(gap.others, 'other test')} of its job {verb} one"
    return f"no result in {counted(gap.runs, 'run')}, since {gap.since}; {others}{gap.suspect}"


LEAST_CUT = 10
"""Fewer tests that are gone at once may each be gone for a reason of their own."""


def is_cut(gone: int, left: int) -> bool:
    """Whether a run of a job that lacks so many of its tests, and has so many left, says nothing about single tests."""
    return gone >= LEAST_CUT and gone > left


class Series:
    """The results of one cell that say something about the model, oldest first, and what is missing behind them."""

    def __init__(self, rows: Iterable[Observation], gap: Gap | None = None) -> None:
        """`rows` are oldest first; `series_of` also takes them in any order."""
        # Not `in RAN`: hashing a member of an enum takes longer.
        self.rows = tuple(row for row in rows if row.ending is not Ending.NOT_RUN and row.ending is not Ending.BROKEN)
        self.gap = gap

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Oldest first. A segment begins where results begin to show a behaviour that none of those before it shows:
        another course, another cause, or numbers of another level. What comes and goes is one behaviour.
        """
        return tuple(reversed([*self._from_newest()]))

    def _from_newest(self) -> Iterator[Segment]:
        left = self.rows
        while left:
            start = newest_start(left)
            yield Segment(left[start:])
            left = left[:start]

    @cached_property
    def newest(self) -> Segment | None:
        """The last of `segments`, without cutting what is before it; None: it has never run."""
        return next(self._from_newest(), None)

    @cached_property
    def telling(self) -> tuple[Observation, ...]:
        """The results that say where it broke."""
        return tuple(row for row in self.rows if row.ending is not Ending.FLAKY)

    @cached_property
    def turns(self) -> Sequence[int]:
        """The positions in `telling` at which passes and failures turned into each other."""
        return turns([row.ending is Ending.PASSED for row in self.telling])

    @property
    def _start(self) -> int:
        return self.turns[-1] if self.turns else 0

    @property
    def spell(self) -> tuple[Observation, ...]:
        """The uninterrupted passes, or failures, at its end; of whatever cause."""
        return self.telling[self._start :]

    @property
    def before(self) -> Observation | None:
        """The last result before `spell`; None: all known results ended alike."""
        return self.telling[self._start - 1] if self._start else None

    @property
    def first_bad(self) -> Observation | None:
        """The first of the failures at its end; None: it passes, or has never run."""
        return self.spell[0] if self.telling and self.telling[-1].ending is not Ending.PASSED else None

    @property
    def last_good(self) -> Observation | None:
        """The newest pass."""
        return next((row for row in reversed(self.rows) if row.ending is Ending.PASSED), None)

    @property
    def turned(self) -> Observation | None:
        """Its newest result, if that is the first after a turn."""
        return turned_with(self.rows)

    @property
    def flakiness(self) -> float:
        """From 0 to 1, see `flakiness_of`."""
        return flakiness_of([row.ending is Ending.PASSED for row in self.rows])

    def start_of(self, at: int) -> int:
        """Where the behaviour of the result at a position begins, and it passed or failed as there."""
        first = 0
        for segment in self.segments:
            if at < first + len(segment.rows):
                break
            first += len(segment.rows)
        passed = self.rows[at].ending is Ending.PASSED
        return first + _suffix(self.rows[first : at + 1], lambda row: (row.ending is Ending.PASSED) is passed)

    def alike_before(self, at: int) -> tuple[Observation, ...]:
        """The last results before a position that ended alike, oldest first."""
        before = self.rows[:at]
        return before[_suffix(before, lambda row: row.ending is before[-1].ending) :]

    @property
    def flaky(self) -> bool:
        """Whether it keeps turning, so that its newest turn says little."""
        return self.flakiness > FLAKY_FROM

    def began(self, failure: Observation) -> Observation:
        """The first result of a failure of it: since a pass, or since it failed otherwise.

        Of a flaky cell, the first such failure among the results that flakiness is computed from.
        """
        if self.flaky:
            same = (row for row in self.rows[-FLAKINESS_RESULTS:] if row.ending is failure.ending)
            return next((row for row in same if _alike(row, failure)), failure)
        segment = next((one for one in self._from_newest() if failure in one.rows), None)
        rows = segment.rows[: segment.rows.index(failure) + 1] if segment else (failure,)
        return rows[_suffix(rows, lambda row: row.ending is not Ending.PASSED)]


def turned_with(rows: Sequence[Observation]) -> Observation | None:
    """The newest of some results, oldest first, that says where a test broke, if the one before it ended otherwise."""
    newest = [*islice((row for row in reversed(rows) if row.ending in _TELLING), 2)]
    if len(newest) < 2:
        return None
    now, before = newest
    return now if (now.ending is Ending.PASSED) is not (before.ending is Ending.PASSED) else None


# Compared one by one: hashing a member of an enum takes longer.
_TELLING = tuple(sorted(SAYS_WHERE, key=list(Ending).index))


def series_of(rows: Iterable[Observation], gap: Gap | None = None) -> Series:
    """The series of one cell from its results in any order; one that comes twice counts once."""
    return Series(sorted(dict.fromkeys(rows), key=order), gap)


def newest_start(rows: Sequence[Observation]) -> int:
    """The position at which the newest segment of `rows` begins; all of them say something about the model."""
    course = _COURSES[rows[-1].ending]
    start = _suffix(rows, lambda row: _COURSES[row.ending] is course)
    same = rows[start:]
    if course is Course.MEASURED:
        return start + _level_start(same)
    if course is Course.FAILED:
        newest = same[-1]
        began = _suffix(same, lambda row: _alike(row, newest))
        comes_and_goes = any(_alike(row, newest) for row in same[:began])
        return start + (0 if comes_and_goes else began)
    return start


def _alike(one: Observation, other: Observation) -> bool:
    """Whether two failures are one behaviour: of one cause, and not known to be of two stages."""
    unknown = BringupStatus.UNKNOWN
    return (one.stage is other.stage or unknown in (one.stage, other.stage)) and same_failure(one, other)


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
    if max(known) - min(known) <= LEVEL:
        return 0
    lows, highs = list(accumulate(known, min)), list(accumulate(known, max))
    for at, (low, high) in _ends(known):
        if low - highs[at - 1] > _MORE or lows[at - 1] - high > _MORE:
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
