# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix nightly`: one run of a workflow as a morning report, or the log or the tests of one of its jobs."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError, UsageError
from core.base.files import atomic_write
from core.base.text import counted, one_line
from core.cli import nightly_record, records
from core.cli.context import Context
from core.cli.ingest_sources import lookups
from core.cli.nightly_artefacts import show_artefacts
from core.cli.report_html import wrapped
from core.evidence import CiJob, CiRun, CiStore, evidence_store, store_file
from core.evidence.github import Expired, connect, fetch_log, is_whole, log_file, read_lines
from core.evidence.nightly import (
    Kind,
    Line,
    Night,
    freshness,
    headline,
    html_body,
    is_stale,
    issue_text,
    markdown,
    named_run,
    newest_night,
    sections,
    text,
)
from core.workspace import JobTests

_FORMATS = ("text", "md", "html", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    name = "its name, number or id, or a part of its name"
    parser.add_argument("run", nargs="?", metavar="RUN", help=f"{name}; default: the newest nightly")
    parser.add_argument("base", nargs="?", metavar="BASE", help="the run to compare with; default: the one before")
    parser.add_argument("--against", metavar="RUN", help="the same as BASE")
    parser.add_argument(
        "--format", choices=_FORMATS, default="text", help="md: at most 80 lines, to be pasted as it is"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to FILE instead of standard output")
    parser.add_argument("--log", metavar="JOB", help="print the end of the log of a job: its id, or a part of its name")
    parser.add_argument(
        "--refresh",
        action="store_true",
        help="ask GitHub for commits and versions that no clone here has, and remember them",
    )
    parser.add_argument("--artefacts", action="store_true", help="list the archives that the run has left")
    parser.add_argument(
        "--fetch", metavar="WORDS", help="fetch the artefacts with these words in their names or jobs, such as IR dumps"
    )
    parser.add_argument("--job", metavar="JOB", help="print what a job should have run, and what it did not report")
    parser.add_argument(
        "--issue", metavar="WORDS", help="print the text of an issue about a line: words of its cause, test or job"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    runs = context.evidence.ci_runs
    newest = newest_night(runs)
    if newest is None:
        raise UsageError("No run of CI is known", hint="`ttmatrix ingest --from-github` reads runs with their jobs.")
    run = named_run(args.run, runs) if args.run else newest
    if args.log:
        return _log(args, run, CiStore(evidence_store(context.checkout, context.paths)), context)
    if args.artefacts or args.fetch:
        return show_artefacts(run, args.fetch, context)
    if args.job:
        return _job_tests(args.job, run, context)
    other = args.base or args.against
    looked = lookups(context) if args.refresh else None
    night = context.evidence.night(run, named_run(other, runs) if other else None, looked=looked)
    if args.issue:
        for line in issue_text(night, _line(args.issue, night)).splitlines():
            context.console.line(line)
        return EXIT_OK
    _show(args, night, context)
    if run.id == newest.id and not context.console.json and not args.output:
        _say_how_fresh(newest, context)
    return EXIT_FINDINGS if night.is_bad else EXIT_OK


def _show(args: argparse.Namespace, night: Night, context: Context) -> None:
    style = "json" if context.console.json else args.format
    if style == "json":
        context.console.document(nightly_record.night_record(night))
        return
    page = _page(night, style)
    if args.output:
        atomic_write(Path(args.output), page)
        context.console.note(f"The page is in {args.output}")
        return
    for line in page.rstrip("\n").split("\n"):
        context.console.line(line)
    if style == "text" and night.lost:
        context.console.note(f"ttmatrix nightly {one_line(night.run.name)} --log JOB prints the log of a job")
    if style == "text" and night.of_kind(Kind.NEW, Kind.CHANGED, Kind.PERSISTING):
        since = "`ttmatrix since TEST` says since when a test fails and what came between"
        context.console.note(f"{since}, `ttmatrix propose -o FILE` what would make entries true")


def _say_how_fresh(newest: CiRun, context: Context) -> None:
    """In the words that the bar of the app has."""
    running = newest_night(CiStore(evidence_store(context.checkout, context.paths)).running())
    now = time.time()
    stale = is_stale(newest, running, now)
    more = ": `ttmatrix ingest --from-github` reads what has come since" if stale else ""
    context.console.note(f"{freshness(newest, running, None, now)}{more}")


def _page(night: Night, style: str) -> str:
    match style:
        case "md":
            return markdown(night)
        case "html":
            return wrapped(headline(night), "\n".join(html_body(night)))
        case _:
            return "\n".join(text(night)) + "\n"


def _log(args: argparse.Namespace, run: CiRun, ci: CiStore, context: Context) -> int:
    """Print the end of the log of a job; it is fetched if it is not here."""
    job = _job(args.log, [state.job for state in ci.jobs(run.id)])
    file = log_file(store_file(context.paths.evidence, context.checkout.root), job)
    if not is_whole(file):
        try:
            fetch_log(connect(context.console.note), job, file)
        except Expired:
            raise TTMatrixError("GitHub has no log of this job", one_line(job.name), job.url) from None
    for line in read_lines(file):
        context.console.line(line)
    return EXIT_OK


def _job_tests(name: str, run: CiRun, context: Context) -> int:
    """Print the tests of a job, by the presets and entries at the head of its run."""
    ci = CiStore(evidence_store(context.checkout, context.paths))
    job = _job(name, [state.job for state in ci.jobs(run.id)])
    found = context.evidence.job_tests(run, job)
    lacking = found.without_result
    if context.console.json:
        context.console.document(
            records.NightJobTests(
                id=job.id,
                name=job.name,
                url=job.url,
                preset=nightly_record.preset_record(found.row),
                expected=found.expected,
                reported=found.reported,
                without_result=lacking,
                unknown=found.unknown or None,
            )
        )
    else:
        context.console.note(one_line(f"{job.name}: {found.row.words if found.row else found.unknown}"))
        expected = "" if found.expected is None else f" of {len(found.expected):,} that it should have run"
        context.console.note(f"{counted(len(found.reported), 'test')} reported{expected}{_why(found)}")
        for id in lacking:
            context.console.line(one_line(id))
    return EXIT_FINDINGS if lacking else EXIT_OK


def _why(found: JobTests) -> str:
    return one_line(f"; {found.unknown}") if found.unknown and found.row else ""


def _line(words: str, night: Night) -> Line:
    """The first line of the page that has these words. Raises UsageError."""
    wanted = words.lower()
    for section in sections(night):
        for line in section.lines:
            if wanted in " ".join((line.text, line.said, line.note, *(link.text for link in line.links))).lower():
                return line
    raise UsageError(f"No line of {one_line(night.run.name)} has {words!r}", hint="`ttmatrix nightly` lists them.")


def _job(name: str, jobs: Sequence[CiJob]) -> CiJob:
    found = [job for job in jobs if name == str(job.id)] or [job for job in jobs if name in job.name]
    if len(found) == 1:
        return found[0]
    title = f"{counted(len(found), 'job')} have {name!r} in their names" if found else f"There is no job {name!r}"
    names = "\n".join(f"{job.id} {one_line(job.name)}" for job in (found or jobs)[:10])
    raise UsageError(title, names, "Give the id of one.")
