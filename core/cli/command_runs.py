# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix runs`: list runs of this checkout or of every checkout, newest first."""

import argparse

from core.base.errors import EXIT_OK
from core.base.text import counted
from core.cli.context import Context
from core.cli.runs_common import run_record, runs_table
from core.runs import ages, own_runs
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="words that the test id or the outcome contains")
    parser.add_argument("--active", action="store_true", help="only queued and running runs")
    parser.add_argument("--all", action="store_true", help="runs of every checkout; the default outside of a checkout")


def execute(args: argparse.Namespace, context: Context) -> int:
    records, problems = RunStore(context.paths.runs).scan()
    own = own_runs(records, context.workspace.tree) if context.in_checkout else []
    everywhere = args.all or not context.in_checkout
    # The matrix is only read if there is a result that may have aged.
    has_ended = any(not record.active for record in own)
    old = ages(own, context.matrix.entries, context.workspace.tree) if has_ended else {}
    words = [word.lower() for word in args.query]
    candidates = records if everywhere else own
    shown = [
        record
        for record in candidates
        if (record.active or not args.active)
        and all(word in f"{record.spec.test_id} {record.outcome or record.state}".lower() for word in words)
    ]
    if context.console.json:
        context.console.document([run_record(record, old.get(record.spec.run_id)) for record in shown])
    else:
        runs_table(context.console, shown, old, with_checkout=everywhere)
        if not shown:
            where = "" if everywhere else " of this checkout"
            context.console.note(
                "no run matches" if candidates else f"no runs{where} yet; ttmatrix run TEST starts one"
            )
        if not everywhere and len(own) < len(records):
            context.console.note(f"{counted(len(records) - len(own), 'run')} of other checkouts; --all shows them")
    for problem in problems:
        context.console.note(f"cannot read {problem.directory}: {problem.message}")
    return EXIT_OK
