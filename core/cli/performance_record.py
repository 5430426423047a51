# SPDX-License-Identifier: Apache-2.0
"""Numbers over time as JSON, with what lies between the ends of a change."""

from collections.abc import Callable
from functools import cache

from core.cli import records
from core.cli.commits_report import all_commits, pin_record
from core.cli.context import Context
from core.evidence.analysis import Measurement, MetricChange, Series
from core.evidence.nightly import Versions

Between = Callable[[str, str], Versions]
"""What lies between two commits of tt-xla."""


def between_commits(context: Context) -> Between:
    """Each pair of commits is looked up once."""
    return cache(context.evidence.between)


def performance_record(one: Series, between: Between) -> records.Performance:
    """A series as JSON: its key, the verdict on each number with its changes, and every result."""
    key = one.key
    return records.Performance(
        id=key.test_id,
        arch=key.arch,
        backend=key.backend,
        profile=key.profile,
        batch_size=key.batch_size,
        numbers={
            str(metric): records.PerformanceNumber(
                last=found.last,
                before=found.before,
                after=found.after,
                results=found.results,
                trend=found.trend,
                needed=found.needed,
                changes=[_change(change, between) for change in one.changes(metric)],
            )
            for metric in one.metrics
            if (found := one.verdict(metric))
        },
        results=[
            records.PerformanceResult(
                when=row.when, source=row.source, numbers={str(name): value for name, value in row.numbers.items()}
            )
            for row in one.rows
        ],
    )


def versions_of(one: MetricChange, between: Between) -> Versions | None:
    """What lies between the ends of a change; None: not both commits are known."""
    before, after = one.last.commit, one.first.commit
    return between(before, after) if before and after else None


def _change(one: MetricChange, between: Between) -> records.PerformanceChange:
    found = versions_of(one, between)
    return records.PerformanceChange(
        kind=str(one.point.kind),
        trend=one.trend,
        before=one.point.before,
        after=one.point.after,
        change=one.point.change,
        last=_end(one.last),
        first=_end(one.first),
        commits=all_commits(found) if found else [],
        pins=[pin_record(pin) for pin in found.pins] if found else [],
    )


def _end(row: Measurement) -> records.PerformanceEnd:
    return records.PerformanceEnd(
        run=row.run or None, source=row.source, commit=row.commit or None, url=row.url or None
    )
