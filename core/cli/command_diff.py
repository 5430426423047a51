# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix diff`: everything of the matrix that differs between two states of the checkout."""

import argparse

from core.base.errors import UsageError
from core.cli import absent_report
from core.cli.context import Context
from core.cli.states_report import configure_report, report_difference
from core.sources import WORK_TREE, Git
from core.states import span


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "range",
        nargs="?",
        default=None,
        metavar="A[..B]",
        help="two commits or branches; A...B: from where B left A; alone, A is compared with the work tree. "
        "`index` and `worktree` are states too. Default: HEAD and the work tree",
    )
    configure_report(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.range == "":
        raise UsageError("No commit is given", "The range is empty.", "Name two commits, A..B, or leave the range out.")
    asked = span(Git(context.checkout.root), args.range or "")
    if asked.note:
        context.console.note(asked.note)
    states = context.workspace.states
    code = report_difference(states.at(asked.before), states.at(asked.after), args, context)
    if WORK_TREE in asked:
        absent_report.note_absent(context)
    return code
