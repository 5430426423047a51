# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix uplift`: what another commit of the models would change, without checking it out."""

import argparse

from core.cli.context import Context
from core.cli.states_report import configure_report, report_difference

_BETWEEN = ".."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "range",
        metavar="[OLD..]NEW",
        help="commits or branches of the models; default for OLD: the commit that HEAD pins",
    )
    configure_report(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    old, _, new = args.range.rpartition(_BETWEEN)
    states = context.workspace.states
    return report_difference(states.at("HEAD", models=old), states.at("HEAD", models=new or "HEAD"), args, context)
