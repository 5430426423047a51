# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix demo`: create the sample checkout and open it, or do the whole job once and print a transcript."""

import argparse
from pathlib import Path

from core.base.errors import EXIT_OK, TTMatrixError
from core.cli.context import Context
from core.cli.parser import app_request
from core.demo import lay_out
from core.sources import find_checkout

_DEFAULT = Path("ttmatrix-demo")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=_DEFAULT,
        metavar="DIR",
        help=f"where to create it; default: {_DEFAULT}",
    )
    parser.add_argument(
        "--headless", action="store_true", help="do the whole job once without a screen and print a transcript"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.headless:
        # It imports nearly everything: 310 ms that opening the app does without.
        from core.cli.demo_walk import walk

        lay_out(args.directory)
        walk(args.directory, context)
        return EXIT_OK
    if not _is_checkout(args.directory):
        lay_out(args.directory)
        context.console.note(f"Created the sample checkout in {args.directory}")
    return context.open_app(app_request(args, args.directory))


def _is_checkout(directory: Path) -> bool:
    try:
        find_checkout(directory, upward=False)
    except TTMatrixError:
        return False
    return True
