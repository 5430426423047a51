# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix rerun`: start runs of a batch again: all of them, or the ones that failed or did not run."""

import argparse
from collections.abc import Sequence

from core.cli.context import Context
from core.cli.runs_common import configure_start, start
from core.matrix import Matrix, index
from core.runs.planning import left_over, newest_batch, plan_again, with_estimates
from core.runs.store import RunRecord, RunStore
from core.sources import find_checkout, same_place


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="these runs; default: the newest batch")
    parser.add_argument("--batch", metavar="BATCH", help="another batch: the id of its first run")
    parser.add_argument(
        "--failed", action="store_true", help="only tests whose latest run in the batch and its reruns failed"
    )
    parser.add_argument(
        "--not-run", action="store_true", help="only runs that were cancelled or lost; can be combined with --failed"
    )
    parser.add_argument(
        "--all", action="store_true", help="take runs of any checkout, and start them in the checkout they belong to"
    )
    configure_start(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    everywhere = args.all or not context.in_checkout
    records: Sequence[RunRecord] = [store.record(run) for run in args.runs]
    if not args.runs:
        known = store.records() if everywhere else context.workspace.run_records
        records = left_over(known, args.batch or newest_batch(known), failures=args.failed, undone=args.not_run)
    if not records:
        return start(args, context, [])
    matrix = _matrix(records[0], context) if everywhere else context.matrix
    again = [plan_again(record.spec, store.root, matrix) for record in records]
    return start(args, context, with_estimates(again, store.ended(), {}))


def _matrix(record: RunRecord, context: Context) -> Matrix:
    """The matrix of the checkout that a run belongs to. Raises TTMatrixError if the checkout is gone."""
    place = record.spec.cwd
    if context.in_checkout and same_place(place, context.checkout.root):
        return context.matrix
    return index(find_checkout(place, upward=False))
