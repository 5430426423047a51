# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix loaders`: the loader edits that workflows have left uncommitted in the submodule, and the way back."""

import argparse

from core.cli.context import Context
from core.errors import EXIT_OK, UsageError
from core.text import one_line, printable
from core.triage.loader_edits import LoaderEdit, take_back_edits, uncommitted_edits
from core.triage.session import sessions_directory


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--take-back", action="append", default=[], metavar="FILE", help="give a file of the list the bytes of before"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    root = context.checkout.root
    sessions = sessions_directory(context.paths.state, root)
    edits = uncommitted_edits(sessions, root)
    if unknown := set(args.take_back) - {edit.path for edit in edits}:
        raise UsageError(f"No loader edit stands in {min(unknown)}", hint="ttmatrix loaders lists those that do.")
    if args.take_back:
        edits = tuple(edit for edit in edits if edit.path in args.take_back)
        take_back_edits(sessions, edits)
    if context.console.json:
        context.console.document([_document(edit) for edit in edits])
    else:
        for edit in edits:
            context.console.line(f"{one_line(edit.path)}: {_standing(edit)}{one_line(edit.edited.edit.summary)}")
            context.console.line(printable(edit.diff).rstrip("\n"))
    done = "taken back" if args.take_back else "uncommitted in the submodule, never committed by ttmatrix"
    context.console.note(f"{len(edits):,} {done}")
    return EXIT_OK


def _standing(edit: LoaderEdit) -> str:
    return "changed since by somebody else; " if edit.overtaken else ""


def _document(edit: LoaderEdit) -> dict[str, object]:
    made = edit.edited.edit
    return {"path": edit.path, "summary": made.summary, "overtaken": edit.overtaken, "diff": edit.diff}
