# SPDX-License-Identifier: Apache-2.0
"""The report on op cases as tables for a terminal, CSV and Markdown."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.base.text import counted, one_line
from core.cli.console import Console
from core.evidence.analysis import BackendNumbers, Tally
from core.ops import Counts, Metrics, OpTests, problem_text

_COUNTS = ("cases", "unique", "ops", "models", "signatures", "shapes", "dtypes")
_ENDINGS = ("passed", "failed", "errors", "xfailed", "skipped", "missing")
_RESULTS = ("cases", *_ENDINGS, "pass rate", "seconds", "per case")
_CSV_RESULTS = ("backend", *_ENDINGS, "executed", "duplicates", "pass_rate", "seconds", "seconds_per_case")
_ALL = "all"


class Report(NamedTuple):
    """Contents of the report."""

    tests: OpTests
    metrics: Metrics
    numbers: Sequence[BackendNumbers]
    """One for each backend with results."""
    asked: Sequence[str]
    """The backends that were asked for; empty: all."""


class _Table(NamedTuple):
    title: str
    """Empty: the header says enough."""
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def no_results(report: Report, known: Sequence[str]) -> str:
    """The message that there are no results; `known` are the backends that have some."""
    missing = [name for name in report.asked if name not in known]
    if known and not missing:
        return ""
    where = f" on {', '.join(missing)}" if missing else ""
    hint = f"There are some on {', '.join(known)}." if known else "`ttmatrix ops run` makes some."
    return f"No results of these cases{where}. {hint}"


def _write_tables(report: Report, console: Console, *, grid: bool) -> None:
    for one in _grids(report) if grid else _tables(report):
        if one.title:
            console.line(one_line(one.title))
        console.table(one.header, one.rows)
        console.line()
    for place in () if grid else _problems(report.tests):
        console.line(place)
    console.note(_summary(report))
    for numbers in report.numbers:
        console.note(_summary_of(numbers))


def _write_markdown(report: Report, console: Console, *, grid: bool) -> None:
    console.line(f"{_summary(report)}\n")
    for numbers in report.numbers:
        console.line(f"- {one_line(_summary_of(numbers))}")
    if not report.numbers:
        console.line(f"- {one_line(no_results(report, ()))}")
    console.line()
    for one in _grids(report) if grid else _tables(report):
        if one.title:
            console.line(f"### {one_line(one.title)}\n")
        console.line(_row(one.header))
        console.line(f"|---|{'---:|' * (len(one.header) - 1)}")
        for cells in one.rows:
            console.line(_row(cells))
        console.line()


def _write_csv(report: Report, console: Console, *, grid: bool) -> None:
    writer = csv.writer(console.out, lineterminator="\n")
    if grid:
        writer.writerow(("backend", *_grid_header(report)))
        for numbers in report.numbers or (None,):
            backend = numbers.backend if numbers else ""
            writer.writerows((backend, *cells) for cells in _grid_rows(report, numbers))
        return
    writer.writerow(("by", "name", *_COUNTS, *_CSV_RESULTS))
    for by, name, one, tallies in _lines(report):
        for backend, tally in tallies or (("", None),):
            writer.writerow((by, name, *_counts(one), backend, *_exact(tally)))


WRITERS: Mapping[str, Callable[..., None]] = {
    "table": _write_tables,
    "csv": _write_csv,
    "markdown": _write_markdown,
}
"""Each writes a report to a console; with `grid`, the table of ops by models instead."""


def _lines(report: Report) -> Iterator[tuple[str, str, Counts, list[tuple[str, Tally]]]]:
    metrics = report.metrics
    yield _ALL, "", metrics.total, [(of.backend, of.total) for of in report.numbers]
    for name, one in metrics.by_model.items():
        yield "model", name, one, [(of.backend, of.by_model[name]) for of in report.numbers]
    for name, one in metrics.by_op.items():
        yield "op", name, one, [(of.backend, of.by_op[name]) for of in report.numbers]


def _tables(report: Report) -> Iterator[_Table]:
    metrics = report.metrics
    counts = (("model", metrics.by_model), ("op", metrics.by_op))
    for by, groups in counts:
        yield _Table("", (by, *_COUNTS), [(name, *_counts(one)) for name, one in groups.items()])
    for of in report.numbers:
        for by, tallies in (("model", of.by_model), ("op", of.by_op)):
            rows = [(name, *_cells(tallies[name])) for name in dict(counts)[by]]
            yield _Table(f"{of.backend}, by {by}", (by, *_RESULTS), [*rows, (_ALL, *_cells(of.total))])


def _grids(report: Report) -> Iterator[_Table]:
    for numbers in report.numbers or (None,):
        title = f"{numbers.backend}: passed of cases" if numbers else ""
        yield _Table(title, _grid_header(report), list(_grid_rows(report, numbers)))


def _grid_header(report: Report) -> Sequence[str]:
    return "op", *report.metrics.by_model, _ALL


def _grid_rows(report: Report, numbers: BackendNumbers | None) -> Iterator[Sequence[str]]:
    metrics = report.metrics
    for op, counts in metrics.by_op.items():
        cells = [_of((op, model), metrics, numbers) for model in metrics.by_model]
        yield op, *cells, _passed_of(numbers.by_op[op] if numbers else None, counts.cases)
    totals = [_passed_of(numbers.by_model[m] if numbers else None, one.cases) for m, one in metrics.by_model.items()]
    yield _ALL, *totals, _passed_of(numbers.total if numbers else None, metrics.total.cases)


def _of(cell: tuple[str, str], metrics: Metrics, numbers: BackendNumbers | None) -> str:
    return _passed_of(numbers.grid[cell] if numbers else None, metrics.grid[cell]) if cell in metrics.grid else ""


def _passed_of(tally: Tally | None, cases: int) -> str:
    """`3/4`; `-/4` if no case has a result."""
    return f"{tally.passed}/{cases}" if tally and tally.missing < cases else f"-/{cases}"


def _problems(tests: OpTests) -> Iterator[str]:
    for one in tests.manifests:
        for problem in one.problems:
            place = f"{one.path}:{problem.line}:{problem.column}" if problem.line else one.path
            case = f" [{problem.case}]" if problem.case else ""
            yield one_line(f"{place}: {problem_text(problem)}{case}")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _counts(counts: Counts) -> tuple[str, ...]:
    return tuple(str(getattr(counts, name)) for name in _COUNTS)


def _cells(one: Tally) -> tuple[str, ...]:
    endings = (str(getattr(one, name)) for name in _ENDINGS)
    per_case = "" if one.seconds_per_case is None else f"{one.seconds_per_case:.3f}"
    return str(one.cases), *endings, _percent(one.pass_rate), f"{one.seconds:.3f}", per_case


def _exact(one: Tally | None) -> tuple[str, ...]:
    """The CSV columns of a tally after the backend; empty cells without a tally."""
    if one is None:
        return ("",) * (len(_CSV_RESULTS) - 1)
    numbers = (one.pass_rate, one.seconds, one.seconds_per_case)
    counts = (*(getattr(one, name) for name in _ENDINGS), one.executed, one.duplicates)
    return *map(str, counts), *("" if number is None else f"{number:.6g}" for number in numbers)


def _percent(part: float | None) -> str:
    return "" if part is None else f"{part:.1%}"


def _summary(report: Report) -> str:
    total = report.metrics.total
    parts = (
        counted(total.cases, "op case"),
        f"{total.unique:,} unique ({report.metrics.saved:.1%} saved)",
        counted(total.ops, "op"),
        counted(total.models, "model"),
        counted(sum(len(one.problems) for one in report.tests.manifests), "problem"),
    )
    return ", ".join(parts)


def _summary_of(one: BackendNumbers) -> str:
    """The numbers of one backend that are not in any of the grouped tables."""
    total, steadiness = one.total, one.steadiness
    rated = total.passed + total.failed + total.errors
    parts = [
        f"{total.passed:,} of {rated:,} pass ({_percent(total.pass_rate)})" if rated else "nothing to rate",
        f"{one.enabled:,} of {counted(one.ops, 'op')} enabled" + (f" ({_percent(one.coverage)})" if one.ops else ""),
        f"{total.executed:,} executed, {counted(total.duplicates, 'duplicate')} ({total.saved or 0:.1%} saved)",
        f"{total.seconds:.3f} s in all",
    ]
    if total.seconds_per_case is not None:
        parts.append(f"{total.seconds_per_case:.3f} s a case")
    if not steadiness.compared:
        parts.append("no test ran twice, so stability is not known")
    else:
        changes = {name: getattr(steadiness, name) for name in ("new_fail", "fixed", "flaky", "still_failing")}
        said = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in changes.items() if count)
        stable = f"{_percent(steadiness.rate)} of {counted(steadiness.compared, 'test')} stable from run to run"
        parts.append(stable + (f" ({said})" if said else ""))
    return f"{one.backend}: {', '.join(parts)}"
