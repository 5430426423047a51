# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML file that loads nothing: no script, no font, no picture. Links lead to jobs of CI."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from core.base.checked_numbers import day_of
from core.base.text import counted, is_page, printable
from core.cli.report import MISSING_HEADS, MOST_ROWS, Linked, Report
from core.cli.report_charts import Line, chart
from core.domain.model import Status
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

_MOST_LINES = 8
_HEAT_ROWS, _HEAT_WEEKS = 30, 13
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --dim: #57606a; --rule: #d0d7de;
  --c0: #0b5cad; --c1: #b3500b; --c2: #1a7f37; --c3: #8250df; --c4: #a40e26; --c5: #57606a;
  --c6: #0a7e8c; --c7: #7d4e00;
  --h0: #f5b7b1; --h1: #f8d7a8; --h2: #faf0b5; --h3: #d6efc3; --h4: #a9dfb5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --dim: #9da7b1; --rule: #30363d;
  --c0: #6cb6ff; --c1: #f0a35e; --c2: #6fdd8b; --c3: #c9a6ff; --c4: #ff938a; --c5: #adbac7;
  --c6: #5ccfe6; --c7: #e3b341;
  --h0: #7d2a2a; --h1: #6e4713; --h2: #5d5310; --h3: #2d5220; --h4: #17552f; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 1000px; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--rule); }
.dim, .none { color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; } th, td { padding: .15rem .5rem; text-align: left; }
th { color: var(--dim); font-weight: 600; white-space: nowrap; }
td.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.id { font-family: ui-monospace, monospace; font-size: .85em; word-break: break-all; }
tr + tr td { border-top: 1px solid var(--rule); }
td.h0 { background: var(--h0); } td.h1 { background: var(--h1); } td.h2 { background: var(--h2); }
td.h3 { background: var(--h3); } td.h4 { background: var(--h4); }
svg { width: 100%; height: auto; } polyline, svg line { fill: none; stroke-width: 1.8; }
svg .grid { stroke: var(--rule); stroke-width: 1; } svg .tick { fill: var(--dim); font-size: 11px; }
""" + "".join(f".l{number} {{ stroke: var(--c{number}); }}\n" for number in range(8))
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Text from outside may end up in the page by a name; this keeps it from loading or running anything."""


def page(report: Report) -> str:
    """The report as a page."""
    return wrapped(f"How {report.name} is doing", "\n".join(_body(report)))


