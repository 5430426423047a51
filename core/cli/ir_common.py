# SPDX-License-Identifier: Apache-2.0
"""Shared by the verbs of `ttmatrix ir`: the programs that an argument names."""

import argparse
from pathlib import Path

from core.cli.context import Context
from core.errors import UsageError
from core.runs import how_to_dump
from core.runs.ir import Program, Stage, programs, stage_of
from core.runs.store import RunRecord, RunStore

PLACE_HELP = "a run, RUN:PROGRAM with a part of a program's name, or a file"


def add_stage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stage", choices=tuple(Stage), type=Stage, help="only programs of this stage")


def of_run(record: RunRecord, part: str, stage: Stage | None) -> list[Program]:
    """The programs of a run whose names contain `part`. Raises UsageError if there is none."""
    every = programs(record)
    found = [one for one in every if part in one.name and stage in (None, one.stage)]
    if not found:
        known = ", ".join(one.name for one in every)
        hint = "" if known else how_to_dump(record.spec)
        raise UsageError(
            f"Run {record.spec.run_id} has left no such program", f"It has: {known}." if known else "", hint
        )
    return found


def wanted(text: str, stage: Stage | None, context: Context) -> list[Program]:
    """The programs that `text` names. Raises UsageError if there is none."""
    file = Path(text)
    if file.is_file():
        kind = stage or stage_of(file.name) or Stage.OTHER
        return [Program(str(file), file, kind, file.stat().st_size)]
    run, _, part = text.partition(":")
    return of_run(RunStore(context.paths.runs).record(run), part, stage)
