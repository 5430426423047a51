# SPDX-License-Identifier: Apache-2.0
"""Times, throughput and memory of each test over time, from local runs and upstream's reports, with verdicts.

Only like results are compared: the same test on the same arch, with the same backend, profile and batch size. The
verdict on a number compares the newest 10 results with the 20 before them, or with fewer results the newer half with
the older one, by the test in `core.evidence.analysis.noise`.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from core.evidence.analysis.noise import Shift, difference, needed
from core.evidence.analysis.profile_comparison import Metric, measured
from core.evidence.perf_reports import PerfReport
from core.matrix.query import VerdictColumns
from core.runs import Outcome, planning
from core.runs.store import RunRecord

PERFORMANCE = (Metric.SAMPLES, Metric.RUN, Metric.COMPILE, Metric.PEAK)
"""The metrics that have a series."""
MORE_IS_BETTER = frozenset({Metric.PCC, Metric.SAMPLES})
NEWEST, BEFORE = 10, 20
"""Number of results on either side of a verdict."""
STEP = 0.2
"""The relative change for which the number of needed results is given."""
_REPORTED, _BENCHMARK = "report", "benchmark"


class Trend(StrEnum):
    """How the newest results compare with those before."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STEADY = "steady"
    UNKNOWN = "too few results"


class SeriesKey(NamedTuple):
    """What results must have in common to be compared."""

    test_id: str
    arch: str
    backend: str
    """What ran it: `tt`, `xla`, `inductor`; `report` for upstream's reports, `benchmark` for those of benchmarks; the
    kind of run if unknown."""
    profile: str
    batch_size: int | None


class Measurement(NamedTuple):
    """The numbers of one result."""

    when: float
    """Seconds since the epoch."""
    source: str
    """The run, or the file of the report."""
    numbers: Mapping[Metric, float]


@dataclass(frozen=True, slots=True)
class PerfVerdict:
    """The verdict on one number of a series."""

    trend: Trend
    last: float
    before: float | None
    """The median of the results before; None: there is none."""
    after: float
    """The median of the newest results."""
    results: int
    needed: int | None
    """How many results on either side would find a step of 20 % in nine cases of ten; None: not known."""


@dataclass(frozen=True, slots=True)
class Series:
    """The results of one key, oldest first."""

    key: SeriesKey
    rows: Sequence[Measurement]

    def values(self, metric: Metric) -> list[float]:
        """All values of a number, oldest first."""
        return [row.numbers[metric] for row in self.rows if metric in row.numbers]

    def verdict(self, metric: Metric) -> PerfVerdict | None:
        """The verdict on the newest results; None: none of them has this number."""
        values = self.values(metric)
        if not values:
            return None
        newest = min(NEWEST, max(1, len(values) // 2))
        before, after = values[:-newest][-BEFORE:], values[-newest:]
        middle = statistics.median(before) if before else None
        found = difference(before, after)
        trend = {Shift.UNKNOWN: Trend.UNKNOWN, Shift.NOISE: Trend.STEADY}.get(found)
        better = (found is Shift.MORE) == (metric in MORE_IS_BETTER)
        trend = trend or (Trend.IMPROVED if better else Trend.REGRESSED)
        count = len(before) + len(after)
        return PerfVerdict(trend, values[-1], middle, statistics.median(after), count, needed(before, after, STEP))


def series_of(records: Iterable[RunRecord], reports: Iterable[PerfReport]) -> list[Series]:
    """The series, by key, of all reports and of all runs that passed or got as far as the comparison."""
    found: dict[SeriesKey, list[Measurement]] = {}
    for record in records:
        if not record.active and record.outcome is not Outcome.ERROR and not _untimed(record):
            numbers = {name: value for name, value in measured(record).items() if name in PERFORMANCE}
            if numbers:
                row = Measurement(record.started or 0.0, record.spec.run_id, numbers)
                found.setdefault(_key(record), []).append(row)
    for one in reports:
        timed = {Metric.RUN: one.run_s, Metric.SAMPLES: one.samples_per_s}
        numbers = {name: value for name, value in timed.items() if value is not None}
        backend = _BENCHMARK if one.benchmark else _REPORTED
        key = SeriesKey(one.test_id, one.arch, backend, "", one.batch_size)
        found.setdefault(key, []).append(Measurement(one.when, one.source, numbers))
    ordered = sorted(found.items(), key=lambda item: tuple(map(str, item[0])))
    return [Series(key, sorted(rows, key=lambda row: row.when)) for key, rows in ordered]


def with_numbers(judged: VerdictColumns, records: Sequence[RunRecord], reports: Sequence[PerfReport]) -> VerdictColumns:
    """`judged` with the newest numbers under the default profile, for query fields such as `samples_per_s:`."""
    return replace(judged, numbers=lambda: newest_numbers(series_of(records, reports)))


def newest_numbers(found: Iterable[Series]) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """The newest value of each number as text, by id, arch and name. CPU repros measure no times and are left out."""
    newest: dict[tuple[str, str, Metric], tuple[float, float]] = {}
    for one in found:
        if one.key.profile or one.key.backend == "cpu":
            continue
        for row in one.rows:
            for metric, value in row.numbers.items():
                place = one.key.test_id, one.key.arch, metric
                newest[place] = max(newest.get(place, (-1.0, 0.0)), (row.when, value))
    texts: dict[str, dict[str, dict[str, str]]] = {}
    for (id, arch, metric), (_, value) in newest.items():
        texts.setdefault(id, {}).setdefault(arch, {})[metric.value] = f"{value:.6g}"
    return texts


def _untimed(record: RunRecord) -> bool:
    """Whether it runs something other than the test."""
    others = (planning.BISECT_KIND, planning.EXTRACT_KIND, *planning.EXPORT_KINDS)
    return bool(record.spec.cases) or record.spec.kind in others


def _key(record: RunRecord) -> SeriesKey:
    result = record.result or {}
    tags = result.get("tags")
    tags = tags if isinstance(tags, Mapping) else {}
    batch = tags.get("batch_size")
    arch = record.spec.arch or str(tags.get("arch") or "")
    backend = str(result.get("backend") or record.spec.kind)
    return SeriesKey(record.spec.test_id, arch, backend, record.spec.profile, batch if type(batch) is int else None)
