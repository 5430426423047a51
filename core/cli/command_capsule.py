# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix capsule`: pack everything needed to repeat a run into one archive."""

import argparse
from pathlib import Path

from core.base.errors import EXIT_OK, UsageError
from core.cli import records
from core.cli.context import Context
from core.runs import pack
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, or its beginning")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: RUN.tar.gz in the current directory"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    record = RunStore(context.paths.runs).record(args.run)
    if record.active:
        raise UsageError(
            f"Run {record.spec.run_id} has not ended", hint=f"Wait for it, or: ttmatrix cancel {record.spec.run_id}"
        )
    file = args.output or Path(f"{record.spec.run_id}.tar.gz")
    pack(record, file)
    if context.console.json:
        context.console.document(records.PackedRun(run=record.spec.run_id, file=str(file.absolute())))
    else:
        context.console.line(str(file))
    return EXIT_OK
