# SPDX-License-Identifier: Apache-2.0
"""The report on a team's progress: its lists as rows, and pass rates and entries over time as plots."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import zip_longest
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line
from core.domain.model import Status
from core.evidence.progress import (
    MACHINE_HEADS,
    By,
    HostHealth,
    Progress,
    Series,
    Stale,
    Turned,
    day_text,
    machine_words,
    percent,
    stale_words,
    week_ends,
)
from core.evidence.verdicts import Missing
from core.matrix import OP_KIND
from core.matrix.query import Query, named, nothing_beside, written
from tui.view_models.fitting import CellLine, fit
from tui.view_models.grid import legend_of_shades, shaded
from tui.view_models.op_report import NO_OP_RESULTS, OpReport, op_cells, op_columns
from tui.view_models.plot import Curve, most_lines, plot
from tui.view_models.rows import Rows
from tui.view_models.style import Cell, TableColumn, letters_of, short_archs
from tui.view_models.times import ago_text

_WEEKS, _GAP, _LEAST_PLOT = 13, 2, 4
_NAMED_GAPS = 5
_LEAST_NAMES, _MOST_NAMES = 18, 30
"""Cells of a column of names."""
_ALL = "all"
_SIGN = "•"
"""The sign of the total curve, or of the row under the cursor."""
_CURVES = ("running", "", "dim")
"""The looks of archs, over and over: none is that of a state, for an arch is neither good nor bad."""


class ReportList(StrEnum):
    """The lists that the table of a report can show, by their headings."""

    RATES = "as expected"
    TURNED = "turned"
    STALE = "stale"
    FLAKY = "flaky"
    HOSTS = "machines"
    RUNS = "incomplete"
    OPS = "ops"


NOTHING: Mapping[ReportList, str] = {
    ReportList.RATES: "There is no result in this period.",
    ReportList.TURNED: "No cell broke or was fixed in this period.",
    ReportList.STALE: "No entry is stale.",
    ReportList.FLAKY: "No cell is flaky in this period.",
    ReportList.HOSTS: "No machine has a result in this period.",
    ReportList.RUNS: "No run in this period is incomplete.",
    ReportList.OPS: "No op case has a result.",
}
"""The words for a list without rows."""


class ReportRow(NamedTuple):
    """One row, and the query or place that it leads to."""

    key: str
    cells: Sequence[Sequence[Cell]]
    test: str = ""
    query: Query | None = None
    run: str = ""
    arch: str = ""
    """The one on which the test is meant."""
    when: float | None = None
    """The moment of which the row says how long ago it is."""


def _rows(columns: Sequence[TableColumn], rows: Sequence[ReportRow]) -> Rows[ReportRow]:
    return Rows(rows, columns, lambda row: row.cells, key=lambda row: row.key, id=lambda row: row.test)


NO_ROWS = _rows((TableColumn("", 1),), ())


def report_rows(progress: Progress, which: ReportList, ops: OpReport = NO_OP_RESULTS) -> Rows[ReportRow]:
    """The rows of one list."""
    return _ops(ops) if which is ReportList.OPS else _ROWS[which](progress)


def _ops(report: OpReport) -> Rows[ReportRow]:
    rows = []
    for one in report.numbers:
        query = Query((named("kind", OP_KIND), named("backend", one.backend)))
        rows.append(ReportRow(one.backend, op_cells(report, one), query=query))
    return _rows(op_columns(report), rows)


def list_tabs(progress: Progress, which: ReportList, ops: OpReport = NO_OP_RESULTS, *, width: int) -> list[Cell]:
    """Tabs for every list with its number of rows, in `width` cells; the current one is marked."""
    measured = progress.measured
    suspects = sum(one.suspect for one in measured.hosts)
    counts = {
        ReportList.RATES: "",
        ReportList.TURNED: f"{len(measured.turned) + len(progress.missing):,}",
        ReportList.STALE: f"{len(measured.stale):,}",
        ReportList.FLAKY: f"{len(measured.flaky):,}",
        ReportList.HOSTS: f"{suspects:,} bad" if suspects else f"{len(measured.hosts):,}",
        ReportList.RUNS: f"{len(progress.incomplete):,}",
        ReportList.OPS: f"{len(ops.numbers):,}",
    }
    words = {one: f"{'▸' if one is which else ' '}{one} {counts[one]}".rstrip() for one in ReportList}
    gap = " " if sum(len(text) + 1 for text in words.values()) <= width else ""
    return [Cell(text + gap, "running" if one is which else "") for one, text in words.items()]


def list_words(progress: Progress, which: ReportList) -> str:
    """The text of a list beside its rows."""
    match which:
        case ReportList.STALE:
            return stale_words(progress.measured.stale, progress.measured.corrected)
        case ReportList.HOSTS:
            return "above others: how much more often its tests fail than on all other machines"
        case ReportList.TURNED:
            return "with it: cells that turned so in the same run; gone: its job reports others"
        case ReportList.FLAKY:
            return "flakiness: changes between pass and failure, as a share of those possible"
        case ReportList.OPS:
            return "coverage: ops with a pass; saved: duplicates not run; steady: ended as before"
        case ReportList.RUNS:
            gaps = progress.gaps
            named = ", ".join(map(day_text, gaps[-_NAMED_GAPS:]))
            return f"{counted(len(gaps), 'day')} without any result: {named}" if gaps else "every day has results"
        case _:
            return "most unexpected first; passed: raw rate of the last week"


# Pass rates, as a heat map


def _rates(progress: Progress) -> Rows[ReportRow]:
    measured = progress.measured
    heads = week_ends(progress)[-_WEEKS:]
    columns = (
        _names(str(progress.by) if progress.by is not By.ARCH else "arch"),
        TableColumn("unexpected", 10, right=True),
        TableColumn("passed", 6, right=True, yields=len(heads) + 1),
        # If there is too little room, the oldest weeks are dropped first.
        *(TableColumn(day[5:], 5, yields=len(heads) - at) for at, day in enumerate(heads)),
    )
    rows = [_rate_row(_ALL, [Cell(f"{_SIGN} {_ALL}", "running")], measured.total, len(heads), Query())]
    for one, curve in zip(measured.archs, _arch_curves(measured.archs), strict=True):
        name = [Cell(f"{curve.sign} ", curve.style), Cell(one_line(one.name), "running")]
        rows.append(_rate_row(f"arch/{one.name}", name, one, len(heads), _query("arch", one.name)))
    if progress.by is not By.ARCH:
        by = str(progress.by)
        for one in measured.groups:
            rows.append(
                _rate_row(f"{by}/{one.name}", [Cell(one_line(one.name))], one, len(heads), _query(by, one.name))
            )
    return _rows(columns, rows)


def _names(head: str) -> TableColumn:
    """A column of names, which are cut where they are long: the numbers that follow matter more."""
    return TableColumn(head, _LEAST_NAMES, most=_MOST_NAMES, elide=True)


def _query(field: str, name: str) -> Query:
    """A query for exactly the tests of a row."""
    return Query.parse(str(written(field, name, ()) if field in (By.FAMILY, By.LOADER) else named(field, name)))


def _rate_row(key: str, name: Sequence[Cell], one: Series, weeks: int, query: Query | None = None) -> ReportRow:
    cells = [name, [Cell(f"{one.unexpected_now:,}", "" if one.unexpected_now else "dim")]]
    cells.append([Cell(percent(one.passed_now), "dim")])
    cells += [[_heat(rate)] for rate in one.weeks[-weeks:]] if weeks else []
    return ReportRow(key, cells, query=query)


def _heat(rate: float | None) -> Cell:
    """`▓ 93`: never rounded up to 100."""
    if rate is None:
        return Cell(f"{'·':>4} ", "dim")
    return shaded(int(rate * 100), " ")


def list_legend(which: ReportList) -> list[Cell]:
    """The meaning of the shades of a list; empty where it has none."""
    return legend_of_shades("as expected", "result") if which is ReportList.RATES else []


# The other lists


def _turned(progress: Progress) -> Rows[ReportRow]:
    columns = (
        TableColumn("", 5),
        TableColumn("arch", 12, yields=2),
        TableColumn("test", 24, share=3, elide=True, ids=True),
        TableColumn("in run", 18, yields=4, elide=True),
        TableColumn("when", 9, yields=3, right=True),
        TableColumn("with it", 7, right=True),
    )
    gone = [_missing_row(one, progress.now) for one in progress.missing]
    return _rows(columns, [*gone, *(_turned_row(one, progress.now) for one in progress.measured.turned)])


def _missing_row(one: Missing, now: float) -> ReportRow:
    cells = (
        [Cell("gone", "fail")],
        [Cell(one_line(one.arch))],
        [Cell(one_line(one.id))],
        [Cell(one_line(one.since), "dim")],
        [Cell(ago_text(one.mentioned, now), "dim")],
        [Cell("")],
    )
    return ReportRow(f"gone {one.id} {one.arch}", cells, test=one.id, arch=one.arch, when=one.mentioned)


def _turned_row(one: Turned, now: float) -> ReportRow:
    cells = (
        [Cell("fixed" if one.fixed else "broke", "pass" if one.fixed else "fail")],
        [Cell(one_line(one.arch))],
        [Cell(one_line(one.id))],
        [Cell(one_line(one.run), "dim")],
        [Cell(ago_text(one.when, now), "dim")],
        [Cell(f"{one.together:,}" if one.together else "", "dim")],
    )
    return ReportRow(f"{one.id} {one.arch}", cells, test=one.id, arch=one.arch, when=one.when)


def _stale(progress: Progress) -> Rows[ReportRow]:
    columns = (
        TableColumn("since", 9, right=True),
        TableColumn("passes", 6, right=True),
        TableColumn("arch", 12, yields=1),
        TableColumn("test", 24, elide=True, ids=True),
    )
    return _rows(columns, [_stale_row(one, progress.now) for one in progress.measured.stale])


def _stale_row(one: Stale, now: float) -> ReportRow:
    cells = (
        [Cell(ago_text(one.since, now))],
        [Cell(f"{one.results:,}", "pass")],
        [Cell(one_line(one.arch))],
        [Cell(one_line(one.id))],
    )
    return ReportRow(f"{one.id} {one.arch}", cells, test=one.id, arch=one.arch, when=one.since)


def _flaky(progress: Progress) -> Rows[ReportRow]:
    columns = (
        TableColumn("flakiness", 9, right=True),
        TableColumn("arch", 12, yields=1),
        TableColumn("test", 24, elide=True, ids=True),
    )
    rows = [
        ReportRow(
            f"{one.id} {one.arch}",
            ([Cell(f"{one.flakiness:.2f}", "mixed")], [Cell(one_line(one.arch))], [Cell(one_line(one.id))]),
            test=one.id,
            arch=one.arch,
        )
        for one in progress.measured.flaky
    ]
    return _rows(columns, rows)


def _hosts(progress: Progress) -> Rows[ReportRow]:
    first, *numbers, last = MACHINE_HEADS
    columns = (
        _names(first),
        *(TableColumn(head, max(6, len(head)), right=True) for head in numbers),
        TableColumn(last, 18),
    )
    return _rows(
        columns,
        [ReportRow(one.host, _host_cells(one), query=_failures_of(one)) for one in progress.measured.hosts],
    )


def _failures_of(one: HostHealth) -> Query:
    """The failures on a machine; if the failures follow the machine, only tests that failed on no other."""
    on_it = written("failed_on", one.host, ())
    return Query((on_it, nothing_beside("failed_on", one.host)) if one.suspect else (on_it,))


def _host_cells(one: HostHealth) -> Sequence[Sequence[Cell]]:
    suspect = "fail" if one.suspect else ""
    styles = (suspect, "dim", "dim", "", suspect, suspect)
    return [[Cell(one_line(words), style)] for words, style in zip(machine_words(one), styles, strict=True)]


def _runs(progress: Progress) -> Rows[ReportRow]:
    columns = (
        _names("run"),
        TableColumn("when", 9, right=True),
        TableColumn("results", 8, right=True),
        TableColumn("broke before the model", 22, right=True),
        TableColumn("not run", 8, right=True, yields=1),
    )
    rows = [
        ReportRow(
            one.run,
            (
                [Cell(one_line(one.run))],
                [Cell(ago_text(one.when, progress.now), "dim")],
                [Cell(f"{one.ran:,}", "" if one.ran else "fail")],
                [Cell(f"{one.broken:,}", "fail" if one.broken else "dim")],
                [Cell(f"{one.not_run:,}", "dim")],
            ),
            run=one.run,
            when=one.when,
        )
        for one in progress.incomplete
    ]
    return _rows(columns, rows)


_ROWS: Mapping[ReportList, Callable[[Progress], Rows[ReportRow]]] = {
    ReportList.RATES: _rates,
    ReportList.TURNED: _turned,
    ReportList.STALE: _stale,
    ReportList.FLAKY: _flaky,
    ReportList.HOSTS: _hosts,
    ReportList.RUNS: _runs,
}


# The plots


def report_plots(
    progress: Progress, key: str, width: int, height: int, *, stacked: bool = False, letters: bool = False
) -> list[CellLine]:
    """Pass rates beside the burn-down of entries, in `height` lines of at most `width` cells; or above it: `stacked`.

    In fewer lines where they would only be larger, and not clearer.
    `key` is that of a row of pass rates, which is drawn against the total. For the total and other lists: every arch.
    `letters` is for terminals without braille or colours.
    """
    if stacked:
        height = min(height, 2 * most_lines(width) + 1)
        upper = max(_LEAST_PLOT, (height - 1) // 2)
        below = _entry_plot(progress, width, max(_LEAST_PLOT, height - upper - 1), letters=letters)
        return [*_rate_plot(progress, key, width, upper, letters=letters), (Cell(" " * width),), *below]
    half = (width - _GAP) // 2
    height = min(height, most_lines(half))
    left = _rate_plot(progress, key, half, height, letters=letters)
    right = _entry_plot(progress, half, height, letters=letters)
    gap = Cell(" " * _GAP)
    return [(*one, gap, *other) for one, other in zip_longest(left, right, fillvalue=(Cell(" " * half),))]


def _rate_plot(progress: Progress, key: str, width: int, height: int, *, letters: bool) -> list[CellLine]:
    measured, days = progress.measured, [day_text(number) for number in progress.days]
    kind, _, name = key.partition("/")
    among = measured.archs if kind == "arch" else measured.groups
    chosen = next((one for one in among if one.name == name), None)
    curves = []
    if chosen is not None:
        curves = [Curve("·", "dim", _percents(measured.total)), Curve(_SIGN, "running", _percents(chosen))]
        names = [_ALL, chosen.name]
    else:
        curves = [*_arch_curves(measured.archs), Curve(_SIGN, "", _percents(measured.total))]
        names = [*short_archs(tuple(one.name for one in measured.archs)), _ALL]
    # Most important first, in case not all fit.
    named = [(curve.sign, curve.style, name) for curve, name in zip(curves, names, strict=True)]
    title = _title(" % as expected in 7 days: ", reversed(named), width)
    return [title, *plot(curves, days, width, height - 1, most=100.0, letters=letters)]


def _arch_curves(archs: Sequence[Series]) -> list[Curve]:
    letters = letters_of(tuple(one.name for one in archs))
    return [
        Curve(letter, _CURVES[at % len(_CURVES)], _percents(one))
        for at, (one, letter) in enumerate(zip(archs, letters, strict=True))
    ]


def _percents(one: Series) -> list[float | None]:
    return [None if rate is None else rate * 100 for rate in one.lately]


def _entry_plot(progress: Progress, width: int, height: int, *, letters: bool) -> list[CellLine]:
    weeks = [week for week in progress.weeks if week.counts]
    if not weeks:
        words = fit(" entries: no history in this clone", width)
        return [(Cell(words, "dim"),)]
    signs = (("X", "xfail", Status.KNOWN_FAILURE_XFAIL), ("S", "skip", Status.NOT_SUPPORTED_SKIP))
    curves, names = [], []
    for sign, style, status in signs:
        numbers = [week.counts.get(status, 0) for week in weeks]
        curves.append(Curve(sign, style, [float(one) for one in numbers]))
        names.append((sign, style, f"{style} {numbers[-1]:,} {numbers[-1] - numbers[0]:+,}"))
    names.append(("", "dim", f"in {counted(len(weeks) - 1, 'week')}"))
    title = _title(" ", names, width)
    return [title, *plot(curves, [day_of(week.end) for week in weeks], width, height - 1, letters=letters)]


def _title(words: str, names: Iterable[tuple[str, str, str]], width: int) -> CellLine:
    """The title of a plot, with the sign of each curve, in exactly `width` cells."""
    cells, left = [Cell(fit(words, min(len(words), width)), "dim")], width - len(words)
    for sign, style, name in names:
        text = f"{sign} {one_line(name)}  ".lstrip()
        if left < len(text.rstrip()):
            break
        cells.append(Cell(text[:left], style))
        left -= len(cells[-1].text)
    return (*cells, Cell(" " * max(0, left)))
