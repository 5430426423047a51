# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix loaders`: list loader edits that workflows left uncommitted in the submodule, and restore files."""

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.files import plain
from core.base.text import counted, one_line, printable
from core.cli import records
from core.cli.context import Context
from core.cli.runs_common import ask, configure_yes
from core.runs.planning import find_interpreter
from core.workflows import LoaderEdit, check_edits, sessions_directory, take_back_edits, uncommitted_edits


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--restore",
        action="append",
        default=[],
        metavar="FILE",
        help="restore a listed file to its content before the edit",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="run the submodule's pre-commit hooks on the edited files, and show what they would change; exit 1 if any",
    )
    configure_yes(parser)
    # The old name of --restore, for existing scripts.
    parser.add_argument("--take-back", dest="restore", action="append", help=argparse.SUPPRESS)


def execute(args: argparse.Namespace, context: Context) -> int:
    root = context.checkout.root
    sessions = sessions_directory(context.paths.state, root)
    edits = uncommitted_edits(sessions, root)
    if unknown := set(args.restore) - {edit.path for edit in edits}:
        raise UsageError(f"No loader edit in {min(unknown)}", hint="ttmatrix loaders lists the files that have one.")
    if args.check:
        return _check(args, context, edits)
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


def _check(args: argparse.Namespace, context: Context, edits: Sequence[LoaderEdit]) -> int:
    """What the hooks say of each edited file."""
    if edits and not args.yes:
        ask("Run pre-commit, which may download its hooks?", context, hint="Add --yes to agree.")
    found = check_edits(edits, context.checkout.models, find_interpreter(context.checkout.root, context.settings))
    if context.console.json:
        context.console.document([records.CheckedLoader(**plain(one)) for one in found])
    for one in found if not context.console.json else ():
        context.console.line(printable(one.said).rstrip())
        changes = printable(one.diff).rstrip() if one.diff else f"{one_line(one.path)}: the hooks change nothing"
        context.console.line(changes)
    passed = all(one.passed for one in found)
    context.console.note(f"{counted(len(found), 'loader edit')} {'pass' if passed else 'checked'}")
    return EXIT_OK if passed else EXIT_FINDINGS


def _changed_since(edit: LoaderEdit) -> str:
    return "changed by somebody else since; " if edit.overtaken else ""


def _document(edit: LoaderEdit) -> records.LoaderEdit:
    made = edit.edited.edit
    return records.LoaderEdit(path=edit.path, summary=made.summary, overtaken=edit.overtaken, diff=edit.diff)
