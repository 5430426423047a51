# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops list`: list op cases; of cases that are the same test, one represents the others."""

import argparse

from core import kinds
from core.base.errors import EXIT_OK
from core.base.text import one_line
from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.cli.row_printers import print_table
from core.ops import OpTests, default_backend, problem_text


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
    style = args.format or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(found)
    elif style == "ids":
        # A faulty case cannot be run.
        context.console.out.writelines(f"{one.id}\n" for one in found if one.op)
    else:
        print_table(kinds.case_table(found), style, context)
    for line in _nameless_problems(tests):
        context.console.note(line)
    return EXIT_OK


def _nameless_problems(tests: OpTests) -> list[str]:
    """A line for each mistake that is not listed with a case: it is about a whole file, or a case without a name."""
    return [
        f"{one_line(manifest.path)}{f':{problem.line}' if problem.line else ''}: {one_line(problem_text(problem))}"
        for manifest in tests.manifests
        for problem in manifest.problems
        if not problem.warning and not problem.case
    ]
