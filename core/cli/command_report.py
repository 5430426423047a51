# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix report`: the state of the tests, as Markdown, as one self-contained page, or as JSON."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from core.base.errors import EXIT_OK, TTMatrixError
from core.base.files import atomic_write
from core.base.text import counted
from core.cli import report_html, report_markdown
from core.cli.arguments import add_as_of, days
from core.cli.context import Context
from core.cli.history_report import note_limits
from core.cli.report import Report, report_document
from core.evidence.analysis import citations, issue_advice
from core.evidence.progress import By, period

_FORMATS: Mapping[str, Callable[[Report], str]] = {"md": report_markdown.page, "html": report_html.page}


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    parser.add_argument(
        "--since", type=days, default=90.0, metavar="DAYS", help="results of the last DAYS; default: 90"
    )
    parser.add_argument(
        "--by",
        choices=tuple(By),
        type=By,
        default=By.FAMILY,
        help="what pass rates are split by, besides archs; default: %(default)s",
    )
    parser.add_argument(
        "--format", choices=(*_FORMATS, "json"), help="md, one self-contained page of html, or json; default: md"
    )
    parser.add_argument(
        "--without-host", action="append", default=[], metavar="HOST", help="ignore results of this machine"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to FILE instead of standard output")


def execute(args: argparse.Namespace, context: Context) -> int:
    context.count_to(args.as_of)
    report = _report(args, context)
    style = args.format or ("json" if context.console.json else "md")
    if style == "json":
        context.console.document(report_document(report))
    elif args.output:
        atomic_write(Path(args.output), _FORMATS[style](report))
        context.console.note(f"The report is in {args.output}")
    else:
        context.console.line(_FORMATS[style](report).rstrip("\n"))
    results = sum(report.progress.measured.total.ran)
    runs = counted(len(report.progress.runs), "run")
    when = f", {period(report.progress)}" if results else ""
    context.console.note(f"{counted(results, 'result')} of {runs} in the last {args.since:g} days{when}")
    if not results:
        context.console.note("`ttmatrix ingest --from-github` downloads the reports of CI.")
    return EXIT_OK


def _report(args: argparse.Namespace, context: Context) -> Report:
    matrix, reminders = context.matrix, context.workspace.reminders
    evidence = context.evidence.without(args.without_host)
    _note_history(context)
    reader = evidence.progress_reader()
    progress = reader.progress(
        now=context.now, days=args.since, by=args.by, arch=context.arch, without=args.without_host
    )
    cited = citations(matrix, evidence.issue_states, reminders)
    advice = issue_advice(matrix, cited, evidence.verdicts.of_cell, reminders)
    turned = ((one.id, one.arch, one.run) for one in progress.measured.turned)
    return Report(
        context.checkout.root.name,
        context.arch,
        progress,
        advice,
        evidence.nights(progress.since),
        evidence.pages(turned),
        {one.name: one.url for one in evidence.ci_runs if one.url},
    )


def _note_history(context: Context) -> None:
    """Say how far git's history of the entries goes; without one the report has no burn-down."""
    try:
        note_limits(context.console, context.workspace.history)
    except TTMatrixError as error:
        context.console.note(f"No burn-down of entries: {error.title}")
