# SPDX-License-Identifier: Apache-2.0
"""Where `ttmatrix ingest` finds reports by itself: the artefacts of GitHub Actions, and a watched directory."""

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.text import counted, one_line
from core.cli.arguments import days, minutes
from core.cli.console import Console
from core.cli.context import Context
from core.evidence import CiRun, CiStore, PerfReport, RawReport, evidence_store, performance_store, store_file
from core.evidence.github import (
    Actions,
    Counts,
    Destination,
    Lookups,
    Transport,
    Wanted,
    artefacts_directory,
    connect,
    fetch_reports,
    logs_directory,
    retain_fetched,
)
from core.evidence.reports import Reading, ReadOptions, changed_reports
from core.providers import ids_of_model
from core.sources import Git, web_address

_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
_MOST_WORKFLOWS = 5
__all__ = [
    "Counts",
    "configure",
    "configure_github",
    "destination_of",
    "from_github",
    "ids_of_report",
    "lookups",
    "named_repository",
    "print_gathered",
    "retain_what_was_fetched",
    "watched",
]


def configure(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("from GitHub Actions")
    group.add_argument(
        "--from-github",
        action="store_true",
        help="download the reports of runs that have ended, each once; the token is that of GH_TOKEN, or of gh",
    )
    configure_github(group)
    group.add_argument(
        "--every", type=minutes, metavar="MINUTES", help="ask again every so many minutes, until interrupted"
    )
    group.add_argument("--latest", action="store_true", help="only the newest run of each workflow")
    parser.add_argument(
        "--watch",
        type=Path,
        metavar="DIR",
        help="read the reports in DIR, and those that arrive there, until interrupted",
    )


def configure_github(group: argparse._ActionsContainer) -> None:
    """The options that say which runs are meant."""
    group.add_argument("--repository", default="", metavar="OWNER/NAME", help="default: that of the remote origin")
    group.add_argument(
        "--workflow", default="", metavar="FILE", help="the workflow, such as nightly.yml; default: scheduled runs"
    )
    group.add_argument("--branch", default="", metavar="NAME", help="runs on this branch only")
    group.add_argument("--since", type=days, default=14.0, metavar="DAYS", help="runs of the last DAYS; default: 14")


def from_github(
    args: argparse.Namespace, given: ReadOptions, archs: Sequence[str], gathered: Counts, context: Context
) -> Iterator[Reading]:
    """The reports of every artefact not read before; each counts as stored once the next one is requested."""
    repository = named_repository(args.repository, context)
    transport = connect(context.console.note)
    if not transport.token:
        context.console.note("No token: GitHub lists runs, but gives no artefacts. Set GH_TOKEN, or run gh auth login.")
    actions = Actions(transport, repository)
    wanted = Wanted(args.workflow, args.branch, args.since, args.latest)
    begun = time.monotonic()
    for reading in fetch_reports(actions, wanted, destination_of(repository, context), gathered, given, archs):
        testcases = counted(sum(reading.counts.values()), "testcase")
        context.console.note(f"{one_line(gathered.runs[-1])}: artefact {_progress(gathered, begun)}, {testcases}")
        yield reading
    if gathered.jobs:
        look_up_newest(actions, context)


def _progress(gathered: Counts, begun: float) -> str:
    """`12 of 96, 3 s left for these`: how far it is with the runs that were looked at so far."""
    left = gathered.wanted - gathered.downloaded
    words = f"{gathered.downloaded:,} of {max(gathered.wanted, gathered.downloaded):,}"
    seconds = (time.monotonic() - begun) / max(1, gathered.downloaded) * left
    return f"{words}, {seconds:.0f} s left for these" if left > 0 and seconds >= 1 else words


def retain_what_was_fetched(context: Context) -> None:
    """Remove the logs and artefacts of CI that exceed the retention of the policy."""
    file, policy = store_file(context.paths.evidence, context.checkout.root), context.evidence.policy.retention
    gone = 0
    for repository in {run.repository for run in context.evidence.ci_runs if run.repository}:
        places = logs_directory(file, repository), artefacts_directory(file, repository)
        gone += retain_fetched(*places, policy.fetched_days, policy.fetched_gib, context.now)
    if gone:
        context.console.note(f"removed {gone:,} old logs and artefacts of CI (policy: retention)")


def lookups(context: Context, transport: Transport | None = None) -> Lookups:
    """What GitHub has said of commits, which asks for what is not known."""
    say = context.console.note
    return Lookups(context.evidence.lookups_file, transport or connect(say), say)


def look_up_newest(actions: Actions, context: Context) -> None:
    """Ask what lies between the newest run of each workflow and the one before, where no clone here knows it."""
    looked = lookups(context, actions.transport)
    seen: dict[int, list[CiRun]] = {}
    for run in context.evidence.ci_runs:
        if run.repository == actions.repository and run.commit:
            seen.setdefault(run.workflow, []).append(run)
    for newest, *before in [*seen.values()][:_MOST_WORKFLOWS]:
        if base := next((run for run in before if run.reports), None):
            context.evidence.between(base.commit, newest.commit, looked)


def named_repository(name: str, context: Context) -> str:
    """The repository on GitHub: the one that is named, else that of the remote. Raises UsageError."""
    repository = name or _repository(context)
    if not _REPOSITORY.fullmatch(repository):
        raise UsageError(f"Not a repository: {repository!r}", hint="Give --repository OWNER/NAME")
    return repository


def destination_of(repository: str, context: Context) -> Destination:
    """Where what comes from a repository is stored for the checkout."""
    file = store_file(context.paths.evidence, context.checkout.root)
    name = f"{file.stem}-github-{repository.replace('/', '+')}"
    git = Git(context.checkout.root)

    @cache
    def models_commit(commit: str) -> str:
        try:
            return git.pinned(str(context.checkout.models.relative_to(context.checkout.root)), commit)
        except (TTMatrixError, ValueError):
            # That commit was not fetched.
            return ""

    def store_performance(found: Sequence[PerfReport]) -> None:
        performance_store(context.checkout, context.paths).add(found)

    def test_of(raw: RawReport) -> str:
        ids = ids_of_report(raw, context)
        return ids[0] if len(ids) == 1 else ""

    return Destination(
        CiStore(evidence_store(context.checkout, context.paths)),
        file.with_name(f"{name}.json"),
        logs_directory(file, repository),
        store_performance,
        test_of,
        models_commit,
        context.console.note,
    )


def ids_of_report(raw: RawReport, context: Context) -> list[str]:
    """The tests that a report of performance may be about: those of its model, in its mode."""
    matrix = context.matrix
    ids = ids_of_model(matrix, context.workspace.model_infos, raw.model)
    for name, wanted in (("mode", raw.run_mode), ("parallelism", raw.parallelism)):
        column = matrix.columns[name]
        ids = [id for id in ids if not wanted or column[matrix.rows[id]] == wanted.lower()]
    return ids


def _repository(context: Context) -> str:
    address = web_address(Git(context.checkout.root))
    host, _, repository = address.removeprefix("https://").partition("/")
    if host != "github.com":
        detail = f"The remote origin is {address or 'not set'}"
        raise UsageError("Which repository on GitHub?", detail, "Give --repository OWNER/NAME")
    return repository


def print_gathered(gathered: Counts, console: Console) -> None:
    """Print what GitHub had."""
    kinds = {"read": gathered.downloaded, "read before": gathered.known, "expired": gathered.expired}
    artefacts = ", ".join(f"{number:,} {word}" for word, number in kinds.items())
    runs, other = counted(len(gathered.runs), "run"), counted(gathered.other, "artefact")
    console.line(f"{runs}; artefacts with reports: {artefacts}; {other} without")
    if gathered.jobs:
        died = f", {gathered.died:,} died" if gathered.died else ""
        performance = counted(gathered.performance, "report")
        console.line(f"{counted(gathered.jobs, 'job')}{died}; {performance} of performance")
    if gathered.refused:
        console.note(f"{counted(gathered.refused, 'artefact')} that the token may not read; the next call asks again")
    if not gathered.runs:
        console.note(
            "No such runs have ended. --since DAYS looks further back; --workflow FILE names another workflow."
        )


def watched(args: argparse.Namespace, given: ReadOptions, archs: Sequence[str]) -> Iterator[Reading]:
    """The reports in a directory, then those that are added or changed."""
    if not args.watch.is_dir():
        raise UsageError(f"There is no directory {args.watch}")
    return changed_reports(args.watch, given, archs)
