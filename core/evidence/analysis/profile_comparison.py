# SPDX-License-Identifier: Apache-2.0
"""Runs of the same tests under several profiles as one table: test x profile, with spread and differences.

Whether a number differs between two profiles is decided in `core.evidence.analysis.noise`.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.base.checked_numbers import finite
from core.evidence.analysis.noise import LEAST_PART, Shift, difference
from core.runs import HARMLESS, Outcome
from core.runs.store import RunRecord

_MIB = 2**20


class Metric(StrEnum):
    """A number of a run."""

    PCC = "pcc"
    ATOL = "atol"
    COMPILE = "compile_s"
    RUN = "run_s"
    SAMPLES = "samples_per_s"
    PEAK = "peak_mb"


_LEAST_PARTS = {Metric.PCC: 0.001}
"""The least relevant difference, if it is not `LEAST_PART`: thresholds of PCC are only hundredths apart."""


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
    """In the order of the request."""
    numbers: Mapping[Metric, Numbers]

    @property
    def outcome(self) -> str:
        """`pass`, or `1 fail, 2 pass`, failures first; empty: no run."""
        counts = Counter(str(one.outcome or one.state) for one in self.by_outcome)
        if len(counts) == 1:
            return next(iter(counts))
        return ", ".join(f"{count} {word}" for word, count in counts.items())

    @property
    def by_outcome(self) -> Sequence[RunRecord]:
        """The runs, failed ones first."""
        return sorted(self.runs, key=lambda one: one.outcome is None or one.outcome in HARMLESS)


@dataclass(frozen=True, slots=True)
class Change:
    """A number under a profile compared with that under the first profile."""

    part: float
    """As a part of the first median: 0.12 is 12 % more."""
    shift: Shift
    """Whether it is more than the noise."""

    def __str__(self) -> str:
        """`+12.0%`, in brackets with `?` if the noise is unknown, `=` if it is within the noise."""
        match self.shift:
            case Shift.UNKNOWN:
                return f"({self.part:+.1%}?)"
            case Shift.NOISE:
                return "="
        return f"{self.part:+.1%}"


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """The cells of each test, by profile."""

    profiles: tuple[str, ...]
    """The others are compared with the first one; an empty name is the default profile."""
    rows: Mapping[str, Mapping[str, ProfileCell]]

    def difference(self, test: str, profile: str, metric: Metric) -> Shift:
        """How a number under `profile` compares with that under the first profile."""
        row = self.rows[test]
        first, other = (row[name].numbers[metric].values for name in (self.profiles[0], profile))
        return difference(first, other, _LEAST_PARTS.get(metric, LEAST_PART))

    def change(self, test: str, profile: str, metric: Metric) -> Change | None:
        """The change against the first profile; None for that one, if a number is missing, or if the first is 0."""
        base, median = (self.rows[test][name].numbers[metric].median for name in (self.profiles[0], profile))
        if profile == self.profiles[0] or not base or median is None:
            return None
        return Change((median - base) / abs(base), self.difference(test, profile, metric))


def profile_table(records: Iterable[RunRecord], profiles: Sequence[str]) -> ProfileTable:
    """The table of `records`; those of other profiles are left out."""
    found: dict[str, dict[str, list[RunRecord]]] = {}
    for record in records:
        if record.spec.profile in profiles:
            found.setdefault(record.spec.test_id, {}).setdefault(record.spec.profile, []).append(record)
    rows = {id: {name: _cell(runs.get(name, ())) for name in profiles} for id, runs in found.items()}
    return ProfileTable(tuple(profiles), rows)


def measured(record: RunRecord) -> Mapping[Metric, float]:
    """The numbers of one run: those in its own report, and its memory as measured from outside."""
    said = record.said
    tags, numbers = said.tags, said.performance
    found: dict[Metric, float | None] = {Metric.PCC: finite(tags.get("pcc")), Metric.ATOL: finite(tags.get("atol"))}
    for metric in (Metric.COMPILE, Metric.RUN, Metric.SAMPLES):
        found[metric] = finite(numbers.get(metric))
    peak = said.peak_bytes or record.peak_memory
    found[Metric.PEAK] = peak / _MIB if peak else None
    return {metric: number for metric, number in found.items() if number is not None}


def _cell(records: Sequence[RunRecord]) -> ProfileCell:
    of_runs = [measured(one) for one in records if one.outcome is not Outcome.ERROR]
    numbers = {metric: Numbers(tuple(one[metric] for one in of_runs if metric in one)) for metric in Metric}
    return ProfileCell(tuple(records), numbers)
