# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix cancel`: stop runs and everything they started."""

import argparse

from core.cli.context import Context
from core.cli.runs_common import record_document, runs_table
from core.errors import EXIT_OK
from core.runs.execution import cancel_all
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="a run id, or its beginning")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    records = cancel_all(store, args.runs)
    if context.console.json:
        context.console.document([record_document(record) for record in records])
    else:
        runs_table(context.console, records)
    return EXIT_OK
