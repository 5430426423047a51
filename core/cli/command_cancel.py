# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix cancel`: stop runs and everything they started."""

import argparse

from core.base.errors import EXIT_OK, UsageError
from core.cli.context import Context
from core.cli.runs_common import run_record, runs_table
from core.runs.execution import cancel_all
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="*", metavar="RUN", help="a run id, or its beginning")
    parser.add_argument(
        "--batch", metavar="BATCH", help="all runs of this batch that have not ended; the id of its first run"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    runs = [*args.runs, *(_active(store, args.batch) if args.batch else [])]
    if not runs and not args.batch:
        raise UsageError(
            "Which runs?", hint="ttmatrix cancel RUN..., or --batch BATCH; ttmatrix runs --active lists them."
        )
    records = cancel_all(store, runs)
    if context.console.json:
        context.console.document([run_record(record) for record in records])
    else:
        runs_table(context.console, records)
    return EXIT_OK


def _active(store: RunStore, batch: str) -> list[str]:
    """The runs of a batch that have not ended. Raises UsageError for an unknown batch."""
    members = [record for record in store.records() if record.spec.batch == batch]
    if not members:
        raise UsageError(f"No batch {batch}", "A batch has the id of its first run; see: ttmatrix runs --json")
    return [record.spec.run_id for record in members if record.active]
