# SPDX-License-Identifier: Apache-2.0
"""Where a number of a series changed its level, against its noise: steps, gradual changes, and what is new.

Four things are distinguished, because they look alike in a pair of nights:

- A single value that is far off is noise of another kind. It is replaced by the median of the five values around it
  (Hampel) before anything is looked for. Of the two at either end nobody knows whether they are single: they stay.
- A step has at least three values on either side. All steps are found together, by the least sum of squares with a
  price for each step (optimal partitioning), because a step hides another one from a test of one place at a time. Each
  must then pass the test of `core.evidence.analysis.noise`, and exceed 5 %, upstream's own limit. One or two values at
  an end may be a segment of their own there, so that a step is never put before them.
- A gradual change would be several steps. Steps in one direction are one change if a slope describes them better.
- The newest one or two values are too few for a step. They are new if they are 5 % off the median of the newest 14
  values of their level, beyond all of these, and further off than Student's t allows at 1 %, with the noise of the
  whole series around its levels. Two are new together if the first of them is nearer to the second than to those
  before; else it belongs to these. With fewer than three before, nothing is known.

Noise is a part of the level: the logarithms are looked at, where there are any. The price of a step is in the noise of
neighbours, half of whose differences lie below the median difference, whatever the level does.
Nights that are missing take no part: what lies between two values is the range of the change.

Tried on 600 series each: normal noise of 4 % over 4 to 90 nights is called a change in 1 to 4 of 100 series. After 30
nights a step of 12 %, three times the noise, is found after its first night in 64 of 100 (noise within 4 %: all), after
two nights in 85, after ten in 99; the night that is named is the first of it in 84 to 95 of 100, else one next to it. A
step of 24 % is found in its first night in all, and another night is named in less than 1. A drop of 20 % over 30
nights among noise of 2 % is one gradual change in 97 of 100.
"""

import math
import statistics
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from core.evidence.analysis.noise import Shift, difference, student

LEAST_CHANGE = 0.05
"""Upstream's own step fails a job from this drop on."""
LEAST_BEFORE = 3
"""Of fewer values, the noise is not known."""
RECENT = 14
"""So many values of a level are what a new one is compared with."""
_LEAST_SEGMENT = 3
_AROUND = 2
"""Values on either side that say what a single one should be."""
_OUTLIER = 3.5
_TO_SIGMA = 1.4826
"""A normal distribution's standard deviation, in median absolute deviations."""
_LEAST_NOISE = 0.005
"""As a part of the level: where two nights were equal by chance, the noise is not 0."""
_PRICE = 14.0
"""Of a step, in squares of the noise."""
_LEAST_SLOPE = 5
"""Values that a gradual change takes at least."""
_LARGEST = 1e50
"""The squares of larger numbers overflow. Numbers smaller than one part in it count as 0."""
_ENDS = 12
"""Places tried for either end of a slope."""


class ChangeKind(StrEnum):
    """How a level became another."""

    STEP = "step"
    GRADUAL = "gradual"
    NEW = "new"
    """One or two values: the nights after will tell."""


class ChangePoint(NamedTuple):
    """A change of the level between two values of a series."""

    kind: ChangeKind
    last: int
    """The place of the last value at the level before."""
    first: int
    """The place of the first value at the level after."""
    before: float
    after: float

    @property
    def change(self) -> float:
        """As a part of the level before: -0.12 is 12 % less."""
        return self.after / self.before - 1 if self.before else 0.0


class Levels(NamedTuple):
    """What a series does."""

    changes: tuple[ChangePoint, ...]
    """The oldest first."""
    far_off: bool
    """The newest value is 5 % off those before, and nobody can say whether that is noise."""


def levels_of(values: Sequence[float]) -> Levels:
    """The changes of a series, oldest value first; none where a value is too large for a measurement."""
    if any(abs(one) > _LARGEST for one in values):
        return Levels((), False)
    values = [one if abs(one) > 1 / _LARGEST else 0.0 for one in values]
    raw = _without_outliers(values) if len(values) > 1 else ()
    # Changes are parts of a level.
    if not (raw and statistics.median(values) and statistics.median(raw)):
        return Levels((), False)
    calm = _Scaled.of(raw)
    bounds = [0, *_partition(calm.values, calm.noise), len(values)]
    settled = _settled(calm, _between_levels(bounds))
    start = settled[-1].first if settled else 0
    new, far_off = _newest(values, calm, start, bounds)
    return Levels((*settled, *new), far_off)


