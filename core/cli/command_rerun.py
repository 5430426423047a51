# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix rerun`: the same commands once more, for all of a batch or for what is left of it."""

import argparse
from collections.abc import Sequence

from core.cli.context import Context
from core.cli.start_runs import configure_start, start
from core.runs.batches import left_over, newest_batch
from core.runs.plan import plan_again
from core.runs.record import RunRecord
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="these runs; default: those of the newest batch")
    parser.add_argument("--batch", metavar="BATCH", help="another batch: the id of its first run")
    parser.add_argument("--failed", action="store_true", help="of the batch and its reruns, what has failed last")
    parser.add_argument("--not-run", action="store_true", help="what was cancelled or lost; adds to --failed")
    configure_start(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    records: Sequence[RunRecord] = [store.record(run) for run in args.runs] if args.runs else _left(args, store)
    return start(args, context, [plan_again(record.spec, store.root) for record in records])


def _left(args: argparse.Namespace, store: RunStore) -> Sequence[RunRecord]:
    records = store.records()
    return left_over(records, args.batch or newest_batch(records), failures=args.failed, undone=args.not_run)
