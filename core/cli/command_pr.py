# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix pr`: the text of a pull request, from existing commits or for the reviewer of a branch."""

import argparse

from core.base.errors import EXIT_OK, UsageError
from core.base.text import printable
from core.cli import records
from core.cli.context import Context
from core.edits.pending import Workbench, evidence_of
from core.states import PullRequest, pending_pull_request, pull_request_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "commit",
        nargs="?",
        default="HEAD",
        metavar="COMMIT",
        help="a commit, a range A..B, a branch, compared with where it left upstream; worktree or index: "
        "what is not committed; default: HEAD",
    )
    parser.add_argument(
        "--pending", action="store_true", help="what a commit of the accepted changes would be; of all, if none is"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    states, matrix = context.workspace.states, context.matrix
    found = _pending(context) if args.pending else pull_request_of(states, matrix, args.commit)
    if found.note:
        context.console.note(found.note)
    if context.console.json:
        context.console.document(
            records.PullRequest(base=found.base or None, commit=found.tip, tests=found.tests, markdown=found.markdown)
        )
    else:
        context.console.out.write(printable(found.markdown))
    return EXIT_OK


def _pending(context: Context) -> PullRequest:
    """The pending changes, with what was written here and is not committed."""
    bench = Workbench(context.checkout, context.paths.journal)
    changes = bench.pending.to_commit()
    operations = (*bench.state.written, *(op for change in changes for op in change.ops))
    if not operations:
        raise UsageError("No change is pending", "", "ttmatrix pr COMMIT is about commits.")
    evidence = {**bench.state.evidence, **evidence_of(changes)}
    return pending_pull_request(context.workspace.states, context.matrix, operations, evidence)
