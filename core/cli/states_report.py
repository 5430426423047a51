# SPDX-License-Identifier: Apache-2.0
"""The difference of two states: as sections for a person, and as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from core.base.errors import EXIT_OK
from core.base.files import atomic_write
from core.base.text import counted, json_text, one_line
from core.cli import records
from core.cli.context import Context
from core.cli.finding_record import finding_record
from core.cli.touched_report import asked_for_runs, configure_touched, report_touched
from core.edits import OpKind, to_json
from core.sources import Git, web_address
from core.sources.ci import Job
from core.states import Difference, Item, Moment, Section, State, difference, moves, sections

_SHOWN = 5
"""So many names of one item are listed without --all."""
_ITEMS = 12
"""And so many items of one section."""
_SHORT = 10


def configure_report(parser: argparse.ArgumentParser) -> None:
    """The options that `report_difference` takes."""
    parser.add_argument("--all", action="store_true", help="list every id; default: the first ones of each change")
    parser.add_argument(
        "--moves",
        metavar="FILE",
        help="write operations for entries of this checkout whose test is gone: to the id that the test has now, with "
        "reason and thresholds, else removed; then: ttmatrix edit --apply FILE",
    )
    configure_touched(parser)


def report_difference(before: State, after: State, args: argparse.Namespace, context: Context) -> int:
    """Print what differs, or what runs of it take."""
    found, whole = difference(before, after), args.all
    if args.moves is not None:
        _write_moves(found, args.moves, context)
    if asked_for_runs(args):
        return report_touched(found, args, context)
    if context.console.json:
        context.console.document(difference_record(found))
        return EXIT_OK
    for line in moment_lines(found, context):
        context.console.line(line)
    for section in sections(found):
        context.console.line("")
        context.console.line(one_line(section.title))
        for line in _section_lines(section, whole=whole):
            context.console.line(line)
    if found.is_empty:
        context.console.line("")
        context.console.line("No difference in tests, entries, CI jobs, code of loaders, findings or versions.")
    return EXIT_OK


def _write_moves(found: Difference, file: str, context: Context) -> None:
    operations = moves(found, context.matrix)
    atomic_write(Path(file), json_text(to_json(operations)) + "\n")
    moved = sum(one.op is OpKind.RENAME for one in operations)
    said = f"{counted(moved, 'entry')} to another id, {counted(len(operations) - moved, 'entry')} to remove"
    context.console.note(f"{said}; look at it: ttmatrix edit --apply {file}")


def moment_lines(found: Difference, context: Context) -> Iterator[str]:
    """What is compared, with pages that compare it too."""
    checkout = context.checkout
    yield _compared("tt-xla", found.before.tt_xla, found.after.tt_xla, web_address(Git(checkout.root)))
    if found.before.models != found.after.models:
        yield _compared("models", found.before.models, found.after.models, web_address(Git(checkout.models)))


def _compared(name: str, before: str, after: str, page: str) -> str:
    said = f"{name} {_short(before)}..{_short(after)}" if before != after else f"{name} {_short(after)}"
    both = page and before != after and min(len(before), len(after)) > _SHORT
    return f"{said}  {page}/compare/{before}...{after}" if both else said


def _short(commit: str) -> str:
    return commit[:_SHORT] or "none"


def _section_lines(section: Section, *, whole: bool) -> Iterator[str]:
    shown = section.items if whole else section.items[:_ITEMS]
    for item in shown:
        yield from _item_lines(item, whole=whole)
    if more := len(section.items) - len(shown):
        yield f"  … and {more:,} more"


def _item_lines(item: Item, *, whole: bool) -> Iterator[str]:
    indent = "  "
    if item.text:
        yield f"  {one_line(item.text)}{f'  {item.link}' if item.link else ''}"
        indent = "    "
    shown = item.names if whole or len(item.names) == _SHOWN + 1 else item.names[:_SHOWN]
    yield from (f"{indent}{one_line(name)}" for name in shown)
    if more := len(item.names) - len(shown):
        yield f"{indent}… and {more:,} more"


def difference_record(found: Difference) -> records.StatesCompared:
    """The JSON form."""
    return records.StatesCompared(
        from_=_moment(found.before),
        to=_moment(found.after),
        tests=records.TestsBetween(
            added=found.added,
            removed=found.removed,
            renamed=[records.RenamedTest(from_=one.before, to=one.after) for one in found.renamed],
        ),
        entries=records.EntriesBetween(
            added=found.entries_added,
            removed=found.entries_removed,
            changed=[records.ChangedField(**one._asdict()) for one in found.changed],
            orphaned=found.orphaned,
            reached=found.reached,
        ),
        jobs=[
            records.JobBetween(file=one.job.file, index=one.job.index, gained=one.gained, lost=one.lost)
            for one in found.jobs
        ],
        loaders=[records.LoaderBetween(loader=one.loader, files=one.files, tests=one.entries) for one in found.loaders],
        placeholders=[records.RealPlaceholder(name=one.name, loader=one.loader) for one in found.placeholders],
        handwritten=records.HandwrittenBetween(added=found.handwritten_added, removed=found.handwritten_removed),
        findings=records.FindingsBetween(
            new=[finding_record(one) for one in found.new], gone=[finding_record(one) for one in found.gone]
        ),
        pins=[
            records.MovedPin(name=one.name, before=one.before or None, after=one.after or None) for one in found.pins
        ],
        presets=records.PresetsBetween(
            renamed=[records.RenamedPreset(from_=one.before, to=one.after) for one in found.presets],
            moved=[records.MovedJob(from_=_place(one), to=_place(other)) for one, other in found.moved_jobs],
        ),
    )


def _place(job: Job) -> records.PlaceOfJob:
    return records.PlaceOfJob(file=job.file, index=job.index)


def _moment(one: Moment) -> records.Moment:
    return records.Moment(tt_xla=one.tt_xla, models=one.models or None)
