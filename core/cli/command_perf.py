# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix perf`: times, throughput and memory of tests over time, what has regressed, and reports to read."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.text import counted, one_line, significant
from core.cli.context import Context
from core.cli.ingest_sources import ids_of_report
from core.cli.performance_record import between_commits, performance_record, versions_of
from core.evidence import CHIPS, PerfReport, find_reports, performance_store, read_report
from core.evidence.analysis import (
    PERF_HEADER,
    Series,
    Trend,
    exported_rows,
    perf_lines,
    perf_rows,
    series_name,
    series_of,
)
from core.matrix import supported_archs

_FORMATS = ("csv", "markdown")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="the tests that a query selects; default: all")
    parser.add_argument(
        "--ingest", nargs="+", type=Path, metavar="PATH", help="read upstream's reports first; a query comes before it"
    )
    parser.add_argument("--history", action="store_true", help="explain each number, and print every result")
    parser.add_argument("--regressed", action="store_true", help="only what has regressed")
    parser.add_argument("--format", choices=("table", *_FORMATS), default="table", help="how to print the table")


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.ingest:
        _ingest(args.ingest, context)
    found = list(_asked(args, context))
    if context.console.json:
        context.console.document([performance_record(one, between_commits(context)) for one in found])
    elif args.history:
        _print_history(found, context)
    elif args.format in _FORMATS:
        context.console.line(exported_rows(PERF_HEADER, perf_rows(found), args.format).rstrip("\n"))
    else:
        context.console.table(PERF_HEADER, perf_rows(found))
    bad = sum(map(_regressed, found))
    context.console.note(f"{len(found):,} series, {bad:,} regressed")
    return EXIT_FINDINGS if bad else EXIT_OK


def _asked(args: argparse.Namespace, context: Context) -> Iterator[Series]:
    wanted = context.ids_of(" ".join(args.query)) if args.query else None
    for one in series_of(context.evidence.ended_runs, context.workspace.performance_reports):
        asked = (wanted is None or one.key.test_id in wanted) and context.arch in ("", one.key.arch)
        if asked and (_regressed(one) or not args.regressed):
            yield one


def _regressed(one: Series) -> bool:
    return any(found.trend is Trend.REGRESSED for metric in one.metrics if (found := one.verdict(metric)))


def _print_history(found: Iterable[Series], context: Context) -> None:
    between = between_commits(context)
    for one in found:
        context.console.line(f"{one_line(one.key.test_id)}: {one_line(series_name(one))}")
        for words, _ in perf_lines(one):
            context.console.line(f"  {words}")
        for change in (change for metric in one.metrics for change in one.changes(metric)):
            if (versions := versions_of(change, between)) and versions.words:
                ends = f"{change.metric}, {change.last.run} to {change.first.run}"
                context.console.line(f"  {one_line(f'{ends}: {versions.words}')}")
        for row in one.rows:
            numbers = "  ".join(f"{name} {significant(value, 5)}" for name, value in row.numbers.items())
            context.console.line(f"    {one_line(row.source)}  {numbers}")


def _ingest(paths: Iterable[Path], context: Context) -> None:
    """Store the reports of known tests; note those that are left out."""
    reports: list[PerfReport] = []
    files = other = 0
    archs = context.matrix.schema.archs
    paths = list(paths)
    if missing := next((path for path in paths if not path.exists()), None):
        hint = "Put a query before --ingest: what follows it are files and directories of reports."
        raise UsageError(f"There is no file {one_line(str(missing))!r}", hint=hint)
    for file in find_reports(paths):
        raw = read_report(file)
        files += 1
        if raw is None:
            other += 1
            continue
        ids = ids_of_report(raw, context)
        if len(ids) == 1:
            supported = supported_archs(context.matrix.entries.get(ids[0]))
            reports.append(raw.of_test(ids[0], context.arch or raw.arch(archs, supported)))
        else:
            why = f"{counted(len(ids), 'test')} of {raw.model!r}, {raw.run_mode} {raw.parallelism}".rstrip()
            context.console.note(f"left out {one_line(str(file))}: {one_line(why)}")
    hint = "name the arch with --arch, or read the directory of CI's artefact, which is named by it"
    if nowhere := [one for one in reports if one.arch not in archs and one.arch not in CHIPS]:
        reports = [one for one in reports if one not in nowhere]
        of = one_line(", ".join(sorted({repr(one.arch) for one in nowhere})))
        context.console.note(f"left out {counted(len(nowhere), 'report')} of {of}, no arch of this checkout: {hint}")
    if chips := [one for one in reports if one.arch in CHIPS]:
        of = ", ".join(sorted({one.arch for one in chips}))
        context.console.note(f"{counted(len(chips), 'report')} of {of}, which several archs of the test have: {hint}")
    new = performance_store(context.checkout, context.paths).add(reports)
    left = f", {other:,} not of performance" if other else ""
    context.console.note(f"{counted(files, 'file')}: {counted(new, 'new report')}, {len(reports) - new:,} known{left}")
