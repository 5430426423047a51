# SPDX-License-Identifier: Apache-2.0
"""Performance as text: a line for each number of a series, rows of a table, and JSON."""

from collections.abc import Iterable, Sequence

from core.base.text import counted, one_line, significant
from core.evidence.analysis.change_points import LEAST_BEFORE
from core.evidence.analysis.performance import PERFORMANCE, Measurement, MetricChange, PerfVerdict, Series, Trend
from core.runs.planning import shown_name

PERF_HEADER = ("test", "arch", "backend", "profile", "batch", "results", *PERFORMANCE)
_SHORT = 10
_MARKS = {
    Trend.REGRESSED: "regressed",
    Trend.IMPROVED: "improved",
    Trend.STEADY: "=",
    Trend.UNKNOWN: "",
    Trend.WITHOUT_BASE: "no baseline",
}


def perf_rows(found: Iterable[Series]) -> list[Sequence[str]]:
    """A row of a table for each series: the newest value of each number, and the verdict on it."""
    rows: list[Sequence[str]] = []
    for one in found:
        key = one.key
        batch = "" if key.batch_size is None else str(key.batch_size)
        numbers = [_cell(one.verdict(metric)) for metric in PERFORMANCE]
        rows.append((key.test_id, key.arch, key.backend, shown_name(key.profile), batch, str(len(one.rows)), *numbers))
    return rows


def perf_lines(one: Series) -> list[tuple[str, Trend]]:
    """A line for each number of a series, with its verdict."""
    lines = []
    for metric in one.metrics:
        if found := one.verdict(metric):
            lines.append((f"{metric:14} {significant(found.last, 5)}  {trend_words(found)}", found.trend))
            lines += [(f"  {change_words(change)}", change.trend) for change in one.changes(metric)]
    return lines


def change_words(one: MetricChange) -> str:
    """`step 41.2 -> 36.3 (-11.9%) between nightly-811 and nightly-812, commits 9004e04..95c1c1c`"""
    point = one.point
    level = f"{point.kind} {significant(point.before, 4)} -> {significant(point.after, 4)} ({point.change:+.1%})"
    where = f"between {_where(one.last)} and {_where(one.first)}"
    before, after = one.last.commit, one.first.commit
    if not (before and after):
        return one_line(f"{level} {where}")
    commits = f"commits {before[:_SHORT]}..{after[:_SHORT]}" if before != after else f"both of {after[:_SHORT]}"
    return one_line(f"{level} {where}, {commits}")


def _where(row: Measurement) -> str:
    return row.run or row.source


def series_name(one: Series) -> str:
    """The name of a series, without its test: `n150 tt bfp8, 12 results`."""
    key = one.key
    batch = "" if key.batch_size is None else f"batch {key.batch_size}"
    words = " ".join(filter(None, (key.arch, key.backend, key.profile, batch)))
    return f"{words}, {counted(len(one.rows), 'result')}"


def trend_words(found: PerfVerdict) -> str:
    """The verdict on a number in words, and how many results would give a more certain one."""
    if found.trend is Trend.WITHOUT_BASE or found.before is None:
        return str(Trend.WITHOUT_BASE)
    if found.trend is Trend.UNKNOWN:
        return f"{Trend.UNKNOWN}: {found.results} of at least {LEAST_BEFORE + 1}"
    change = f"{(found.after - found.before) / abs(found.before):+.1%}" if found.before else ""
    need = f"a step of 20 % needs {found.needed} on either side" if found.needed else "too noisy for a step of 20 %"
    return f"{found.trend} {change} of {found.results}; {need}"


def _cell(found: PerfVerdict | None) -> str:
    if found is None:
        return ""
    change = ""
    if found.trend in (Trend.REGRESSED, Trend.IMPROVED) and found.before:
        change = f" {(found.after - found.before) / abs(found.before):+.1%}"
    return f"{significant(found.last, 5)} {_MARKS[found.trend]}{change}".rstrip()
