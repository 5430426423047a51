# SPDX-License-Identifier: Apache-2.0
"""Runs of the same tests under several profiles as one table: test x profile, with spread, and what differs.

A number of two profiles differs where their medians are further apart than the wider of the two ranges (greatest minus
least), and than 2 % of the first; and only where each has three runs or more. With noise of 10 % (normal), two equal
profiles are called different in 6 % of the cases with 3 runs each, in 1.2 % with 4 and in 0.5 % with 5.
"""

import json
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.numbers import finite
from core.runs import Outcome
from core.runs.store import RunRecord

LEAST_RUNS = 3
"""Of fewer nobody can say what their noise is."""
LEAST_PART = 0.02
"""Of the first profile's median: what is less is no difference that anybody would act on."""
_MIB = 2**20


class Metric(StrEnum):
    """A number of a run."""

    PCC = "pcc"
    ATOL = "atol"
    COMPILE = "compile_s"
    RUN = "run_s"
    SAMPLES = "samples_per_s"
    PEAK = "peak_mb"


class Difference(StrEnum):
    """How a number compares with that of the first profile."""

    UNKNOWN = "unknown"
    """One of them has no number, or too few to know their noise."""
    NOISE = "noise"
    """Within the noise."""
    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The values of one metric in several runs."""

    values: tuple[float, ...]

    @property
    def median(self) -> float | None:
        return statistics.median(self.values) if self.values else None

    @property
    def spread(self) -> float:
        """The greatest minus the least."""
        return max(self.values) - min(self.values) if self.values else 0.0


@dataclass(frozen=True, slots=True)
class ProfileCell:
    """A test under one profile."""

    runs: tuple[RunRecord, ...]
    """In the order in which they were asked for."""
    numbers: Mapping[Metric, Numbers]

    @property
    def outcome(self) -> str:
        """`pass`, or `2 pass, 1 fail`; empty: it has no run."""
        counts = Counter(str(one.outcome or one.state) for one in self.runs)
        if len(counts) == 1:
            return next(iter(counts))
        return ", ".join(f"{count} {word}" for word, count in counts.most_common())


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """The cells of each test, by profile."""

    profiles: tuple[str, ...]
    """The first is what the others are compared with; empty: the default."""
    rows: Mapping[str, Mapping[str, ProfileCell]]

    def difference(self, test: str, profile: str, metric: Metric) -> Difference:
        """How a number of `profile` compares with that of the first one."""
        row = self.rows[test]
        return compare_numbers(row[self.profiles[0]].numbers[metric], row[profile].numbers[metric])


def profile_table(records: Iterable[RunRecord], profiles: Sequence[str]) -> ProfileTable:
    """The table of `records`; those of other profiles are left out."""
    found: dict[str, dict[str, list[RunRecord]]] = {}
    for record in records:
        if record.spec.profile in profiles:
            found.setdefault(record.spec.test_id, {}).setdefault(record.spec.profile, []).append(record)
    rows = {id: {name: _cell(runs.get(name, ())) for name in profiles} for id, runs in found.items()}
    return ProfileTable(tuple(profiles), rows)


def compare_numbers(first: Numbers, other: Numbers) -> Difference:
    """Whether two sets of numbers differ by more than their noise."""
    if min(len(first.values), len(other.values)) < LEAST_RUNS:
        return Difference.UNKNOWN
    before, after = statistics.median(first.values), statistics.median(other.values)
    apart = abs(after - before)
    if apart <= max(first.spread, other.spread) or apart <= LEAST_PART * abs(before):
        return Difference.NOISE
    return Difference.MORE if after > before else Difference.LESS


def measured(record: RunRecord) -> Mapping[Metric, float]:
    """The numbers of one run: those of its own report, and the memory that was seen from outside."""
    result = record.result or {}
    found: dict[Metric, float | None] = {}
    tags = result.get("tags")
    if isinstance(tags, Mapping):
        found = {Metric.PCC: finite(tags.get("pcc")), Metric.ATOL: finite(tags.get("atol"))}
    said = _performance(result)
    for metric in (Metric.COMPILE, Metric.RUN, Metric.SAMPLES):
        found[metric] = finite(said.get(metric))
    peak = finite(said.get("peak_bytes")) or record.peak_memory
    found[Metric.PEAK] = peak / _MIB if peak else None
    return {metric: number for metric, number in found.items() if number is not None}


def _cell(records: Sequence[RunRecord]) -> ProfileCell:
    of_runs = [measured(one) for one in records if one.outcome is not Outcome.ERROR]
    numbers = {metric: Numbers(tuple(one[metric] for one in of_runs if metric in one)) for metric in Metric}
    return ProfileCell(tuple(records), numbers)


def _performance(result: Mapping[str, object]) -> Mapping[str, object]:
    """What the built-in runner wrote down as JSON; empty where another one ran."""
    try:
        said = json.loads(str(result.get("performance") or "{}"))
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
