# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix uplift`: what another commit of the models would change, without checking it out."""

import argparse

from core.base.errors import UsageError
from core.cli.context import Context
from core.cli.states_report import configure_report, report_difference
from core.sources import Git
from core.states import span_of_models


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "range",
        metavar="[OLD..]NEW",
        help="commits or branches of the models; default for OLD: the commit that HEAD pins",
    )
    configure_report(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    if not args.range:
        raise UsageError("No commit of the models is given", "The range is empty.", "Name one, such as origin/main.")
    asked = span_of_models(Git(context.checkout.models), args.range)
    if asked.note:
        context.console.note(asked.note)
    states = context.workspace.states
    before, after = (states.at("HEAD", models=commit) for commit in (asked.before, asked.after))
    return report_difference(before, after, args, context)
