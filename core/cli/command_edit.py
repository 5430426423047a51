# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix edit`: operations from a file become one diff and, when asked, the new content of the YAML and a commit."""

import argparse

from core.cli.applying import add_options, apply
from core.cli.context import Context


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", required=True, metavar="FILE", help="a JSON list of operations; - reads stdin")
    parser.add_argument("--write", action="store_true", help="change the files; without it nothing is touched")
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    return apply(args.apply, args, context, writes=args.write)
