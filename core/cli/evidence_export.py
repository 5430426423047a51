# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence export`: write the results to one file for a team."""

import argparse
from pathlib import Path

from core.cli import records
from core.cli.context import Context
from core.errors import EXIT_OK
from core.evidence import evidence_store, write_file
from core.text import counted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a name that ends in .csv or .parquet")


def execute(args: argparse.Namespace, context: Context) -> int:
    count = write_file(args.file, evidence_store(context.checkout, context.paths).reports())
    if context.console.json:
        context.console.document(records.Exported(file=str(args.file), results=count))
    else:
        context.console.line(f"{args.file}: {counted(count, 'result')}")
    return EXIT_OK
