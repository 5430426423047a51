# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix watch`: read the runs of CI as they end, until interrupted, and say what each nightly has brought."""

import argparse

from core.cli import ingest_sources
from core.cli.arguments import minutes
from core.cli.command_ingest import again_and_again, ingest_from_github
from core.cli.context import Context
from core.evidence import CiRun
from core.evidence.nightly import headline, newest_night

_MINUTES = 30.0


def configure(parser: argparse.ArgumentParser) -> None:
    ingest_sources.configure_github(parser)
    parser.add_argument(
        "--every", type=minutes, default=_MINUTES, metavar="MINUTES", help="how often to ask GitHub; default: 30"
    )
    parser.set_defaults(paths=(), latest=False)


def execute(args: argparse.Namespace, context: Context) -> int:
    said: set[object] = {_stamp(newest_night(context.evidence.ci_runs))}

    def once() -> None:
        ingest_from_github(args, context)
        newest = newest_night(context.evidence.ci_runs)
        if newest is not None and _stamp(newest) not in said:
            said.add(_stamp(newest))
            context.console.line(headline(context.evidence.night(newest)))

    return again_and_again(args.every, once, context)


def _stamp(run: CiRun | None) -> object:
    return (run.id, run.attempt) if run is not None else None
