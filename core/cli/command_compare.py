# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix compare`: compare two CI runs, such as two nightlies, or tests under several profiles."""

import argparse
from collections.abc import Sequence

from core.cli import compare_profiles, records
from core.cli.commits_report import commits_document, print_commits
from core.cli.context import Context
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.evidence import Observation
from core.evidence.analysis import (
    Between,
    Comparison,
    Difference,
    DifferenceKind,
    between,
    chosen_run,
    compare,
)
from core.text import one_line


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
    before, after = ([row for row in context.results.of_run(name) if context.arch in ("", row.arch)] for name in names)
    found = compare(before, after, lambda row: context.verdicts.is_gone(row, names[1]))
    commits = between(context.checkout, before, after)
    if context.console.json:
        context.console.document(_document(names, found, commits, args.only))
    else:
        _print(names, found, commits, args.only, context)
    return EXIT_FINDINGS if found.counts[DifferenceKind.NEW] or found.counts[DifferenceKind.MISSING] else EXIT_OK


def _names(args: argparse.Namespace, context: Context) -> tuple[str, str]:
    """The two runs to compare: without names, the last two with results of model tests, else the last two."""
    known = context.results.runs(context.arch)
    if args.before is None:
        of_tests = context.results.runs(context.arch, cases=False)
        if len(of_tests) > 1:
            return of_tests[1], of_tests[0]
        if len(known) < 2:
            raise UsageError(
                "The evidence has fewer than two runs", hint="Add one: ttmatrix ingest PATH --run-name NAME"
            )
        return known[1], known[0]
    if args.after is None:
        raise UsageError("Only one run is named", hint="Name two runs, or none to compare the last two.")
    return chosen_run(args.before, known), chosen_run(args.after, known)


def _print_runs(context: Context) -> None:
    known, cells = context.results.runs(context.arch), context.results.cells_of_runs(context.arch)
    if context.console.json:
        context.console.document([records.KnownRun(run=name, cells=cells[name]) for name in known])
    elif known:
        context.console.table(("cells", "run"), ((str(cells[name]), name) for name in known))
    else:
        context.console.note("No results yet: ttmatrix ingest --from-github, or ttmatrix ingest PATH")


def _print(
    names: tuple[str, str],
    found: Comparison,
    commits: tuple[Between, Between],
    only: Sequence[DifferenceKind] | None,
    context: Context,
) -> None:
    rows = [one for one in found.differences if not only or one.kind in only]
    if rows:
        context.console.table(
            ("what", "arch", "test", "why"), ((one.kind, one.arch, one.id, _why(one)) for one in rows)
        )
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items())
    context.console.note(f"{one_line(names[0])} to {one_line(names[1])}: {counts}, {found.passing:,} pass in both")
    for name, one in zip(("tt-xla", "tt_forge_models"), commits, strict=True):
        print_commits(name, one, context.console)


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


def _document(
    names: tuple[str, str], found: Comparison, commits: tuple[Between, Between], only: Sequence[DifferenceKind] | None
) -> records.RunsCompared:
    own, models = commits
    return records.RunsCompared(
        before=names[0],
        after=names[1],
        counts=found.counts,
        passing=found.passing,
        differences=[
            records.Difference(
                kind=one.kind, id=one.id, arch=one.arch, before=_side(one.before), after=_side(one.after)
            )
            for one in found.differences
            if not only or one.kind in only
        ],
        commits=commits_document(own),
        models_commits=commits_document(models),
    )


def _side(row: Observation | None) -> records.SideOfDifference | None:
    if row is None:
        return None
    return records.SideOfDifference(
        ending=row.ending, reason=row.reason or None, pcc=row.pcc, host=row.host, job=row.job
    )
