# SPDX-License-Identifier: Apache-2.0
"""What `run`, `rerun` and `replay` have in common: show the plan, look what is in the way, start, wait, report."""

import argparse
from collections.abc import Sequence

from core.cli.context import Context
from core.cli.run_report import exit_code, record_document, runs_table, spec_document, summary
from core.errors import EXIT_OK
from core.runs.launch import launch_all, wait
from core.runs.launch_plan import look_ahead
from core.runs.plan import as_batch
from core.runs.preflight import refuse
from core.runs.record import RunRecord
from core.runs.spec import RunSpec, shell_command
from core.runs.store import RunStore
from core.text import one_line, printable


def configure_start(parser: argparse.ArgumentParser) -> None:
    """Declare the options of starting."""
    parser.add_argument("--plan", action="store_true", help="print what would be executed and start nothing")
    parser.add_argument("--wait", action="store_true", help="wait for the outcomes; exit 1 if any run failed")
    parser.add_argument("--stop-on-failure", action="store_true", help="start no more of these runs once one failed")
    parser.add_argument("--priority", type=int, default=0, metavar="N", help="greater goes first; default 0")
    parser.add_argument("--force", action="store_true", help="start although something is in the way")


def start(args: argparse.Namespace, context: Context, planned: Sequence[RunSpec]) -> int:
    """Start `planned` as one batch, or show it, as `args` say. Raises TTMatrixError where something is in the way."""
    specs = as_batch(planned, stop_on_failure=args.stop_on_failure)
    if not specs:
        if context.console.json:
            context.console.document([])
        context.console.note("nothing to run")
        return EXIT_OK
    ahead = look_ahead(specs, context.settings, runs=context.paths.runs, starting=not args.plan)
    if ahead.asked:
        context.console.note(ahead.asked)
    if not args.plan and not args.force:
        refuse(ahead.obstacles)
    for obstacle in ahead.obstacles:
        context.console.note(f"{obstacle.level}: {obstacle.what}\n  {obstacle.remedy}")
    if args.plan:
        _print_plan(context, specs)
        return EXIT_OK
    store = RunStore(context.paths.runs)
    records = launch_all(store, specs, priority=args.priority, provenance=ahead.provenance)
    if args.wait:
        return _wait(context, store, records)
    if context.console.json:
        context.console.document([record_document(record) for record in records])
    else:
        for record in records:
            context.console.line(record.spec.run_id)
    return EXIT_OK


def _wait(context: Context, store: RunStore, started: Sequence[RunRecord]) -> int:
    for record in started:
        context.console.note(f"started {record.spec.run_id}  {one_line(record.spec.test_id)}")
    records = wait(store, [record.spec.run_id for record in started])
    if context.console.json:
        context.console.document([record_document(record) for record in records])
    else:
        runs_table(context.console, records)
    told = summary(records)
    context.console.note(told)
    context.console.notify(context.settings.notify, told)
    return exit_code(records)


def _print_plan(context: Context, specs: Sequence[RunSpec]) -> None:
    if context.console.json:
        context.console.document([spec_document(spec) for spec in specs])
        return
    for spec in specs:
        context.console.line(printable(shell_command(spec)))
