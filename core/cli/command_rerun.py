# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix rerun`: the same commands once more, for all of a batch or for what is left of it."""

import argparse

from core.cli.context import Context
from core.cli.start_runs import configure_start, start
from core.runs.batches import failed, newest_batch, not_run, standing
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
    records = [store.record(run) for run in args.runs] if args.runs else _left(args, store)
    return start(args, context, [plan_again(record.spec, store.root) for record in records])


def _left(args: argparse.Namespace, store: RunStore) -> list[RunRecord]:
    records = store.records()
    stands = standing(records, args.batch or newest_batch(records)).values()
    everything = not args.failed and not args.not_run
    chosen = [
        runs for runs in stands if everything or (args.failed and failed(runs)) or (args.not_run and not_run(runs))
    ]
    return sorted((runs[0] for runs in chosen), key=lambda record: record.spec.created)
