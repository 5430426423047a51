# SPDX-License-Identifier: Apache-2.0
"""Times, throughput and memory of each test over time, from local runs and upstream's reports, with verdicts.

Only like results are compared: the same test on the same arch, with the same backend, profile and batch size. The
verdict on a number is that of the newest change of its level, if that is among the newest 10 results:
`core.evidence.analysis.change_points` says where levels change.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from core.evidence.analysis.change_points import LEAST_BEFORE, ChangePoint, Levels, levels_of
from core.evidence.analysis.noise import needed
from core.evidence.analysis.profile_comparison import Metric, measured
from core.evidence.perf_reports import PerfReport
from core.matrix import BENCHMARK_KIND, row_id
from core.matrix.query import VerdictColumns
from core.runs import Outcome, planning
from core.runs.store import RunRecord

PERFORMANCE = (Metric.SAMPLES, Metric.RUN, Metric.COMPILE, Metric.PEAK)
"""The metrics that every series may have; reports have others, such as `ttft`."""
NEWEST = 10
"""A change counts for the verdict as long as it is among so many results."""
STEP = 0.2
"""The relative change for which the number of needed results is given."""
_REPORTED, _BENCHMARK = "report", "benchmark"


class Trend(StrEnum):
    """How the newest results compare with those before."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STEADY = "steady"
    UNKNOWN = "too few results"
    WITHOUT_BASE = "no baseline"
    """There is nothing before the newest result."""


class SeriesKey(NamedTuple):
    """What results must have in common to be compared."""

    test_id: str
    arch: str
    backend: str
    """What ran it: `tt`, `xla`, `inductor`; `report` for upstream's reports, `benchmark` for those of benchmarks; the
    kind of run if unknown."""
    profile: str
    batch_size: int | None

    @property
    def row_id(self) -> str:
        """The id of the row of the matrix that was timed."""
        return row_id(BENCHMARK_KIND, self.test_id) if self.backend == _BENCHMARK else self.test_id


class Measurement(NamedTuple):
    """The numbers of one result."""

    when: float
    """Seconds since the epoch."""
    source: str
    """The run, or the file of the report."""
    numbers: Mapping[str, float]
    run: str = ""
    """The run of CI; empty: it is of none."""
    commit: str = ""
    """That of tt-xla; empty: unknown."""
    url: str = ""
    """The page of its job; empty: unknown."""


@dataclass(frozen=True, slots=True)
class PerfVerdict:
    """The verdict on one number of a series."""

    trend: Trend
    last: float
    before: float | None
    """The level before the newest change, else the median of the older half; None: there is no result before."""
    after: float
    """The level after it, else the median of the newer half."""
    results: int
    needed: int | None
    """How many results on either side would find a step of 20 % in nine cases of ten; None: not known."""


class MetricChange(NamedTuple):
    """A change of the level of a number, with the results between which it lies."""

    metric: str
    point: ChangePoint
    trend: Trend
    last: Measurement
    """The last result at the level before."""
    first: Measurement
    """The first result at the level after."""


