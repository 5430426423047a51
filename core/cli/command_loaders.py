# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix loaders`: list loader edits that workflows left uncommitted in the submodule, and restore files."""

import argparse

from core.cli.context import Context
from core.errors import EXIT_OK, UsageError
from core.text import counted, one_line, printable
from core.workflows import LoaderEdit, sessions_directory, take_back_edits, uncommitted_edits


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--restore",
        action="append",
        default=[],
        metavar="FILE",
        help="restore a listed file to its content before the edit",
    )
    # The old name of --restore, for existing scripts.
    parser.add_argument("--take-back", dest="restore", action="append", help=argparse.SUPPRESS)


def execute(args: argparse.Namespace, context: Context) -> int:
    root = context.checkout.root
    sessions = sessions_directory(context.paths.state, root)
    edits = uncommitted_edits(sessions, root)
    if unknown := set(args.restore) - {edit.path for edit in edits}:
        raise UsageError(f"No loader edit in {min(unknown)}", hint="ttmatrix loaders lists the files that have one.")
    if args.restore:
        edits = tuple(edit for edit in edits if edit.path in args.restore)
        take_back_edits(sessions, edits)
    if context.console.json:
        context.console.document([_document(edit) for edit in edits])
    else:
        for edit in edits:
            context.console.line(f"{one_line(edit.path)}: {_changed_since(edit)}{one_line(edit.edited.edit.summary)}")
            context.console.line(printable(edit.diff).rstrip("\n"))
    done = "restored" if args.restore else "uncommitted in the submodule; ttmatrix never commits there"
    context.console.note(f"{counted(len(edits), 'loader edit')} {done}")
    return EXIT_OK


def _changed_since(edit: LoaderEdit) -> str:
    return "changed by somebody else since; " if edit.overtaken else ""


def _document(edit: LoaderEdit) -> dict[str, object]:
    made = edit.edited.edit
    return {"path": edit.path, "summary": made.summary, "overtaken": edit.overtaken, "diff": edit.diff}
