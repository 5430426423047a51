# SPDX-License-Identifier: Apache-2.0
"""Performance of one run against the runs before: by the noise of the series, never by a single pair of nights."""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from core.evidence.analysis import (
    RECENT,
    ChangeKind,
    ChangePoint,
    Metric,
    Trend,
    course_of,
    levels_of,
    newest_change,
    numbers_of,
)
from core.evidence.perf_reports import PerfReport

NIGHTS = 90
"""So many runs before are looked at."""
SAMPLES = "samples/s"
RUN = "run s"
_SHOWN = {str(Metric.SAMPLES): SAMPLES, str(Metric.RUN): RUN}


class SpeedTrend(StrEnum):
    """What a number says."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STEADY = "steady"
    OTHER_UNIT = "another unit?"
    """It is about a thousand times, or a million times, what it was: no code is so much slower."""
    UNPROVEN = "too few nights"
    """It is far off, but the noise is not known."""
    WITHOUT_BASE = "no baseline"


class Speed(NamedTuple):
    """One number of a model or benchmark on an arch."""

    model: str
    arch: str
    metric: str
    values: tuple[float, ...]
    """Oldest first; the last one is that of the run."""
    trend: SpeedTrend
    url: str
    benchmark: bool
    runs: tuple[str, ...]
    """The run of each value."""
    point: ChangePoint | None
    """The change that the trend is about; None: the run shows none."""

    @property
    def after(self) -> float:
        return self.values[-1]

    @property
    def before(self) -> float | None:
        """The level before the change, else the median of the nights before; None: there is none."""
        if self.point is not None:
            return self.point.before
        return statistics.median(self._before) if self._before else None

    @property
    def since(self) -> str:
        """The first run at the present level, where that changed; else empty."""
        return self.runs[self.point.first] if self.point is not None else ""

    @property
    def last(self) -> str:
        """The last run at the level before, where that changed; else empty."""
        return self.runs[self.point.last] if self.point is not None else ""

    @property
    def gradual(self) -> bool:
        """Whether the level changed over several runs."""
        return self.point is not None and self.point.kind is ChangeKind.GRADUAL

    @property
    def nights(self) -> int:
        """How many runs it is compared with."""
        return len(self._before)

    @property
    def change(self) -> float | None:
        """As a part of what it was: -0.12 is 12 % less."""
        before = self.before
        return self.after / before - 1 if before else None

    @property
    def noise(self) -> float | None:
        """The greatest distance of a night before from its level, as a part of it; None: one night says nothing."""
        before = self.before
        if len(self._before) < 2 or not before:
            return None
        return max(abs(value / before - 1) for value in self._before)

    @property
    def _before(self) -> Sequence[float]:
        """The nights that it is compared with."""
        return self.values[: self.point.last + 1 if self.point is not None else -1][-RECENT:]


def speeds_of(run: str, earlier: Sequence[str], reports: Iterable[PerfReport]) -> list[Speed]:
    """The numbers of a run, those that moved most for the worse first. `earlier` are runs before it, newest first."""
    place = {name: at for at, name in enumerate((run, *earlier[:NIGHTS]))}
    series: dict[tuple[str, str, int | None, bool, str], dict[int, PerfReport]] = {}
    for one in sorted(reports, key=lambda one: one.when):
        if (at := place.get(one.run)) is not None:
            for metric in numbers_of(one):
                # A later attempt replaces an earlier one.
                series.setdefault((one.test_id, one.arch, one.batch_size, one.benchmark, metric), {})[at] = one
    found = [
        _speed(metric, [rows[at] for at in sorted(rows, reverse=True)])
        for (*_, metric), rows in series.items()
        if 0 in rows
    ]
    order = list(SpeedTrend)
    return sorted(found, key=lambda one: (order.index(one.trend), -abs(one.change or 0), one.model, one.arch))


def silent_in(run: str, base: str, reports: Iterable[PerfReport]) -> list[str]:
    """The benchmarks, with their archs, that one run has no number of and the one before has; or which number."""
    found: dict[str, dict[str, set[str]]] = {run: {}, base: {}}
    for one in reports:
        if one.benchmark and one.run in found:
            found[one.run].setdefault(f"{one.test_id} ({one.arch})", set()).update(numbers_of(one))
    return [*_silent(found[base], found[run])]


def _silent(before: Mapping[str, set[str]], after: Mapping[str, set[str]]) -> Iterator[str]:
    for name, metrics in sorted(before.items()):
        gone = sorted(_SHOWN.get(one, one) for one in metrics - after.get(name, set()))
        if metrics and not after.get(name):
            yield name
        elif gone:
            yield f"{name}: {', '.join(gone)}"


def _speed(metric: str, reports: Sequence[PerfReport]) -> Speed:
    """The number of the newest report among those of the same."""
    values = tuple(numbers_of(one)[metric] for one in reports)
    levels = levels_of(values)
    trend = _TRENDS[course_of(metric, values, levels)]
    moved = trend in (SpeedTrend.REGRESSED, SpeedTrend.IMPROVED)
    point = newest_change(values, levels) if moved else None
    before = point.before if point else statistics.median(values[:-1] or values)
    if _is_other_unit(before, values[-1]):
        trend, point = SpeedTrend.OTHER_UNIT, None
    elif trend is SpeedTrend.UNPROVEN and not levels.far_off:
        trend = SpeedTrend.STEADY
    new = reports[-1]
    runs = tuple(one.run for one in reports)
    name = _SHOWN.get(metric, metric)
    return Speed(new.test_id, new.arch, name, values, trend, new.job, new.benchmark, runs, point)


def _is_other_unit(before: float, after: float) -> bool:
    """Whether two numbers are so far apart as seconds and milliseconds, or microseconds."""
    ratio = max(before, after) / min(before, after) if before > 0 and after > 0 else 1.0
    return any(unit / _NEAR <= ratio <= unit * _NEAR for unit in (1e3, 1e6, 1e9))


_NEAR = 2.0
_TRENDS = {
    Trend.REGRESSED: SpeedTrend.REGRESSED,
    Trend.IMPROVED: SpeedTrend.IMPROVED,
    Trend.STEADY: SpeedTrend.STEADY,
    Trend.UNKNOWN: SpeedTrend.UNPROVEN,
    Trend.WITHOUT_BASE: SpeedTrend.WITHOUT_BASE,
}
