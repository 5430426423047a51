# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops run`: run op cases on a backend as one batch; with --wait print what happened to each."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError
from core.base.text import counted, short_number
from core.cli import records
from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.cli.runs_common import exit_code, queue_runs
from core.ops import OpResult, default_backend, invalid_cases, op_request, op_result
from core.runs import Outcome, read_case_results
from core.runs.execution import wait
from core.runs.planning import as_batch, plan_ops, with_op_estimates
from core.runs.store import RunRecord, RunStore

_HEADER = ("id", "status", "seconds", "max abs", "max rel", "PCC", "message")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="a case, MODEL::CASE; default: all")
    add_selection(parser)
    parser.add_argument(
        "--backend",
        default="",
        metavar="NAME",
        help="eager, aot_eager, inductor, xla, tt or another backend of dynamo; default: TEST_COMPILE_BACKEND of the "
        "environment, else inductor",
    )
    parser.add_argument("--no-dedupe", action="store_true", help="run duplicates of a case, too")
    parser.add_argument("--max-bytes", default="", metavar="SIZE", help="skip cases that need more memory, such as 2G")
    parser.add_argument(
        "--run-skipped", action="store_true", help="run what skip_if skips, too: to see whether it is still needed"
    )
    parser.add_argument(
        "--timeout", type=float, default=0.0, metavar="S", help="stop the batch after S seconds; 0: never, the default"
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait, and print the result of each case; so does --json. Otherwise the id of the run is printed",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    inside = not args.ops_dir or context.in_checkout
    root = context.checkout.root if inside else Path.cwd()
    places = [one.expanduser().absolute() for one in args.ops_dir] or [root / one for one in context.settings.ops_dirs]
    tests, backend = op_tests(args, context), args.backend or default_backend()
    # Named cases are checked by the request itself.
    invalid = [] if args.ids else invalid_cases(tests, args.model)
    for one in invalid:
        context.console.note(f"not run: {one.message}")
    request = replace(
        op_request(tests, args.ids, root, places, args.model),
        dedupe=not args.no_dedupe,
        include_template=args.include_template,
        max_bytes=args.max_bytes,
        run_skipped=args.run_skipped,
        timeout=args.timeout,
    )
    store = RunStore(context.paths.runs)
    spec = plan_ops(request, backend, context.settings, runs=store.root, cache=context.paths.cache)
    (record,) = queue_runs(context, store, with_op_estimates(as_batch([spec]), store.ended()), yes=True)
    if not args.wait and not context.console.json:
        context.console.line(record.spec.run_id)
        return EXIT_FINDINGS if invalid else EXIT_OK
    context.console.note(f"started {record.spec.run_id}  {record.spec.test_id} on {backend}")
    (record,) = wait(store, [record.spec.run_id])
    return _report(record, invalid, context)


def _report(record: RunRecord, invalid: Sequence[OpResult], context: Context) -> int:
    results = [op_result(one) for one in read_case_results(record.directory)]
    if not results:
        hint = f"ttmatrix logs {record.spec.run_id}"
        raise TTMatrixError("No op case was run", record.summary or str(record.outcome), hint)
    results += invalid
    if context.console.json:
        context.console.document([records.OpCaseRun(**asdict(one)) for one in results])
    else:
        _print(results, context)
    if record.outcome not in (Outcome.PASS, Outcome.FAIL):
        context.console.note(f"{record.outcome}: {record.summary}")
    code = exit_code([record])
    return code or (EXIT_OK if all(one.good for one in results) else EXIT_FINDINGS)


def _print(results: Sequence[OpResult], context: Context) -> None:
    context.console.table(
        _HEADER,
        (
            (
                one.id,
                one.status,
                f"{one.seconds:.3f}",
                *map(short_number, (one.max_abs, one.max_rel, one.pcc)),
                one.message,
            )
            for one in results
        ),
    )
    counts = {status: sum(1 for one in results if one.status == status) for status in {one.status for one in results}}
    summary = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))
    context.console.note(f"{counted(len(results), 'op case')}: {summary}")
