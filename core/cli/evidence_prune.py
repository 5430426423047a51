# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence prune`: retention of results."""

import argparse
from datetime import UTC, datetime

from core.cli import records
from core.cli.context import Context
from core.errors import EXIT_OK
from core.evidence import evidence_store
from core.text import counted

_DAYS = 90.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--older-than", type=float, metavar="DAYS", help=f"default: retention.days of the policy, else {_DAYS:g}"
    )
    parser.add_argument("--write", action="store_true", help="remove them; default: only say how many")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = evidence_store(context.checkout, context.paths)
    policy = context.policy
    days = (policy.retention.days or _DAYS) if args.older_than is None else args.older_than
    gone = store.thin(datetime.now(UTC).timestamp() - days * 86_400, policy.retained, write=args.write)
    left = store.stats().results
    if context.console.json:
        context.console.document(records.Pruned(removed=gone, written=args.write, results=left))
        return EXIT_OK
    what = "removed" if args.write else "would be removed"
    context.console.line(f"{counted(gone, 'result')} {what}; {left:,} are stored")
    if gone and not args.write:
        context.console.note("Nothing was changed. --write removes them.")
    return EXIT_OK
