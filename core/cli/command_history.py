# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix history`: the commits that changed an entry, through renames and moves."""

import argparse
import time

from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.cli.history_report import as_document, commit_document, note_limits, steps_text
from core.domain.ids import pasted
from core.history import History, Timeline, age, changes_of_status, day_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", help="a test id, a node id, a part that matches only one id, or a deleted id"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    id, found = _find(context, args.id.strip())
    history = context.workspace.history
    if context.console.json:
        context.console.document(_document(id, found, history))
    else:
        _print(id, found, context)
    note_limits(context.console, history)
    return EXIT_OK


def _find(context: Context, text: str) -> tuple[str, tuple[Timeline, ...]]:
    """The id, and the entries that have or had it. A deleted id must be given whole."""
    try:
        id = text if text in context.matrix.rows else context.resolve([text])[0]
    except UsageError:
        id = pasted(text)[1]
        if id not in context.matrix.rows and (found := context.workspace.history.of(id)):
            return id, found
        raise
    return id, context.workspace.history.of(id)


def _document(id: str, found: tuple[Timeline, ...], history: History) -> records.EntryHistory:
    begins, counting = history.begins, history.counting.get(id)
    return records.EntryHistory(
        id=id,
        entries=[
            records.EntryTimeline(
                id=one.location.id if one.location else None,
                file=one.location.file if one.location else None,
                ids=list(one.ids),
                commits=[as_document(step) for step in one.steps],
            )
            for one in found
        ],
        age=age(counting, time.time()) if counting else None,
        flips=changes_of_status(counting) if counting else None,
        begins=commit_document(begins) if begins else None,
        shallow=history.committed.shallow,
        skipped=[
            records.SkippedFile(commit=one.commit or None, file=one.file, reason=one.reason) for one in history.skipped
        ],
    )


def _print(id: str, found: tuple[Timeline, ...], context: Context) -> None:
    console, history = context.console, context.workspace.history
    lines = [one_line(id)]
    for one in found:
        lines += ["", _title(one, id), *steps_text(one.steps)]
    console.prose(*lines)
    if not found:
        console.line("\nNo entry with this id in any commit or on disk.")
    console.line()
    if counting := history.counting.get(id):
        days, changes = age(counting, time.time()), changes_of_status(counting)
        when = f"{counted(days, 'day')} ago" if days else "today"
        console.prose(f"Its status was set {when} and has changed {counted(changes, 'time')}.")
    if begins := history.begins:
        console.line(f"Expectations have been in YAML since {day_of(begins)}.")


def _title(timeline: Timeline, id: str) -> str:
    if timeline.location is None:
        return f"Deleted; its last id was {one_line(timeline.ids[0])}"
    now = "" if timeline.location.id == id else f", now {one_line(timeline.location.id)}"
    return f"{one_line(timeline.location.file)}{now}"
