# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix pr`: the text of a pull request, from existing commits or for the reviewer of a branch."""

import argparse

from core.base.errors import EXIT_OK
from core.base.text import printable
from core.cli import records
from core.cli.context import Context
from core.states import pull_request_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "commit",
        nargs="?",
        default="HEAD",
        metavar="COMMIT",
        help="a commit, a range A..B, or a branch, compared with where it left the upstream branch; default: HEAD",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    found = pull_request_of(context.workspace.states, context.matrix, args.commit)
    if found.note:
        context.console.note(found.note)
    if context.console.json:
        context.console.document(
            records.PullRequest(base=found.base or None, commit=found.tip, tests=found.tests, markdown=found.markdown)
        )
    else:
        context.console.out.write(printable(found.markdown))
    return EXIT_OK
