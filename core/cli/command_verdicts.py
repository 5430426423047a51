# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix verdicts`: what results say about entries, one line per cell."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence

from core.base.checked_numbers import day_of
from core.base.errors import EXIT_FINDINGS, EXIT_OK
from core.base.text import counted
from core.cli.arguments import add_as_of
from core.cli.context import Context
from core.cli.evidence_report import judgement_document, verdicts_table
from core.evidence import Observation
from core.evidence.verdicts import NO_DIFFERENCE, Judgement, Verdict


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    parser.add_argument(
        "query", nargs="*", metavar="QUERY", help="only these tests; the query language is in: ttmatrix list --help"
    )
    parser.add_argument("--all", action="store_true", help="also tests that have neither an entry nor a result")
    parser.add_argument(
        "--only", action="append", choices=tuple(Verdict), type=Verdict, help="only cells with this verdict"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    context.count_to(args.as_of)
    found = list(_cells(args, context))
    if context.console.json:
        context.console.document([judgement_document(one, seen) for one, seen in found])
    else:
        if found:
            verdicts_table(context.console, found)
        counts = Counter(one.verdict for one, _ in found)
        by_verdict = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in Verdict if counts[verdict])
        if not context.evidence.results.cells:
            context.console.note(_NO_RESULTS if args.as_of is None else f"No results until {day_of(args.as_of)}")
        context.console.note(counted(len(found), "cell") + (f": {by_verdict}" if by_verdict else ""))
    return EXIT_FINDINGS if any(one.verdict not in NO_DIFFERENCE for one, _ in found) else EXIT_OK


_NO_RESULTS = "No results yet: ttmatrix ingest --from-github, or ttmatrix ingest PATH"


def _cells(args: argparse.Namespace, context: Context) -> Iterator[tuple[Judgement, Sequence[Observation]]]:
    """The cells of the tests of the query, each with all its results."""
    matrix, verdicts = context.matrix, context.evidence.verdicts
    asked = context.ids_of(" ".join(args.query))
    ids = [
        id
        for id in matrix.ids
        if (asked is None or id in asked) and (args.all or id in matrix.entries or id in verdicts.seen)
    ]
    for judgements in verdicts.of_each(ids):
        for one in judgements:
            if (not args.only or one.verdict in args.only) and context.arch in ("", one.arch):
                yield one, verdicts.seen.get(one.id, {}).get(one.arch, ())
    yield from _op_cells(args, context)


def _op_cells(args: argparse.Namespace, context: Context) -> Iterator[tuple[Judgement, Sequence[Observation]]]:
    """The cells of the op cases of the query that have results; a backend takes the place of the arch."""
    if not context.evidence.results.has_cases:
        return
    asked = context.op_ids_of(" ".join(args.query))
    for id, judgements in context.evidence.op_verdicts.judged.items():
        for one in judgements:
            wanted = (asked is None or id in asked) and (not args.only or one.verdict in args.only)
            if wanted and not context.arch:
                yield one, context.evidence.op_verdicts.seen[id][one.arch]
