# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops run`: run op cases on a backend, compare with the CPU reference, print what happened to each."""

import argparse
import difflib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.ops import Batch, OpResult, OpTests, run_batch
from core.runs.planning import find_interpreter
from core.text import counted

_HEADER = ("id", "status", "seconds", "max abs", "max rel", "PCC", "message")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="a case, MODEL::CASE; default: all")
    add_selection(parser)
    parser.add_argument(
        "--backend",
        default="inductor",
        metavar="NAME",
        help="eager, aot_eager, inductor, xla, tt or another one of dynamo's; default: inductor",
    )
    parser.add_argument("--no-dedupe", action="store_true", help="run each of several equal cases")
    parser.add_argument("--max-bytes", default="", metavar="SIZE", help="skip cases that need more memory, such as 2G")
    parser.add_argument("--wait", action="store_true", help="wait for the results, which is what it does anyway")


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    _check_ids(args.ids, tests)
    inside = not args.ops_dir or context.in_checkout
    root = context.checkout.root if inside else Path.cwd()
    places = [one.expanduser().absolute() for one in args.ops_dir] or [root / one for one in context.settings.ops_dirs]
    batch = Batch(
        python=find_interpreter(root, context.settings),
        places=[one for one in places if one.exists()],
        ids=args.ids,
        models=args.model,
        backend=args.backend,
        dedupe=not args.no_dedupe,
        include_template=args.include_template,
        max_bytes=args.max_bytes,
    )
    results = run_batch(batch, root)
    if context.console.json:
        context.console.document([asdict(one) for one in results])
    else:
        _print(results, context)
    return EXIT_OK if all(one.good for one in results) else EXIT_FINDINGS


def _check_ids(ids: Sequence[str], tests: OpTests) -> None:
    known = {row.id for row in tests.rows}
    for id in ids:
        if id not in known:
            near = difflib.get_close_matches(id, known, n=1)
            raise UsageError(f"No op case {id}", f"Closest: {near[0]}" if near else "`ttmatrix ops list` has them all.")


def _print(results: Sequence[OpResult], context: Context) -> None:
    context.console.table(
        _HEADER,
        (
            (one.id, one.status, f"{one.seconds:.3f}", *map(_number, (one.max_abs, one.max_rel, one.pcc)), one.message)
            for one in results
        ),
    )
    counts = {status: sum(1 for one in results if one.status == status) for status in {one.status for one in results}}
    summary = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()))
    context.console.note(f"{counted(len(results), 'op case')}: {summary}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
