# SPDX-License-Identifier: Apache-2.0
"""The contents of `ttmatrix report`, independent of its form; and the contents as JSON."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.cli import records
from core.domain.model import Status
from core.evidence.analysis import IssueAdvice, Night
from core.evidence.progress import (
    HostHealth,
    Progress,
    Series,
    Stale,
    Turned,
    day_text,
    typical_days,
)
from core.evidence.verdicts import Verdict

MOST_ROWS = 15
"""Most rows of a list in a text for people; the others are counted."""


MISSING_HEADS = ("arch", "test", "missing since run", "runs without it", "last seen")


class Linked(NamedTuple):
    """A text of a table with the page of its job or run; empty: none is known."""

    text: str
    url: str = ""


class Report(NamedTuple):
    """The state of a checkout's tests."""

    name: str
    """Name of the checkout."""
    arch: str
    """Empty: all."""
    progress: Progress
    issues: Sequence[IssueAdvice]
    ops: Mapping[str, Sequence[Night]] = MappingProxyType({})
    """By backend, the results of op cases day by day."""
    jobs: Mapping[tuple[str, str, str], str] = MappingProxyType({})
    """The pages of the jobs in which cells turned, by id, arch and run."""
    runs: Mapping[str, str] = MappingProxyType({})
    """The pages of runs of CI, by name."""

    def since(self, one: Turned) -> Linked:
        """The run since which a cell is otherwise, with the page of its job."""
        return Linked(one.run, self.jobs.get((one.id, one.arch, one.run), "") or self.runs.get(one.run, ""))

    def run(self, name: str) -> Linked:
        """A run with its page."""
        return Linked(name, self.runs.get(name, ""))


def report_document(report: Report) -> records.Report:
    """The report as JSON. Rates are 0 to 1, null where nothing ran; days and weeks end in UTC."""
    progress, measured = report.progress, report.progress.measured
    days = [day_text(number) for number in progress.days]
    return records.Report(
        checkout=report.name,
        arch=report.arch or None,
        by=progress.by,
        since=day_of(progress.since),
        until=day_of(progress.now),
        results=sum(measured.total.ran),
        days=days,
        total=_series(measured.total),
        archs=[_series(one) for one in measured.archs],
        groups=[_series(one) for one in measured.groups],
        without_hosts=list(progress.without),
        verdicts={verdict: progress.verdicts.get(verdict, 0) for verdict in Verdict},
        turned=[_turned(one, report.since(one).url) for one in measured.turned],
        missing=[
            records.MissingCell(
                id=one.id,
                arch=one.arch,
                run=one.since,
                runs=one.runs,
                day=day_of(one.mentioned),
                url=report.runs.get(one.since),
            )
            for one in progress.missing
        ],
        flaky=[
            records.FlakyCell(id=one.id, arch=one.arch, flakiness=round(one.flakiness, 4)) for one in measured.flaky
        ],
        hosts=[_host(one) for one in measured.hosts],
        stale=[_stale(one) for one in measured.stale],
        corrected=[_stale(one) for one in measured.corrected],
        stale_days=records.StaleDays(now=typical_days(measured.stale), corrected=typical_days(measured.corrected)),
        runs=[
            records.ReportRun(
                run=one.run,
                day=day_of(one.when),
                ran=one.ran,
                not_run=one.not_run,
                broken=one.broken,
                url=report.runs.get(one.run),
            )
            for one in progress.runs
        ],
        days_without_results=[day_text(number) for number in progress.gaps],
        entries=[
            records.EntryCounts(day=day_of(week.end), counts={status: week.counts.get(status, 0) for status in Status})
            for week in progress.weeks
        ],
        ops=[
            records.ReportBackend(
                backend=backend,
                nights=[records.ReportNight(day=day_text(one.day), ran=one.ran, passed=one.passed) for one in found],
            )
            for backend, found in report.ops.items()
        ],
        issues=[
            records.ReportIssue(
                issue=one.state.issue,
                state=one.state.state,
                advice=one.advice,
                cells=[records.Cell(id=id, arch=arch) for id, arch in one.cells],
            )
            for one in report.issues
        ],
    )


def _series(one: Series) -> records.ReportSeries:
    return records.ReportSeries(
        name=one.name,
        passed=list(one.passed),
        as_expected=list(one.as_expected),
        ran=list(one.ran),
        weeks=_rates(one.weeks_passed),
        weeks_as_expected=_rates(one.weeks),
    )


def _rates(weeks: Sequence[float | None]) -> list[float | None]:
    return [None if rate is None else round(rate, 4) for rate in weeks]


def _turned(one: Turned, url: str) -> records.Turned:
    return records.Turned(
        id=one.id,
        arch=one.arch,
        turn="fixed" if one.fixed else "broke",
        day=day_of(one.when),
        run=one.run,
        together=one.together,
        url=url or None,
    )


def _host(one: HostHealth) -> records.ReportHost:
    return records.ReportHost(
        host=one.host,
        results=one.results,
        failed=one.failed,
        share=round(one.share, 4),
        excess=round(one.excess, 4),
        suspect=one.suspect,
    )


def _stale(one: Stale) -> records.StaleEntry:
    return records.StaleEntry(
        id=one.id,
        arch=one.arch,
        since=day_of(one.since),
        passes=one.results,
        days=round(one.days, 1),
    )
