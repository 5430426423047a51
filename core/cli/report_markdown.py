# SPDX-License-Identifier: Apache-2.0
"""The report as Markdown: for an issue, a chat, a wiki."""

from collections.abc import Iterable, Iterator, Sequence

from core.base.checked_numbers import day_of
from core.base.text import counted, is_page, one_line
from core.cli.report import MISSING_HEADS, MOST_ROWS, Linked, Report
from core.domain.model import Status
from core.evidence.analysis import Night
from core.evidence.progress import (
    MACHINE_HEADS,
    Series,
    day_text,
    machine_words,
    percent,
    stale_words,
    summary,
    week_ends,
)

_WEEKS = 12


def page(report: Report) -> str:
    """The report as a text."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    progress, measured = report.progress, report.progress.measured
    yield f"# How {_plain(report.name)} is doing"
    yield ""
    yield _plain(summary(progress, report.arch))
    yield ""
    yield "## As expected, by week"
    yield ""
    heads = [day[5:] for day in week_ends(progress)]
    rows = [("all", measured.total), *((one.name, one) for one in measured.archs)]
    yield from _rates("arch", heads, [(name, one) for name, one in rows[: MOST_ROWS + 1]])
    yield from _more(len(measured.archs), "arch")
    if progress.by != "arch":
        yield f"## Most unexpected results by {progress.by}"
        yield ""
        yield from _rates(progress.by, heads, [(one.name, one) for one in measured.groups[:MOST_ROWS]])
        yield from _more(len(measured.groups), progress.by)
    yield from _ops(report)
    yield from _turned(report)
    yield from _machines(report)
    yield from _stale(report)
    yield from _entries(report)
    yield from _without(report)
    yield from _issues(report)


def _rates(head: str, heads: Sequence[str], rows: Iterable[tuple[str, Series]]) -> Iterator[str]:
    shown = heads[-_WEEKS:]
    body = [
        (name, f"{sum(one.ran):,}", percent(one.passed_now), *map(percent, one.weeks[-_WEEKS:])) for name, one in rows
    ]
    yield from _table((head, "results", "passed lately", *shown), body)


def _ops(report: Report) -> Iterator[str]:
    if not report.ops:
        return
    yield "## Op tests by night"
    yield ""
    days = sorted({one.day for found in report.ops.values() for one in found})[-_WEEKS:]
    rows = [
        (backend, *(_of_night(next((one for one in found if one.day == day), None)) for day in days))
        for backend, found in report.ops.items()
    ]
    yield from _table(("backend", *(day_text(day)[5:] for day in days)), rows)


def _of_night(one: Night | None) -> str:
    """`45 of 50`; empty: nothing ran."""
    return f"{one.passed:,} of {one.ran:,}" if one is not None and one.ran else ""


def _turned(report: Report) -> Iterator[str]:
    found = report.progress.measured.turned
    yield "## Changed in the last week"
    yield ""
    rows = [
        (
            "fixed" if one.fixed else "**broke**",
            one.arch,
            one.id,
            report.since(one),
            day_of(one.when),
            str(one.together) if one.together else "",
        )
        for one in found[:MOST_ROWS]
    ]
    yield from _table(("", "arch", "test", "since run", "day", "others with it"), rows)
    yield from _more(len(found), "cell")
    if gone := report.progress.missing:
        yield "## Gone from the reports of their jobs"
        yield ""
        absent = [
            (one.arch, one.id, report.run(one.since), str(one.runs), day_of(one.mentioned)) for one in gone[:MOST_ROWS]
        ]
        yield from _table(MISSING_HEADS, absent)
        yield from _more(len(gone), "cell")
    flaky = report.progress.measured.flaky
    if flaky:
        yield "## Flaky"
        yield ""
        yield from _table(
            ("flakiness", "arch", "test"),
            [(f"{one.flakiness:.2f}", one.arch, one.id) for one in flaky[:MOST_ROWS]],
        )
        yield from _more(len(flaky), "cell")


def _machines(report: Report) -> Iterator[str]:
    yield "## Machines"
    yield ""
    yield from _table(MACHINE_HEADS, list(map(machine_words, report.progress.measured.hosts[:MOST_ROWS])))


def _stale(report: Report) -> Iterator[str]:
    measured = report.progress.measured
    yield "## Entries that stay stale"
    yield ""
    yield stale_words(measured.stale, measured.corrected)
    yield ""
    rows = [(f"{one.days:.0f}", str(one.results), one.arch, one.id) for one in measured.stale[:MOST_ROWS]]
    yield from _table(("days", "passes", "arch", "test"), rows)
    yield from _more(len(measured.stale), "cell")


def _entries(report: Report) -> Iterator[str]:
    weeks = [week for week in report.progress.weeks if week.counts]
    if not weeks:
        return
    yield "## Entries by status, from git"
    yield ""
    statuses = (Status.EXPECTED_PASSING, Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)
    rows = [(day_of(week.end), *(f"{week.counts.get(one, 0):,}" for one in statuses)) for week in weeks]
    yield from _table(("week to", "pass", "xfail", "skip"), rows)


def _without(report: Report) -> Iterator[str]:
    yield "## Runs without a result"
    yield ""
    gaps = report.progress.gaps
    if gaps:
        named = ", ".join(map(day_text, gaps[-MOST_ROWS:]))
        yield f"{counted(len(gaps), 'day')} without any result; the last ones: {named}."
        yield ""
    found = report.progress.incomplete
    rows = [
        (report.run(one.run), day_of(one.when), f"{one.ran:,}", f"{one.broken:,}", f"{one.not_run:,}")
        for one in found[:MOST_ROWS]
    ]
    yield from _table(("run", "day", "results", "broke before the model", "not run"), rows)
    yield from _more(len(found), "run")


def _issues(report: Report) -> Iterator[str]:
    if report.issues:
        yield "## Issues"
        yield ""
        rows = [(one.state.issue, one.advice, f"{len(one.cells):,}") for one in report.issues[:MOST_ROWS]]
        yield from _table(("issue", "advice", "cells"), rows)
        yield from _more(len(report.issues), "issue")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str | Linked]]) -> Iterator[str]:
    if not rows:
        yield "None."
        yield ""
        return
    yield _row(heads)
    yield "|" + "---|" * len(heads)
    yield from map(_row, rows)
    yield ""


def _more(count: int, noun: str) -> Iterator[str]:
    if count > MOST_ROWS:
        yield f"And {count - MOST_ROWS:,} more: `ttmatrix report --json` has every {noun}."
        yield ""


def _row(cells: Iterable[str | Linked]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(cell: str | Linked) -> str:
    if isinstance(cell, str):
        return _plain(cell)
    return f"[{_plain(cell.text)}]({cell.url})" if is_page(cell.url) else _plain(cell.text)


def _plain(text: str) -> str:
    """Text from outside, made safe for a cell: no column separator, no markup for links, no HTML."""
    safe = one_line(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return safe.replace("[", "\\[").replace("`", "\\`")
