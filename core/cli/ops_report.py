# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops report`: numbers about op cases and their results, and the mistakes in their files."""

import argparse

from msgspec import UNSET

from core.base.errors import EXIT_FINDINGS, EXIT_OK
from core.cli import records
from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.cli.ops_report_texts import WRITERS, Report, no_results
from core.evidence.analysis import BackendNumbers, Tally, measure_results
from core.evidence.verdicts import results_that_count
from core.ops import Counts, OpTests, measure


def configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument("--backend", action="append", default=[], metavar="NAME", help="only results on this backend")
    parser.add_argument("--grid", action="store_true", help="ops by models: how many cases pass, of how many")
    parser.add_argument(
        "--format", choices=("table", "json", "csv", "markdown"), help="default: table; with --json: json"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    selected = tests.of_models(args.model)
    seen = results_that_count(
        {row.id: row for row in selected}, context.evidence.results.of_cases() if context.in_checkout else []
    )
    everywhere = measure_results(selected, seen, enabled_ops=context.settings.enabled_ops)
    numbers = [one for one in everywhere if not args.backend or one.backend in args.backend]
    report = Report(tests, measure(tests, selected), numbers, args.backend)
    style = args.format or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(_document(report, grid=args.grid))
    else:
        WRITERS[style](report, context.console, grid=args.grid)
    if said := no_results(report, [one.backend for one in everywhere]):
        context.console.note(said)
    wrong = any(not problem.warning for one in tests.manifests for problem in one.problems)
    return EXIT_FINDINGS if wrong else EXIT_OK


def _document(report: Report, *, grid: bool) -> records.OpsReport:
    total = report.metrics.total
    return records.OpsReport(
        cases=total.cases,
        unique=total.unique,
        ops=total.ops,
        models=total.models,
        by_model={
            model: _with_results(one, {of.backend: of.by_model[model] for of in report.numbers})
            for model, one in report.metrics.by_model.items()
        },
        by_op={
            op: _with_results(one, {of.backend: of.by_op[op] for of in report.numbers})
            for op, one in report.metrics.by_op.items()
        },
        coverage=records.Coverage(signatures=total.signatures, shapes=total.shapes, dtypes=total.dtypes),
        dedupe=records.Deduplicated(
            executed=total.unique,
            duplicates=total.cases - total.unique,
            saved=round(report.metrics.saved, 4),
        ),
        backends={one.backend: _backend(one) for one in report.numbers},
        problems=_problems(report.tests),
        grid=_grid(report) if grid else UNSET,
    )


def _problems(tests: OpTests) -> list[records.ManifestProblem]:
    return [
        records.ManifestProblem(
            file=one.path,
            line=problem.line,
            column=problem.column,
            case=problem.case or None,
            message=problem.message,
            hint=problem.hint or None,
            warning=problem.warning,
        )
        for one in tests.manifests
        for problem in one.problems
    ]


def _with_results(counts: Counts, tallies: dict[str, Tally]) -> records.OpCounts:
    return records.OpCounts(**counts._asdict(), backends={backend: _tally(one) for backend, one in tallies.items()})


def _tally(one: Tally) -> records.OpTally:
    return records.OpTally(
        **one._replace(seconds=round(one.seconds, 6))._asdict(),
        executed=one.executed,
        seconds_per_case=_rounded(one.seconds_per_case, 6),
        pass_rate=_rounded(one.pass_rate),
    )


def _backend(one: BackendNumbers) -> records.OpBackend:
    total = one.total
    return _tally(total).extended(
        records.OpBackend,
        coverage=records.BackendCoverage(ops=one.ops, enabled=one.enabled, rate=_rounded(one.coverage)),
        dedupe=records.DeduplicatedResults(
            executed=total.executed, duplicates=total.duplicates, saved=_rounded(total.saved)
        ),
        stability=records.BackendStability(**one.steadiness._asdict(), rate=_rounded(one.steadiness.rate)),
    )


def _grid(report: Report) -> list[records.OpGridCell]:
    cells = report.metrics.grid
    return [
        records.OpGridCell(op=op, model=model, cases=cells[op, model], backends=_of_cell(report, (op, model)))
        for op in report.metrics.by_op
        for model in report.metrics.by_model
        if (op, model) in cells
    ]


def _of_cell(report: Report, cell: tuple[str, str]) -> dict[str, records.OpTally]:
    return {one.backend: _tally(one.grid[cell]) for one in report.numbers}


def _rounded(value: float | None, digits: int = 4) -> float | None:
    return None if value is None else round(value, digits)