def wrapped(title: str, body: str) -> str:
    """A page around a body that is HTML; the title is text."""
    title = _text(title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _body(report: Report) -> Iterator[str]:
    progress, measured = report.progress, report.progress.measured
    days = [day_text(number) for number in progress.days]
    yield f"<p>{_text(summary(progress, report.arch))}</p>"
    yield "<h2>As expected, by arch</h2>"
    lines = [_lately("all", measured.total), *(_lately(one.name, one) for one in measured.archs[: _MOST_LINES - 1])]
    yield chart(lines, days, unit="%")
    yield '<p class="dim">Each point is the rate of the seven days up to it.'
    yield "A known failure that fails is as expected.</p>"
    if progress.by != "arch":
        yield f"<h2>As expected, by {progress.by} with most unexpected results</h2>"
        yield chart([_lately(one.name, one) for one in measured.groups[:_MOST_LINES]], days, unit="%")
    yield f"<h2>Most unexpected results by {progress.by}: as expected by week</h2>"
    yield _heat(report)
    yield from _ops(report)
    yield from _entries(report)
    yield from _turned(report)
    yield from _machines(report)
    yield "<h2>Entries that stay stale</h2>"
    yield f"<p>{_text(stale_words(measured.stale, measured.corrected))}</p>"
    rows = [(f"{one.days:.0f}", f"{one.results}", one.arch, one.id) for one in measured.stale[:MOST_ROWS]]
    yield _table(("days", "passes", "arch", "test"), rows, numbers=(0, 1), ids=(3,))
    yield from _without(report)
    if report.issues:
        yield "<h2>Issues</h2>"
        yield _table(
            ("issue", "advice", "cells"),
            [(one.state.issue, one.advice, f"{len(one.cells):,}") for one in report.issues[:MOST_ROWS]],
            numbers=(2,),
        )


def _ops(report: Report) -> Iterator[str]:
    if not report.ops:
        return
    yield "<h2>Op tests by night</h2>"
    days = sorted({one.day for found in report.ops.values() for one in found})
    lines = []
    for backend, found in report.ops.items():
        rates = {one.day: 100 * one.passed / one.ran for one in found if one.ran}
        lines.append(Line(backend, [rates.get(day) for day in days]))
    yield chart(lines[:_MOST_LINES], [day_text(day) for day in days], unit="%")


def _lately(name: str, one: Series) -> Line:
    """The rate of the past week for each day, in percent."""
    return Line(name, [None if rate is None else rate * 100 for rate in one.lately])


def _heat(report: Report) -> str:
    heads = week_ends(report.progress)[-_HEAT_WEEKS:]
    groups = report.progress.measured.groups[:_HEAT_ROWS]
    if not groups:
        return '<p class="none">No results.</p>'
    head = "".join(f"<th>{_text(day[5:])}</th>" for day in heads)
    rows = []
    for one in groups:
        cells = "".join(_shade(rate) for rate in one.weeks[-_HEAT_WEEKS:])
        passed = f'<td class="n dim">{percent(one.passed_now)}</td>'
        rows.append(f"<tr><th>{_text(one.name)}</th>{passed}{cells}</tr>")
    return f'<div class="wide"><table><tr><th></th><th>passed lately</th>{head}</tr>{"".join(rows)}</table></div>'


def _shade(rate: float | None) -> str:
    if rate is None:
        return '<td class="n">-</td>'
    shade = 4 if rate == 1 else min(3, int(rate * 4))
    return f'<td class="n h{shade}">{percent(rate).removesuffix("%").partition(".")[0]}</td>'


def _entries(report: Report) -> Iterator[str]:
    weeks = [week for week in report.progress.weeks if week.counts]
    if not weeks:
        return
    names = {Status.KNOWN_FAILURE_XFAIL: "xfail", Status.NOT_SUPPORTED_SKIP: "skip"}
    lines = [Line(name, [float(week.counts.get(status, 0)) for week in weeks]) for status, name in names.items()]
    yield "<h2>Burn-down of xfail and skip, from git</h2>"
    yield chart(lines, [day_of(week.end) for week in weeks], lowest=0)


def _turned(report: Report) -> Iterator[str]:
    measured = report.progress.measured
    yield "<h2>Changed in the last week</h2>"
    rows = [
        (
            "fixed" if one.fixed else "broke",
            one.arch,
            one.id,
            report.since(one),
            day_of(one.when),
            f"{one.together:,}" if one.together else "",
        )
        for one in measured.turned[:MOST_ROWS]
    ]
    yield _table(("", "arch", "test", "since run", "day", "others with it"), rows, numbers=(5,), ids=(2,))
    yield _more(len(measured.turned))
    yield "<h2>Gone from the reports of their jobs</h2>"
    gone = report.progress.missing
    absent = [
        (one.arch, one.id, report.run(one.since), f"{one.runs:,}", day_of(one.mentioned)) for one in gone[:MOST_ROWS]
    ]
    yield _table(MISSING_HEADS, absent, numbers=(3,), ids=(1,))
    yield _more(len(gone))
    yield "<h2>Flaky</h2>"
    flaky = [(f"{one.flakiness:.2f}", one.arch, one.id) for one in measured.flaky[:MOST_ROWS]]
    yield _table(("flakiness", "arch", "test"), flaky, numbers=(0,), ids=(2,))
    yield _more(len(measured.flaky))


def _machines(report: Report) -> Iterator[str]:
    yield "<h2>Machines</h2>"
    rows = list(map(machine_words, report.progress.measured.hosts[:MOST_ROWS]))
    yield _table(MACHINE_HEADS, rows, numbers=(1, 2, 3, 4))
    yield '<p class="dim">Above others: how much more often the same tests fail on it than on all other machines.</p>'


def _without(report: Report) -> Iterator[str]:
    yield "<h2>Runs without a result</h2>"
    if gaps := report.progress.gaps:
        named = ", ".join(map(day_text, gaps[-MOST_ROWS:]))
        yield f"<p>{counted(len(gaps), 'day')} without any result; the last ones: {named}.</p>"
    found = report.progress.incomplete
    rows = [
        (report.run(one.run), day_of(one.when), f"{one.ran:,}", f"{one.broken:,}", f"{one.not_run:,}")
        for one in found[:MOST_ROWS]
    ]
    yield _table(("run", "day", "results", "broke before the model", "not run"), rows, numbers=(2, 3, 4))
    yield _more(len(found))


def _table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str | Linked]],
    *,
    numbers: Sequence[int] = (),
    ids: Sequence[int] = (),
) -> str:
    body = [
        "".join(f"<td{_class(at, numbers, ids)}>{_cell(cell)}</td>" for at, cell in enumerate(cells)) for cells in rows
    ]
    if not body:
        return '<p class="none">None.</p>'
    head = "".join(f"<th>{_text(one)}</th>" for one in heads)
    return f'<div class="wide"><table><tr>{head}</tr>{"".join(f"<tr>{one}</tr>" for one in body)}</table></div>'


def _cell(cell: str | Linked) -> str:
    if isinstance(cell, str):
        return _text(cell)
    return f'<a href="{escape(cell.url)}">{_text(cell.text)}</a>' if is_page(cell.url) else _text(cell.text)


def _class(at: int, numbers: Sequence[int], ids: Sequence[int]) -> str:
    return ' class="n"' if at in numbers else ' class="id"' if at in ids else ""


def _more(count: int) -> str:
    return f'<p class="dim">And {count - MOST_ROWS:,} more.</p>' if count > MOST_ROWS else ""


def _text(text: str) -> str:
    return escape(printable(text))
