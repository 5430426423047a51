# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir list`: the programs of a run, in the order of the stages."""

import argparse

from core.cli import records
from core.cli.context import Context
from core.cli.ir_common import PLACE_HELP, add_stage, wanted
from core.errors import EXIT_OK


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="RUN", help=PLACE_HELP)
    add_stage(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    found = wanted(args.program, args.stage, context)
    if context.console.json:
        context.console.document(
            [records.Program(stage=one.stage, name=one.name, file=str(one.file), bytes=one.size) for one in found]
        )
    else:
        context.console.table(("stage", "bytes", "program"), ((one.stage, f"{one.size:,}", one.name) for one in found))
    return EXIT_OK
