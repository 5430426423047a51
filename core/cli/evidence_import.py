# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence import`: read a file that `export` wrote, here or elsewhere."""

import argparse
from pathlib import Path

from core.cli import records
from core.cli.context import Context
from core.errors import EXIT_OK
from core.evidence import evidence_store, read_file
from core.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file that export wrote")


def execute(args: argparse.Namespace, context: Context) -> int:
    store, found = evidence_store(context.checkout, context.paths), []
    for file in args.files:
        added = store.add_stored(read_file(file))
        found.append(records.Imported(file=str(file), new=added.new, known=added.known))
        if not context.console.json:
            context.console.line(f"{file}: {counted(added.new, 'new report')}, {added.known:,} known")
    if context.console.json:
        context.console.document(found)
    return EXIT_OK
