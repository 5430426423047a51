# SPDX-License-Identifier: Apache-2.0
"""What `report` prints."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from core.base.files import As, Record
from core.cli.records.parts import Cell
from core.evidence.progress import By

Share = Annotated[float, Meta(ge=0, le=1)]


class ReportSeries(Record):
    """Results over time of one group."""

    name: str
    passed: Sequence[int]
    """Passes of each of `days`."""
    as_expected: Sequence[int]
    """Results of each of `days` that ended as their entries said when they ran: a known failure that fails is
    one."""
    ran: Sequence[int]
    """Results of each of `days` that say something of the model."""
    weeks: Sequence[Share | None]
    """Pass rate of each week, the last one whole; null: nothing ran."""
    weeks_as_expected: Sequence[Share | None]
    """Share of results as expected in each week; null: nothing ran."""


class Turned(Record):
    """A cell that broke or was fixed."""

    id: str
    arch: str
    turn: Annotated[str, As(Literal["broke", "fixed"])]
    day: str
    run: str
    """The first run with the new ending."""
    together: int
    """Other cells that turned the same way in that run."""
    url: str | None
    """The page of its job in that run, else of the run; null: not known."""


class MissingCell(Record):
    """A cell that is gone from the reports of its job."""

    id: str
    arch: str
    run: str
    """The first run that lacks it."""
    runs: int
    """How many runs lack it."""
    day: str
    """The day on which a report last mentioned it."""
    url: str | None
    """The page of that run; null: not known."""


class FlakyCell(Record):
    """A cell whose results vary."""

    id: str
    arch: str
    flakiness: Share


class ReportHost(Record):
    """Results of one machine."""

    host: str
    results: int
    failed: int
    share: float
    excess: float
    """How much more of the same tests fails on it than on all other machines, as a share of its results."""
    suspect: bool
    """Failures follow it."""


class StaleEntry(Record):
    """A cell that passes while its entry expects no pass."""

    id: str
    arch: str
    since: str
    """Day of its first pass."""
    passes: int
    days: float


class StaleDays(Record):
    """Medians; null: there are none."""

    now: float | None
    corrected: float | None


class ReportRun(Record):
    """A run of CI."""

    run: str
    day: str
    ran: int
    not_run: int
    broken: int
    """Results that broke before the model ran."""
    url: str | None
    """Its page; null: not known."""


class EntryCounts(Record):
    """Entries at the end of a week."""

    day: str
    counts: Mapping[str, int]
    """Entries by status; empty before the history of the clone begins."""


class ReportNight(Record):
    """Op cases of one day."""

    day: str
    ran: int
    passed: int


class ReportBackend(Record):
    """Op cases on one backend, day by day."""

    backend: str
    nights: Sequence[ReportNight]


class ReportIssue(Record):
    """An issue that something is to be done about."""

    issue: str
    state: str
    advice: str
    cells: Sequence[Cell]


class Report(Record):
    """How the tests of a checkout are doing."""

    checkout: str
    arch: str | None
    """null: all."""
    by: By
    since: str
    until: str
    results: int
    days: Sequence[str]
    """Days of the series, in UTC."""
    total: ReportSeries
    archs: Sequence[ReportSeries]
    groups: Sequence[ReportSeries]
    """By `by`; the one with most failures in the last week first."""
    without_hosts: Sequence[str]
    """Machines whose results count for `hosts` alone."""
    verdicts: Mapping[str, int]
    """Cells with results, by verdict."""
    turned: Sequence[Turned]
    """In the last week, and so ever since; without what is flaky."""
    missing: Sequence[MissingCell]
    """Cells that are gone from the reports of their job."""
    flaky: Sequence[FlakyCell]
    hosts: Sequence[ReportHost]
    """In the last four weeks."""
    stale: Sequence[StaleEntry]
    """Cells that pass while their entry expects no pass."""
    corrected: Sequence[StaleEntry]
    """The same, until their entry was corrected."""
    stale_days: StaleDays
    """Medians; null: there are none."""
    runs: Sequence[ReportRun]
    days_without_results: Sequence[str]
    entries: Sequence[EntryCounts]
    """At the end of each week, from git."""
    ops: Sequence[ReportBackend]
    """Op cases day by day, a backend each."""
    issues: Sequence[ReportIssue]
