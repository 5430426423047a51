# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix compare`: compare two CI runs, such as two nightlies, or tests under several profiles."""

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.text import one_line
from core.cli import compare_profiles, records
from core.cli.commits_report import commits_document, print_commits
from core.cli.context import Context
from core.evidence import Observation, page_of
from core.evidence.analysis import Difference, DifferenceKind, chosen_run
from core.workspace import RunsCompared


def configure(parser: argparse.ArgumentParser) -> None:
    before = "the earlier run: its name or a part of it; with --profiles a query"
    parser.add_argument("before", nargs="?", metavar="RUN", help=before)
    parser.add_argument("after", nargs="?", metavar="RUN", help="the later run; default: the last two runs")
    parser.add_argument("--runs", action="store_true", help="list the runs in the evidence store instead")
    parser.add_argument(
        "--only",
        choices=tuple(DifferenceKind),
        action="append",
        type=DifferenceKind,
        help="show only cells of this kind",
    )
    compare_profiles.configure(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.profiles or args.sweep or args.batch:
        return compare_profiles.execute(args, context)
    if args.runs:
        _print_runs(context)
        return EXIT_OK
    names = _names(args, context)
    found = context.evidence.compare(*names, context.arch)
    if context.console.json:
        context.console.document(_document(found, args.only))
    else:
        _print(found, args.only, context)
    counts = found.comparison.counts
    return EXIT_FINDINGS if counts[DifferenceKind.NEW] or counts[DifferenceKind.MISSING] else EXIT_OK


def _names(args: argparse.Namespace, context: Context) -> tuple[str, str]:
    """The two runs to compare: without names, the last two."""
    known = context.evidence.results.runs(context.arch)
    if args.before is None:
        if (last := context.evidence.last_two_runs(context.arch)) is None:
            raise UsageError(
                "The evidence has fewer than two runs", hint="Add one: ttmatrix ingest PATH --run-name NAME"
            )
        return last
    if args.after is None:
        raise UsageError("Only one run is named", hint="Name two runs, or none to compare the last two.")
    return chosen_run(args.before, known), chosen_run(args.after, known)


def _print_runs(context: Context) -> None:
    known, cells = context.evidence.results.runs(context.arch), context.evidence.results.cells_of_runs(context.arch)
    if context.console.json:
        context.console.document([records.KnownRun(run=name, cells=cells[name]) for name in known])
    elif known:
        context.console.table(("cells", "run"), ((str(cells[name]), name) for name in known))
    else:
        context.console.note("No results yet: ttmatrix ingest --from-github, or ttmatrix ingest PATH")


def _print(compared: RunsCompared, only: Sequence[DifferenceKind] | None, context: Context) -> None:
    found = compared.comparison
    rows = [one for one in found.differences if not only or one.kind in only]
    if rows:
        context.console.table(
            ("what", "arch", "test", "why"), ((one.kind, one.arch, one.id, _why(one)) for one in rows)
        )
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items())
    names = f"{one_line(compared.before)} to {one_line(compared.after)}"
    context.console.note(f"{names}: {counts}, {found.passing:,} pass in both")
    print_commits("tt-xla", compared.commits, context.console)
    print_commits("tt_forge_models", compared.models, context.console)


def _why(one: Difference) -> str:
    old, new = (row.reason or row.ending.words if row else "" for row in (one.before, one.after))
    match one.kind:
        case DifferenceKind.REASON:
            return f"{old} -> {new}"
        case DifferenceKind.FIXED | DifferenceKind.MISSING:
            return f"was: {old}"
        case DifferenceKind.NOT_RUN:
            return ""
    return new


def _document(compared: RunsCompared, only: Sequence[DifferenceKind] | None) -> records.RunsCompared:
    found = compared.comparison
    return records.RunsCompared(
        before=compared.before,
        after=compared.after,
        counts=found.counts,
        passing=found.passing,
        differences=[
            records.Difference(
                kind=one.kind, id=one.id, arch=one.arch, before=_side(one.before), after=_side(one.after)
            )
            for one in found.differences
            if not only or one.kind in only
        ],
        commits=commits_document(compared.commits),
        models_commits=commits_document(compared.models),
    )


def _side(row: Observation | None) -> records.SideOfDifference | None:
    if row is None:
        return None
    return records.SideOfDifference(
        ending=row.ending,
        reason=row.reason or None,
        pcc=row.pcc,
        host=row.host,
        job=row.job,
        url=page_of([row]).url or None,
    )
