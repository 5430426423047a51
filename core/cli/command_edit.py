# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix edit`: operations from a file become one diff and, when asked, the new content of the YAML."""

import argparse
import sys
from pathlib import Path

from core.cli.context import Context
from core.edits.effect import effect
from core.edits.exclusive import sole_writer
from core.edits.operations import parse_operations, to_json
from core.edits.plan import plan
from core.edits.workbench import Workbench
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.files import read_text
from core.matrix.ci import job_name
from core.text import one_line, printable

_WAIT_SECONDS = 5.0
"""How long another writer is waited for."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", required=True, metavar="FILE", help="a JSON list of operations; - reads stdin")
    parser.add_argument("--write", action="store_true", help="change the files; without it nothing is touched")


def execute(args: argparse.Namespace, context: Context) -> int:
    text = sys.stdin.read() if args.apply == "-" else read_text(Path(args.apply))
    operations = parse_operations(text)
    console = context.console
    test_config, schema = context.checkout.test_config, context.matrix.schema
    if args.write:
        bench = Workbench(context.checkout, context.paths.journal)
        with sole_writer(context.checkout.root, "edit --write", wait=_WAIT_SECONDS):
            planned = plan(test_config, operations, schema)
            bench.write_plan(planned)
        for notice in bench.notices():
            console.note(notice)
    else:
        planned = plan(test_config, operations, schema)
    changes = effect(context.matrix, planned, context.ci)
    if console.json:
        console.document(
            {
                "diff": planned.diff(),
                "applied": to_json(planned.applied),
                "rejected": [
                    *({"op": to_json([one.op])[0], "why": one.why} for one in planned.rejected),
                    *({"op": op, "why": "another operation on its file is rejected"} for op in to_json(planned.held)),
                ],
                "effect": [
                    {
                        "id": one.id,
                        "arch": one.arch,
                        "before": one.before,
                        "after": one.after,
                        "jobs_gained": [job_name(job) for job in one.jobs_gained],
                        "jobs_lost": [job_name(job) for job in one.jobs_lost],
                    }
                    for one in changes
                ],
                "written": [edit.file for edit in planned.files] if args.write else [],
            }
        )
    else:
        console.out.write(printable(planned.diff()))
        for one in changes:
            console.note(f"{one.id} on {one.arch}: {one.before or 'not marked'} -> {one.after or 'not marked'}")
            for word, jobs in (("gains", one.jobs_gained), ("loses", one.jobs_lost)):
                for job in jobs:
                    console.note(f"  {word} {job_name(job)}")
    for rejection in planned.rejected:
        console.note(f"rejected: {rejection.op.op} {one_line(rejection.op.id)}: {rejection.why}")
    if planned.held:
        console.note(f"{len(planned.held)} more operations wait: another one on their file is rejected")
    return EXIT_FINDINGS if planned.rejected else EXIT_OK
