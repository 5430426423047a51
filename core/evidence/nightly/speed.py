# SPDX-License-Identifier: Apache-2.0
"""Performance of one run against the runs before: by the noise of the series, never by a single pair of nights."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from core.evidence.perf_reports import PerfReport

NIGHTS = 14
"""So many runs before are what a number is compared with."""
LEAST_NIGHTS = 3
"""Of fewer, the noise is not known."""
DROP = 0.05
"""Upstream's own step fails a job from this drop on."""
_DEVIATIONS = 2.5
_TO_SIGMA = 1.4826
"""A normal distribution's standard deviation, in median absolute deviations."""
SAMPLES = "samples/s"
RUN = "run s"
_MORE_IS_BETTER = ("sample", "token", "tps", "throughput", "accuracy", "pcc", "top1", "top5", "per_sec")
_LESS_IS_BETTER = ("ttft", "time", "duration", "latency", "memory", "dram", "compile", RUN)


class SpeedTrend(StrEnum):
    """What a number says."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STEADY = "steady"
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

    @property
    def after(self) -> float:
        return self.values[-1]

    @property
    def before(self) -> float | None:
        """The median of the nights before; None: there is none."""
        return statistics.median(self.values[:-1]) if len(self.values) > 1 else None

    @property
    def change(self) -> float | None:
        """As a part of what it was: -0.12 is 12 % less."""
        before = self.before
        return self.after / before - 1 if before else None

    @property
    def noise(self) -> float | None:
        """The greatest distance of a night before from their median, as a part of it; None: one night says nothing."""
        before = self.before
        if len(self.values) < 3 or not before:
            return None
        return max(abs(value / before - 1) for value in self.values[:-1])


def speeds_of(run: str, earlier: Sequence[str], reports: Iterable[PerfReport]) -> list[Speed]:
    """The numbers of a run, those that moved most for the worse first. `earlier` are runs before it, newest first."""
    place = {name: at for at, name in enumerate((run, *earlier[:NIGHTS]))}
    series: dict[tuple[str, str, int | None, bool, str], dict[int, tuple[float, str]]] = {}
    for one in sorted(reports, key=lambda one: one.when):
        if (at := place.get(one.run)) is not None:
            for metric, value in _numbers(one):
                # A later attempt replaces an earlier one.
                key = one.test_id, one.arch, one.batch_size, one.benchmark, metric
                series.setdefault(key, {})[at] = value, one.job
    found = [
        _speed(model, arch, metric, [rows[at][0] for at in sorted(rows, reverse=True)], rows[0][1], benchmark)
        for (model, arch, _, benchmark, metric), rows in series.items()
        if 0 in rows
    ]
    order = list(SpeedTrend)
    return sorted(found, key=lambda one: (order.index(one.trend), -abs(one.change or 0), one.model, one.arch))


def _numbers(report: PerfReport) -> Iterator[tuple[str, float]]:
    if report.samples_per_s is not None:
        yield SAMPLES, report.samples_per_s
    if report.run_s is not None:
        yield RUN, report.run_s
    yield from report.other.items()


def _speed(model: str, arch: str, metric: str, values: Sequence[float], url: str, benchmark: bool) -> Speed:
    return Speed(model, arch, metric, tuple(values), _trend(metric, values), url, benchmark)


def _trend(metric: str, values: Sequence[float]) -> SpeedTrend:
    *before, now = values
    if not before:
        return SpeedTrend.WITHOUT_BASE
    middle = statistics.median(before)
    change = now / middle - 1 if middle else 0.0
    if abs(change) < DROP or not (better := _better(metric)):
        return SpeedTrend.STEADY
    if len(before) < LEAST_NIGHTS:
        return SpeedTrend.UNPROVEN
    sigma = _TO_SIGMA * statistics.median(abs(value - middle) for value in before)
    beyond = now < min(before) if change < 0 else now > max(before)
    if not beyond or abs(now - middle) <= _DEVIATIONS * sigma:
        return SpeedTrend.STEADY
    return SpeedTrend.IMPROVED if (change > 0) == (better > 0) else SpeedTrend.REGRESSED


def _better(metric: str) -> int:
    """1 if more of it is better, -1 if less is, 0 if nobody knows."""
    name = metric.lower()
    if any(word in name for word in _MORE_IS_BETTER) and name not in ("total_samples",):
        return 1
    return -1 if any(word in name for word in _LESS_IS_BETTER) else 0