class _Noise(NamedTuple):
    """The noise of a series around its levels."""

    deviation: float
    """The standard deviation, as a part of the level."""
    freedom: int
    """The number of values that it rests on, less one for each level."""


class _Scaled(NamedTuple):
    """A series in which the same noise lies around each level: performance varies by parts of itself."""

    raw: Sequence[float]
    values: Sequence[float]
    """The logarithms of `raw`; parts of its median, where it has none."""

    @classmethod
    def of(cls, raw: Sequence[float]) -> "_Scaled":
        if min(raw) > 0:
            return cls(raw, [math.log(one) for one in raw])
        middle = abs(statistics.median(raw))
        return cls(raw, [one / middle for one in raw])

    @property
    def noise(self) -> float:
        """That of neighbours, whatever the level does."""
        return _noise(self.values, 1.0)

    def noise_around(self, bounds: Sequence[int]) -> _Noise:
        """That of all values around the means between bounds."""
        parts = [self.values[start:end] for start, end in pairwise(bounds)]
        freedom = max(1, bounds[-1] - len(parts))
        return _Noise(max(math.sqrt(sum(map(_squares, parts)) / freedom), _LEAST_NOISE), freedom)


def _between_levels(bounds: Sequence[int]) -> list[int]:
    """`bounds` without one or two values at either end: these are no level yet, or none that is known."""
    first, last = bounds[0], bounds[-1]
    inner = bounds[1:-1]
    if inner and inner[0] - first < _LEAST_SEGMENT:
        first, inner = inner[0], inner[1:]
    if inner and last - inner[-1] < _LEAST_SEGMENT:
        last, inner = inner[-1], inner[:-1]
    return [first, *inner, last]


def _settled(calm: _Scaled, bounds: Sequence[int]) -> list[ChangePoint]:
    """Steps and gradual changes, each with enough values on either side."""
    found: list[ChangePoint] = []
    for places in _in_one_direction(calm.values, bounds):
        slope = _slope(calm, places)
        found += [slope] if slope else _steps(calm.raw, places)
    return found


def _without_outliers(values: Sequence[float]) -> list[float]:
    """The values without single ones that are far off; of the two at either end nobody knows whether they are."""
    calm = list(values)
    noise = _noise(values, abs(statistics.median(values)))
    for at in range(_AROUND, len(values) - _AROUND):
        middle = statistics.median(values[at - _AROUND : at + _AROUND + 1])
        if abs(values[at] - middle) > _OUTLIER * noise:
            calm[at] = middle
    return calm


def _noise(values: Sequence[float], level: float) -> float:
    """The standard deviation of the noise."""
    moved = statistics.median(abs(other - one) for one, other in pairwise(values))
    return max(_TO_SIGMA * moved / 2**0.5, _LEAST_NOISE * level)


def _partition(values: Sequence[float], noise: float) -> list[int]:
    """Where segments begin after the first one, so that squares and prices are least.

    The first and the last one may be shorter than others: what jumped in the newest night is not mixed with the nights
    before it, which would name one of these.
    """
    sums, squares = [0.0], [0.0]
    for value in values:
        sums.append(sums[-1] + value / noise)
        squares.append(squares[-1] + (value / noise) ** 2)
    count = len(values)
    best, came = [0.0] + [float("inf")] * count, [0] * (count + 1)
    for end in range(1, count + 1):
        least = 1 if end == count else _LEAST_SEGMENT
        for start in (0, *range(1, end - least + 1)):
            total = sums[end] - sums[start]
            cost = best[start] + squares[end] - squares[start] - total * total / (end - start)
            cost += _PRICE if start else 0.0
            if cost < best[end]:
                best[end], came[end] = cost, start
    starts = []
    at = count
    while at := came[at]:
        starts.append(at)
    return starts[::-1]


def _in_one_direction(values: Sequence[float], places: Sequence[int]) -> list[list[int]]:
    """The bounds of segments, in groups whose levels only rise or only fall; neighbours share a segment."""
    levels = [statistics.median(values[start:end]) for start, end in pairwise(places)]
    groups: list[list[int]] = []
    rising: bool | None = None
    for at in range(1, len(levels)):
        if (levels[at] > levels[at - 1]) is rising:
            groups[-1].append(places[at + 1])
        else:
            groups.append([*places[at - 1 : at + 2]])
        rising = levels[at] > levels[at - 1]
    return groups


