# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix queue`: list queued runs in order; hold, release or move them."""

import argparse
from collections.abc import Callable

from core.base.errors import EXIT_OK, UsageError
from core.cli.context import Context
from core.cli.runs_common import run_record, runs_table
from core.runs.execution import tend
from core.runs.store import Queue, RunState, RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="?", choices=list(_ACTIONS), help="what to do with the runs; default: list them")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="run ids, or their beginnings")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    if args.what and not args.runs:
        raise UsageError(f"{args.what} needs run ids", hint="ttmatrix queue lists them.")
    named = [store.record(run) for run in args.runs]
    ids, waiting = [record.spec.run_id for record in named], store.queue.names()
    for record in named:
        if record.spec.run_id not in waiting or record.state is not RunState.QUEUED:
            raise UsageError(f"Run {record.spec.run_id} is not queued any more")
    # Each one moves before those moved so far, so go through them in reverse.
    for run_id in reversed(ids) if args.what == "first" else ids:
        _ACTIONS[args.what](store.queue, run_id)
    tend(store)
    if context.console.json:
        context.console.document([run_record(record) for record in store.queued()])
    elif ids:
        # Thousands may wait: only what was asked for is printed.
        runs_table(context.console, map(store.record, ids))
        context.console.note("ttmatrix queue lists all queued runs in order")
    else:
        shown = store.queued()
        runs_table(context.console, shown)
        if not shown:
            context.console.note("no run is queued; ttmatrix runs lists all runs")
    return EXIT_OK


_ACTIONS: dict[str, Callable[[Queue, str], None]] = {
    "hold": lambda queue, run_id: queue.hold(run_id, True),
    "release": lambda queue, run_id: queue.hold(run_id, False),
    "first": Queue.put_first,
    "last": Queue.put_last,
}
