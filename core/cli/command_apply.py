# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix apply`: write what a file of proposals or of operations asks for and, when asked, commit it."""

import argparse

from core.cli.context import Context
from core.cli.edits_common import add_options, apply


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a JSON list of proposals or of operations; - reads stdin")
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    return apply(args.file, args, context, writes=True)
