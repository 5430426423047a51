# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix run`: plan CPU repros and start them, detached; with --wait, report what came of them."""

import argparse

from core.cli.context import Context
from core.cli.run_report import exit_code, record_document, runs_table, spec_document
from core.errors import EXIT_OK, UsageError
from core.runs.launch import launch_all, wait
from core.runs.plan import plan_test
from core.runs.spec import RunSpec, shell_command
from core.runs.store import RunStore
from core.text import printable

_KINDS = ("cpu",)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="+", metavar="ID", help="test ids, node ids, or parts that fit only one")
    parser.add_argument("--kind", required=True, choices=_KINDS, help="what executes the tests")
    parser.add_argument("--repeat", type=_positive, default=1, metavar="N", help="run each test N times")
    parser.add_argument("--timeout", type=float, metavar="S", help="seconds after which a run is stopped; 0: never")
    parser.add_argument("--plan", action="store_true", help="print what would be executed and start nothing")
    parser.add_argument("--wait", action="store_true", help="wait for the outcomes; exit 1 if any run failed")


def execute(args: argparse.Namespace, context: Context) -> int:
    ids = [id for id in context.resolve(args.ids) for _ in range(args.repeat)]
    specs = [plan_test(context.matrix, id, context.settings, arch=context.arch, timeout=args.timeout) for id in ids]
    if args.plan:
        _print_plan(context, specs)
        return EXIT_OK
    store = RunStore(context.paths.runs)
    records = launch_all(store, specs)
    if args.wait:
        for record in records:
            context.console.note(f"started {record.spec.run_id}  {record.spec.test_id}")
        records = wait(store, [record.spec.run_id for record in records])
        if not context.console.json:
            runs_table(context.console, records)
    elif not context.console.json:
        for record in records:
            context.console.line(record.spec.run_id)
    if context.console.json:
        context.console.document([record_document(record) for record in records])
    return exit_code(records) if args.wait else EXIT_OK


def _print_plan(context: Context, specs: list[RunSpec]) -> None:
    if context.console.json:
        context.console.document([spec_document(spec) for spec in specs])
        return
    for spec in specs:
        context.console.line(printable(shell_command(spec)))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise UsageError(f"--repeat {text}: at least 1")
    return number