@dataclass(frozen=True, slots=True)
class Series:
    """The results of one key, oldest first."""

    key: SeriesKey
    rows: Sequence[Measurement]

    @property
    def metrics(self) -> Sequence[str]:
        """The names of its numbers: those that every series may have come first."""
        named = {name for row in self.rows for name in row.numbers}
        return [*(one for one in PERFORMANCE if one in named), *sorted(named - {*PERFORMANCE})]

    def values(self, metric: str) -> list[float]:
        """All values of a number, oldest first."""
        return [row.numbers[metric] for row in self.rows if metric in row.numbers]

    def changes(self, metric: str) -> list[MetricChange]:
        """Where the level of a number changed, the oldest change first."""
        rows = [row for row in self.rows if metric in row.numbers]
        found = levels_of([row.numbers[metric] for row in rows])
        return [
            MetricChange(metric, one, trend_of(metric, one), rows[one.last], rows[one.first]) for one in found.changes
        ]

    def verdict(self, metric: str) -> PerfVerdict | None:
        """The verdict on the newest results; None: none of them has this number."""
        values = self.values(metric)
        if not values:
            return None
        found = levels_of(values)
        newest = newest_change(values, found)
        half = newest.first if newest else len(values) - min(NEWEST, max(1, len(values) // 2))
        before, after = values[:half], values[half:]
        return PerfVerdict(
            course_of(metric, values, found),
            values[-1],
            newest.before if newest else statistics.median(before) if before else None,
            newest.after if newest else statistics.median(after),
            len(values),
            needed(before, after, STEP),
        )


def newest_change(values: Sequence[float], found: Levels) -> ChangePoint | None:
    """The newest change, if it is one of the newest results."""
    recent = [one for one in found.changes if len(values) - one.first <= NEWEST]
    return recent[-1] if recent else None


def course_of(metric: str, values: Sequence[float], found: Levels) -> Trend:
    """What the newest results of a series say."""
    if len(values) < 2:
        return Trend.WITHOUT_BASE
    if newest := newest_change(values, found):
        return trend_of(metric, newest)
    return Trend.UNKNOWN if len(values) <= LEAST_BEFORE or found.far_off else Trend.STEADY


def trend_of(metric: str, one: ChangePoint) -> Trend:
    """Whether a change is for the worse. Of a number of which nobody knows it, a change is none."""
    way = better(metric)
    if not way:
        return Trend.STEADY
    return Trend.IMPROVED if (one.change > 0) == (way > 0) else Trend.REGRESSED


_MORE_IS_BETTER = (
    *("sample", "token", "tps", "throughput", "accuracy", "pcc", "top1", "top5", "per_s", "score", "utilization"),
)
_LESS_IS_BETTER = ("ttft", "time", "duration", "latency", "memory", "dram", "peak", "compile", "overhead", "atol")
_SECONDS = ("_s", " s", "_ms", " ms")
_COUNTS = ("total_samples", "num_", "count", "iteration")
"""Parts of names of numbers, those of runs here and of upstream's reports."""


def better(metric: str) -> int:
    """1 if more of it is better, -1 if less is, 0 if nobody knows."""
    name = metric.lower()
    if name.startswith(_COUNTS):
        return 0
    if any(word in name for word in _MORE_IS_BETTER):
        return 1
    return -1 if name.endswith(_SECONDS) or any(word in name for word in _LESS_IS_BETTER) else 0


def series_of(records: Iterable[RunRecord], reports: Iterable[PerfReport]) -> list[Series]:
    """The series, by key, of all reports and of all runs that passed or got as far as the comparison."""
    found: dict[SeriesKey, list[Measurement]] = {}
    for record in records:
        if not record.active and record.outcome is not Outcome.ERROR and not _untimed(record):
            numbers: dict[str, float] = {name: value for name, value in measured(record).items() if name in PERFORMANCE}
            if numbers:
                commit = record.tree.commit if record.tree else ""
                row = Measurement(record.started or 0.0, record.spec.run_id, numbers, commit=commit)
                found.setdefault(_key(record), []).append(row)
    for one in reports:
        backend = _BENCHMARK if one.benchmark else _REPORTED
        key = SeriesKey(one.test_id, one.arch, backend, "", one.batch_size)
        row = Measurement(one.when, one.source, numbers_of(one), one.run, one.commit, one.job)
        found.setdefault(key, []).append(row)
    ordered = sorted(found.items(), key=lambda item: tuple(map(str, item[0])))
    return [Series(key, sorted(rows, key=lambda row: row.when)) for key, rows in ordered]


def numbers_of(report: PerfReport) -> dict[str, float]:
    """The numbers of a report, by name."""
    timed: dict[str, float | None] = {Metric.RUN: report.run_s, Metric.SAMPLES: report.samples_per_s}
    return {name: value for name, value in timed.items() if value is not None} | dict(report.other)


def with_numbers(judged: VerdictColumns, records: Sequence[RunRecord], reports: Sequence[PerfReport]) -> VerdictColumns:
    """`judged` with the newest numbers under the default profile, for query fields such as `samples_per_s:`."""
    return replace(judged, numbers=lambda: newest_numbers(series_of(records, reports)))


def newest_numbers(found: Iterable[Series]) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """The newest value of each number as text, by id, arch and name. CPU repros measure no times and are left out."""
    newest: dict[tuple[str, str, str], tuple[float, float]] = {}
    for one in found:
        if one.key.profile or one.key.backend == "cpu":
            continue
        for row in one.rows:
            for metric, value in row.numbers.items():
                place = one.key.row_id, one.key.arch, metric
                newest[place] = max(newest.get(place, (-1.0, 0.0)), (row.when, value))
    texts: dict[str, dict[str, dict[str, str]]] = {}
    for (id, arch, metric), (_, value) in newest.items():
        texts.setdefault(id, {}).setdefault(arch, {})[str(metric)] = f"{value:.6g}"
    return texts


def _untimed(record: RunRecord) -> bool:
    """Whether it runs something other than the test."""
    others = (planning.BISECT_KIND, planning.EXTRACT_KIND, *planning.EXPORT_KINDS)
    return bool(record.spec.cases) or record.spec.kind in others


def _key(record: RunRecord) -> SeriesKey:
    said = record.said
    batch = said.tags.get("batch_size")
    arch = record.spec.arch or str(said.tags.get("arch") or "")
    backend = said.backend or record.spec.kind
    return SeriesKey(record.spec.test_id, arch, backend, record.spec.profile, batch if type(batch) is int else None)
