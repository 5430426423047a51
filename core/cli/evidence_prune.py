# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence prune`: retention of results."""

import argparse
from datetime import UTC, datetime

from core.cli.context import Context
from core.errors import EXIT_OK
from core.evidence import evidence_store
from core.text import counted

_DAYS = 90.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--older-than", type=float, default=_DAYS, metavar="DAYS", help=f"default: {_DAYS:g}")
    parser.add_argument("--write", action="store_true", help="do it; without, only say what would go")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = evidence_store(context.checkout, context.paths)
    before = datetime.now(UTC).timestamp() - args.older_than * 86_400
    gone = store.thin(before, write=args.write)
    left = store.stats().results
    if context.console.json:
        context.console.document({"removed": gone, "written": args.write, "results": left})
        return EXIT_OK
    what = "removed" if args.write else "would go"
    context.console.line(f"{counted(gone, 'result')} {what}; {left:,} are stored")
    if gone and not args.write:
        context.console.note("Nothing was changed. --write does it.")
    return EXIT_OK
