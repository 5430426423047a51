# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix prune`: remove old runs as the settings say; without --yes only list them."""

import argparse
import time
from pathlib import Path

from core.base.errors import EXIT_OK
from core.base.text import counted
from core.cli.context import Context
from core.cli.runs_common import run_record, runs_table
from core.edits.pending import journal_texts
from core.runs import run_ids_in
from core.runs.store import Policy, RunStore, size_on_disk, surplus

_GIB = 2**30


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, metavar="N", help="keep the newest N runs; default: the setting keep_runs")
    parser.add_argument(
        "--days", type=float, metavar="D", help="keep runs younger than D days; default: the setting keep_days"
    )
    parser.add_argument(
        "--gib", type=float, metavar="G", help="keep the newest G GiB of runs; default: the setting keep_gib"
    )
    parser.add_argument("--yes", action="store_true", help="remove the runs; default: only list them")


def execute(args: argparse.Namespace, context: Context) -> int:
    store, settings = RunStore(context.paths.runs), context.settings
    policy = Policy(
        settings.keep_runs if args.runs is None else args.runs,
        settings.keep_days if args.days is None else args.days,
        int((settings.keep_gib if args.gib is None else args.gib) * _GIB),
    )
    removed = surplus(
        store.records(),
        policy,
        now=time.time(),
        cited=_cited(context.paths.journal).__contains__,
        size=lambda record: size_on_disk(record.directory),
    )
    if args.yes:
        for record in removed:
            store.forget(record.spec.run_id)
    if context.console.json:
        context.console.document([run_record(record) for record in removed])
    else:
        runs_table(context.console, removed)
    context.console.note(f"{'removed' if args.yes else 'would remove'} {counted(len(removed), 'run')}")
    return EXIT_OK


def _cited(journals: Path) -> frozenset[str]:
    """Runs that pending changes of any checkout cite as evidence."""
    return frozenset[str]().union(*map(run_ids_in, journal_texts(journals)))
