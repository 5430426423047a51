# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix placeholders`: list planned models, remove them, or replace one by entries."""

import argparse

from core import kinds
from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted
from core.cli.command_apply import add_options, apply_operations
from core.cli.context import Context
from core.domain.model import Status
from core.edits import PROMOTED_STATUSES, planned_models, promotion, removal
from core.matrix import with_placeholder_rows


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="*", metavar="NAME", help="names of placeholders, as the file has them")
    parser.add_argument("--remove", action="store_true", help="remove the placeholders NAME")
    parser.add_argument(
        "--promote",
        nargs="+",
        metavar="TEST",
        help="remove the placeholder NAME and add an entry for each of these tests that has none",
    )
    parser.add_argument(
        "--status", choices=PROMOTED_STATUSES, metavar="STATUS", help="status of the new entries; default: UNSPECIFIED"
    )
    parser.add_argument("--write", action="store_true", help="change the files; default: only print the diff")
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    known = planned_models(context.matrix)
    if unknown := next((name for name in args.name if name not in known), None):
        raise UsageError(f"There is no placeholder {unknown!r}", "\n".join(known) or "The checkout has none.")
    if args.remove and args.promote:
        raise UsageError("--remove and --promote exclude each other", "--promote removes the placeholder, too.")
    if args.remove:
        if not args.name:
            raise UsageError("Nothing to remove", hint="Name the placeholders to remove.")
        return apply_operations(removal(context.matrix, args.name), args, context, writes=args.write)
    if args.promote:
        if len(args.name) != 1:
            raise UsageError("One placeholder at a time can be promoted", hint="Give its NAME before --promote.")
        ids = context.resolve(args.promote)
        operations = promotion(context.matrix, args.name[0], ids, args.status or Status.UNSPECIFIED)
        return apply_operations(operations, args, context, writes=args.write)
    _print(args.name, context)
    return EXIT_OK


def _print(names: list[str], context: Context) -> None:
    planned = context.matrix.planned
    found = kinds.placeholders_with_tests(
        with_placeholder_rows(context.matrix),
        context.workspace.model_infos,
        [name for name in (planned.ids if planned else ()) if not names or name in names],
    )
    if context.console.json:
        context.console.document(found)
        return
    header = ("placeholder", "model", "bring-up", "place", "tests", "reason")
    rows = [
        (one.id, one.model, one.bringup_status, f"{one.file}:{one.line}", str(len(one.tests)), one.reason)
        for one in found
    ]
    context.console.table(header, rows)
    context.console.note(f"{counted(len(found), 'placeholder')}; tests are those of its model that a loader has")
