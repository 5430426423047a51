# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops list`: list op cases; of cases that are the same test, one represents the others."""

import argparse

from core import kinds
from core.base.errors import EXIT_OK
from core.cli.context import Context
from core.cli.op_records import nameless_problems, print_cases
from core.cli.ops_common import add_selection, op_tests
from core.ops import default_backend


def configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)
    parser.add_argument("--no-dedupe", action="store_true", help="list every case, duplicates too")
    parser.add_argument(
        "--backend",
        default="",
        metavar="NAME",
        help="what skip_if sees as the backend; default: TEST_COMPILE_BACKEND of the environment, else inductor",
    )
    parser.add_argument("--format", choices=("table", "ids", "csv", "json"), help="default: table; with --json: json")


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    found = kinds.op_cases(tests, args.model, args.backend or default_backend(), dedupe=not args.no_dedupe)
    print_cases(found, args.format, context)
    for line in nameless_problems(tests):
        context.console.note(line)
    return EXIT_OK
