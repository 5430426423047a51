# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops extract`: the ops of one model as a manifest of op tests."""

import argparse
from pathlib import Path

from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.cli.runs_common import agreed_interpreter, configure_yes
from core.domain.ids import TestId
from core.ops import LEVELS, extract, save_extracted


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="TEST", help="a test of the model: an id, or a part that matches only one")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the file to write; default: standard output")
    parser.add_argument(
        "--level", choices=LEVELS, default=LEVELS[0], help="torch: as the model calls them; aten: below"
    )
    parser.add_argument(
        "--merge", action="store_true", help="add the cases that FILE does not have yet; nothing in it changes"
    )
    configure_yes(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    file: Path | None = args.output
    if args.merge and file is None:
        raise UsageError("--merge needs a file", "Name it with -o FILE.")
    if file is not None and file.exists() and not args.merge:
        raise UsageError(f"{file} exists", "Add its missing cases with --merge, or write to another file.")
    (id,) = context.resolve([args.id])
    test = TestId.parse(id)
    if test is None:
        raise UsageError(f"{id} names no model", "It has no loader, variant and mode.")
    root, settings = context.checkout.root, context.settings
    python = agreed_interpreter([id], context, yes=args.yes)
    found = extract(python, root, test, level=args.level, timeout=settings.cpu_timeout)
    new = found.cases
    if file is not None:
        new = save_extracted(file, found, merge=args.merge)
    elif not context.console.json:
        context.console.out.write(found.text)
    if context.console.json:
        context.console.document(
            records.Extracted(
                id=id,
                level=args.level,
                file=str(file) if file else None,
                cases=found.cases,
                added=new,
                calls=found.calls,
                left_out=dict(found.left_out),
                failure=found.failure,
                manifest=found.text if file is None else None,
            )
        )
        return EXIT_OK
    context.console.note(f"{counted(found.cases, 'case')} of {counted(found.calls, 'call')}, {new:,} new")
    if found.failure:
        context.console.note(one_line(f"the model did not end: {found.failure}"))
    for what, count in found.left_out.items():
        context.console.note(f"left out {count:,} x {one_line(what)}")
    return EXIT_OK
