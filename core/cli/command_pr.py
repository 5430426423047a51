# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix pr`: the text of a pull request, from existing commits."""

import argparse

from core.cli import records
from core.cli.context import Context
from core.edits.commit import read_committed
from core.errors import EXIT_OK
from core.text import printable


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "commit", nargs="?", default="HEAD", metavar="COMMIT", help="a commit, or a range A..B; default: HEAD"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    found = read_committed(context.matrix, args.commit)
    text = found.markdown(context.matrix, context.workspace.ci)
    if context.console.json:
        ids = [change.id for change in found.changes]
        context.console.document(
            records.PullRequest(base=found.base or None, commit=found.tip, tests=ids, markdown=text)
        )
    else:
        context.console.out.write(printable(text))
    return EXIT_OK