def _steps(values: Sequence[float], places: Sequence[int]) -> list[ChangePoint]:
    """The steps between segments that are large enough, and no noise; what is too small is no bound."""
    found: list[ChangePoint] = []
    start = places[0]
    for at, end in pairwise(places[1:]):
        before, after = values[start:at], values[at:end]
        step = ChangePoint(ChangeKind.STEP, at - 1, at, statistics.median(before), statistics.median(after))
        if difference(before, after, LEAST_CHANGE) in (Shift.MORE, Shift.LESS):
            found.append(step)
            start = at
    return found


def _slope(calm: _Scaled, places: Sequence[int]) -> ChangePoint | None:
    """The gradual change that describes segments better than steps do; None: steps do."""
    begin, *inner, end = places
    values = calm.values
    some = values[begin:end]
    # A slope has two places and two levels; each step has a place and a level.
    best = sum(_squares(values[one:other]) for one, other in pairwise(places))
    best += calm.noise**2 * _PRICE * (len(inner) - 1.5)
    found = None
    for first in _tried(0, inner[0] - begin):
        for last in _tried(inner[-1] - begin, len(some)):
            if last - first >= _LEAST_SLOPE:
                squares, *_ = _fitted(some, first, last)
                if squares < best:
                    best, found = squares, (first, last)
    if found is None:
        return None
    first, last = found
    _, before, after = _fitted(calm.raw[begin:end], first, last)
    change = ChangePoint(ChangeKind.GRADUAL, begin + first, begin + last, before, after)
    return change if abs(change.change) >= LEAST_CHANGE else None


def _tried(start: int, stop: int) -> list[int]:
    """At most so many places, both ends among them."""
    count = min(_ENDS, stop - start)
    return [start + round(at * (stop - 1 - start) / max(1, count - 1)) for at in range(count)]


def _fitted(values: Sequence[float], first: int, last: int) -> tuple[float, float, float]:
    """The squares around a level, a slope from `first` to `last` and a level; and both levels."""
    part = [min(1.0, max(0.0, (at - first) / (last - first))) for at in range(len(values))]
    slope, before = statistics.linear_regression(part, values)
    return sum((value - before - slope * x) ** 2 for value, x in zip(values, part, strict=True)), before, before + slope


def _squares(values: Sequence[float]) -> float:
    middle = statistics.fmean(values)
    return sum((value - middle) ** 2 for value in values)


def _newest(
    values: Sequence[float], calm: _Scaled, start: int, bounds: Sequence[int]
) -> tuple[tuple[ChangePoint, ...], bool]:
    """The change that one or two values at the end show, those of the present level beginning at `start`.

    The second part: the newest value is far off, and with so few before it nobody knows the noise.
    """
    for count in (2, 1):
        at = len(values) - count
        first = max(start, at - RECENT)
        before = values[first:at]
        if not before or not (middle := statistics.median(before)):
            continue
        after = statistics.median(values[at:])
        if abs(after / middle - 1) < LEAST_CHANGE:
            continue
        if len(before) >= LEAST_BEFORE:
            if _is_beyond(values[first:at], values[at:]) and _is_new(calm, first, at, bounds):
                return (ChangePoint(ChangeKind.NEW, at - 1, at, middle, after),), False
        elif count == 1 and start == 0:
            return (), True
    return (), False


def _is_new(calm: _Scaled, first: int, at: int, bounds: Sequence[int]) -> bool:
    """Whether the values from the place `at` on are of another level than those from `first` on before it."""
    noise = calm.noise_around([*(one for one in bounds if one < at), at])
    before = calm.values[first:at]
    level = statistics.fmean(before)
    off = [one - level for one in calm.values[at:]]
    moved = statistics.fmean(off)
    # The first of two is nearer to the new level than to the old one, or it is the last night of that.
    own = 2 * abs(off[0]) >= abs(off[-1])
    limit = student(noise.freedom) * noise.deviation * math.sqrt(1 / len(off) + 1 / len(before))
    return own and abs(moved) > limit


def _is_beyond(before: Sequence[float], new: Sequence[float]) -> bool:
    """Whether all new values lie on one side of all before, also of those that were far off."""
    return min(new) > max(before) or max(new) < min(before)
