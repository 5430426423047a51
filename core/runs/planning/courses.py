# SPDX-License-Identifier: Apache-2.0
"""How far batches are, and how long they still take: their runs are gone through once, and asked about at any time."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from core.runs.case_results import case_progress
from core.runs.outcome import FAILURES
from core.runs.store import RunRecord, RunState


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of batches."""

    total: int
    left: int
    """The number of runs that have not ended."""
    seconds: float | None
    """Seconds until they will have, as far as there are estimates; None: there are none, or all are on hold."""
    unknown: int = 0
    """Those of them without an estimate: it takes at least `seconds`."""
    running: int = 0
    held: int = 0
    """Those that wait until somebody releases them: `seconds` does not count them."""
    failed: int = 0

    @property
    def done(self) -> int:
        """The number of runs that have ended."""
        return self.total - self.left


def batch_of(record: RunRecord) -> str:
    """The name of the batch of a run; one that was requested alone is a batch of its own."""
    return record.spec.batch or record.spec.run_id


class _Left(NamedTuple):
    """What is left of runs for the same slots."""

    known: int
    """The number of runs with an estimate."""
    unknown: int
    seconds: float
    """Seconds until those with an estimate will have ended."""


class Ahead:
    """The active runs, in the order of their turns: what a batch waits for is known without going through them."""

    def __init__(self, records: Iterable[RunRecord]) -> None:
        """Of `records`, those that have ended or are on hold keep nobody waiting."""
        found: dict[str, list[RunRecord]] = {}
        for record in records:
            if record.active and not record.held:
                found.setdefault(record.spec.slots, []).append(record)
        self._lines = {slots: _Line(some) for slots, some in found.items()}

    def left(self, slots: Iterable[str], last: int, now: float) -> tuple[float | None, int]:
        """Seconds until all have ended that run in one of these slots, or wait for one up to the turn `last`.

        None: there are none, or none has an estimate. Then the number of those without one.
        """
        lines = [self._lines[name].left(last, now) for name in slots]
        seconds = max((one.seconds for one in lines if one.known), default=None)
        return seconds, sum(one.unknown for one in lines)


class _Line:
    """The runs for the same slots: only of those that run already does the time left depend on the time."""

    def __init__(self, records: Sequence[RunRecord]) -> None:
        self._width = max(1, records[-1].spec.slot_count)
        self._running = [record for record in records if record.state is RunState.RUNNING]
        waiting = sorted((record for record in records if record.state is not RunState.RUNNING), key=_turn)
        self._turns = [*map(_turn, waiting)]
        estimates = [record.spec.estimate for record in waiting]
        # Of the first so many that wait.
        self._known = [0, *accumulate(one is not None for one in estimates)]
        self._sums = [0.0, *accumulate(one or 0.0 for one in estimates)]
        self._longest = [0.0, *accumulate((one or 0.0 for one in estimates), max)]

    def left(self, last: int, now: float) -> _Left:
        """What is left of those that run, and of those that wait up to the turn `last`.

        There are as many at a time as the slots allow; on several machines there may be more: as many as run now. A run
        without an estimate counts for nothing.
        """
        at = bisect_right(self._turns, last)
        running = [seconds for record in self._running if (seconds := _seconds_left(record, now)) is not None]
        known = self._known[at] + len(running)
        in_turn = (self._sums[at] + sum(running)) / max(self._width, len(self._running))
        return _Left(known, at + len(self._running) - known, max(self._longest[at], *running, in_turn))


def _turn(record: RunRecord) -> int:
    return record.turn or 0


def _seconds_left(record: RunRecord, now: float) -> float | None:
    """Seconds that a running run still takes; of a run of op cases, by those that are done. None: that is unknown."""
    if record.spec.cases and record.started is not None:
        come = case_progress(record, now)
        return come.seconds if come is not None else None
    if record.spec.estimate is None:
        return None
    return max(0.0, record.spec.estimate - (now - record.started if record.started is not None else 0.0))


class Course:
    """A batch, or several, on the way: how far it is at any time."""

    def __init__(self, members: Sequence[RunRecord], ahead: Ahead) -> None:
        """`ahead` has all active runs: those that run, or wait before the last one of `members`, take their time."""
        left = [record for record in members if record.active]
        awaited = [record for record in left if not record.held]
        self._ahead = ahead
        self._slots = {record.spec.slots for record in awaited}
        self._last = max(map(_turn, awaited), default=0)
        self._counted = Progress(
            total=len(members),
            left=len(left),
            seconds=None if left else 0.0,
            running=sum(record.state is RunState.RUNNING for record in left),
            held=len(left) - len(awaited),
            failed=sum(record.outcome in FAILURES for record in members),
        )
        spans = [(record.started, record.started + (record.seconds or 0.0)) for record in members if record.started]
        self.begun = min((start for start, _ in spans), default=None)
        """The time of its first start, in seconds since the epoch; None: nothing has started."""
        self._ended = max((end for _, end in spans), default=None) if not left else None

    def at(self, now: float) -> Progress:
        """The progress at a time, in seconds since the epoch."""
        if not self._counted.left:
            return self._counted
        seconds, unknown = self._ahead.left(self._slots, self._last, now)
        return replace(self._counted, seconds=seconds, unknown=unknown)

    def taken(self, now: float) -> float | None:
        """Seconds from its first start to its last end, or to `now` before that; None: nothing has started."""
        if self.begun is None:
            return None
        return max(0.0, (now if self._ended is None else self._ended) - self.begun)


def course_of(records: Sequence[RunRecord]) -> Course:
    """The course of all batches with active runs, of these records."""
    names = {batch_of(record) for record in records if record.active}
    members = [record for record in records if batch_of(record) in names] if names else []
    return Course(members, Ahead(members))
