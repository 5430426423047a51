# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ingest`: read JUnit files into the evidence store of the checkout, with counts that add up."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.cli.context import Context
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.evidence import Added, evidence_store, handwritten_store
from core.evidence.reports import OTHER, REPEATED, STAND_IN, Reading, ReadOptions, read_reports
from core.runs import clean
from core.sources import read_schema
from core.text import counted, one_line

_WORDS = {
    OTHER: "neither model tests nor op cases",
    REPEATED: "repeated in one file",
    STAND_IN: "run on a CPU instead of a device",
}
_SHOWN_PROBLEMS = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="JUnit XML files, directories or zip archives of them; --arch is for results that do not name their arch",
    )
    parser.add_argument(
        "--run-name",
        default="",
        metavar="NAME",
        help="the CI run that all of them belong to; default: taken from the paths",
    )
    parser.add_argument("--commit", default="", metavar="SHA", help="the commit of tt-xla that was tested")
    parser.add_argument(
        "--models-commit", default="", metavar="SHA", help="the commit of its submodule tt_forge_models"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    archs = read_schema(context.checkout)[0].archs
    if context.arch and context.arch not in archs:
        raise UsageError(f"Unknown arch {context.arch!r}", f"This checkout has: {', '.join(archs)}")
    counts = context.policy.cpu_counts_as_device
    given = ReadOptions(context.arch, clean(args.run_name), clean(args.commit), clean(args.models_commit), counts)
    reading = read_reports(args.paths, given, archs)
    added = evidence_store(context.checkout, context.paths).add(reading.reports)
    by_hand = [replace(report, observations=report.by_hand) for report in reading.reports if report.by_hand]
    if by_hand:
        handwritten_store(context.checkout, context.paths).add(by_hand)
    if context.console.json:
        context.console.document(_document(reading, added, archs))
    else:
        _print(reading, added, archs, context)
    return EXIT_FINDINGS if reading.problems or not reading.reports else EXIT_OK


def _document(reading: Reading, added: Added, archs: Sequence[str]) -> dict[str, object]:
    counts = reading.counts
    return {
        "files": len(reading.reports) + len(reading.problems),
        "new": added.new,
        "known": added.known,
        "testcases": sum(counts.values()),
        "counts": dict(sorted(counts.items())),
        "runs": sorted({report.run for report in reading.reports}),
        "without_arch": _without_arch(reading, archs),
        "problems": [{"file": clean(problem.file), "message": clean(problem.message)} for problem in reading.problems],
    }


def _print(reading: Reading, added: Added, archs: Sequence[str], context: Context) -> None:
    console, counts = context.console, reading.counts
    files = len(reading.reports) + len(reading.problems)
    console.line(
        f"{counted(files, 'file')}: {added.new:,} new, {added.known:,} known, {len(reading.problems):,} unreadable"
    )
    by_kind = ", ".join(
        f"{number:,} {_WORDS.get(name, name.replace('_', ' '))}" for name, number in counts.most_common()
    )
    console.line(counted(sum(counts.values()), "testcase") + (f": {by_kind}" if by_kind else ""))
    if missing := _without_arch(reading, archs):
        console.note(f"{counted(missing, 'result')} without a cell: no arch, or one that this checkout does not have.")
        console.note("Ingest these reports again with --arch ARCH.")
    if reading.counts[STAND_IN]:
        console.note("Left out: results of ttmatrix's own runner on a CPU. They prove nothing about a device.")
    for problem in reading.problems[:_SHOWN_PROBLEMS]:
        console.note(f"cannot read {one_line(problem.file)}: {one_line(problem.message)}")
    if (more := len(reading.problems) - _SHOWN_PROBLEMS) > 0:
        console.note(f"and {more:,} more; --json lists all of them")
    if not files:
        console.note("No XML files found.")


def _without_arch(reading: Reading, archs: Sequence[str]) -> int:
    return sum(one.arch not in archs and one.op is None for one in reading.observations)
