# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix cancel`: stop runs and everything they started."""

import argparse

from core.cli.context import Context
from core.cli.run_report import record_document, runs_table
from core.errors import EXIT_OK
from core.runs.launch import cancel
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a run id, or the beginning of one")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    # All names are looked up first: a mistake in one must not leave half of them stopped.
    ids = [store.record(run).spec.run_id for run in args.runs]
    records = [cancel(store, run_id) for run_id in ids]
    if context.console.json:
        context.console.document([record_document(record) for record in records])
    else:
        runs_table(context.console, records)
    return EXIT_OK
