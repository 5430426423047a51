# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops report`: numbers about op cases, and the mistakes in their files."""

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence

from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.ops import Counts, Metrics, OpTests, measure, problem_text
from core.text import counted, one_line

_HEADER = ("cases", "unique", "ops", "models", "signatures", "shapes", "dtypes")


def configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument(
        "--format", choices=("table", "json", "csv", "markdown"), help="default: table; with --json: json"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    metrics = measure(tests, tests.of_models(args.model))
    style = args.format or ("json" if context.console.json else "table")
    {"json": _document, "csv": _csv, "markdown": _markdown, "table": _table}[style](tests, metrics, context)
    wrong = any(not problem.warning for one in tests.manifests for problem in one.problems)
    return EXIT_FINDINGS if wrong else EXIT_OK


def _document(tests: OpTests, metrics: Metrics, context: Context) -> None:
    total = metrics.total
    context.console.document(
        {
            "cases": total.cases,
            "unique": total.unique,
            "ops": total.ops,
            "models": total.models,
            "by_model": {model: one._asdict() for model, one in metrics.by_model.items()},
            "by_op": {op: one._asdict() for op, one in metrics.by_op.items()},
            "coverage": {"signatures": total.signatures, "shapes": total.shapes, "dtypes": total.dtypes},
            "dedupe": {
                "executed": total.unique,
                "duplicates": total.cases - total.unique,
                "saved": round(metrics.saved, 4),
            },
            "problems": [
                {
                    "file": one.path,
                    "line": problem.line,
                    "column": problem.column,
                    "case": problem.case or None,
                    "message": problem.message,
                    "hint": problem.hint or None,
                    "warning": problem.warning,
                }
                for one in tests.manifests
                for problem in one.problems
            ],
        }
    )


def _lines(metrics: Metrics) -> Iterator[tuple[str, str, Counts]]:
    yield "all", "", metrics.total
    yield from (("model", name, one) for name, one in metrics.by_model.items())
    yield from (("op", name, one) for name, one in metrics.by_op.items())


def _csv(_tests: OpTests, metrics: Metrics, context: Context) -> None:
    writer = csv.writer(context.console.out, lineterminator="\n")
    writer.writerow(("by", "name", *_HEADER))
    writer.writerows((by, name, *_numbers(one)) for by, name, one in _lines(metrics))


def _table(tests: OpTests, metrics: Metrics, context: Context) -> None:
    for by, counts in _sections(metrics):
        context.console.table((by, *_HEADER), ((name, *_numbers(one)) for name, one in counts.items()))
        context.console.line()
    for one in tests.manifests:
        for problem in one.problems:
            place = f"{one.path}:{problem.line}:{problem.column}" if problem.line else one.path
            case = f" [{problem.case}]" if problem.case else ""
            context.console.line(one_line(f"{place}: {problem_text(problem)}{case}"))
    context.console.note(_summary(tests, metrics))


def _markdown(tests: OpTests, metrics: Metrics, context: Context) -> None:
    context.console.line(f"{_summary(tests, metrics)}\n")
    for by, counts in _sections(metrics):
        context.console.line(_row((by, *_HEADER)))
        context.console.line(f"|---|{'---:|' * len(_HEADER)}")
        for name, one in counts.items():
            context.console.line(_row((name, *_numbers(one))))
        context.console.line()


def _sections(metrics: Metrics) -> tuple[tuple[str, Mapping[str, Counts]], ...]:
    return ("model", metrics.by_model), ("op", metrics.by_op)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one_line(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _numbers(counts: Counts) -> tuple[str, ...]:
    return tuple(str(getattr(counts, name)) for name in _HEADER)


def _summary(tests: OpTests, metrics: Metrics) -> str:
    total = metrics.total
    parts = (
        counted(total.cases, "op case"),
        f"{total.unique:,} unique ({metrics.saved:.1%} saved)",
        counted(total.ops, "op"),
        counted(total.models, "model"),
        counted(sum(len(one.problems) for one in tests.manifests), "problem"),
    )
    return ", ".join(parts)
