# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ingest`: read JUnit files into the evidence store of the checkout, with counts that add up."""

import argparse
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from msgspec import UNSET

from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError, UsageError
from core.base.text import counted, one_line
from core.cli import ingest_sources, records
from core.cli.arguments import add_as_of, sha
from core.cli.console import Console
from core.cli.context import Context
from core.evidence import RAN, Added, Ending, evidence_store, handwritten_store, retain
from core.evidence.reports import (
    OTHER,
    REPEATED,
    STAND_IN,
    JUnitReport,
    Problem,
    Reading,
    ReadOptions,
    read_reports,
)
from core.matrix.view import Outcomes
from core.runs import FORKING_FAULT, UNHEARD, clean
from core.sources import read_schema

_WORDS = {
    OTHER: "neither model tests nor op cases",
    REPEATED: "repeated in one file",
    STAND_IN: "run on a CPU instead of a device",
}
_SHOWN_PROBLEMS = 20
_MINUTE = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    parser.add_argument(
        "paths",
        nargs="*",
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
    parser.add_argument("--commit", type=sha, default="", metavar="SHA", help="the commit of tt-xla that was tested")
    parser.add_argument(
        "--models-commit", type=sha, default="", metavar="SHA", help="the commit of its submodule tt_forge_models"
    )
    ingest_sources.configure(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    context.count_to(args.as_of)
    archs = read_schema(context.checkout)[0].archs
    _check(args, context, archs)
    counts = context.evidence.policy.cpu_counts_as_device
    given = ReadOptions(context.arch, clean(args.run_name), args.commit, args.models_commit, counts)
    if args.watch:
        return _watch(ingest_sources.watched(args, given, archs), archs, context)
    if args.every:
        return _every(args, given, archs, context)
    return _once(args, given, archs, context)


def _once(args: argparse.Namespace, given: ReadOptions, archs: Sequence[str], context: Context) -> int:
    """Ingest what there is now."""
    total = _Total(tuple(archs))
    if args.paths:
        total.take(read_reports(args.paths, given, archs), context)
        gathered = None
    else:
        gathered = ingest_sources.Counts()
        for reading in ingest_sources.from_github(args, given, archs, gathered, context):
            total.take(reading, context)
    if total.new:
        _retain(context)
    if context.console.json:
        context.console.document(total.record(gathered))
    elif gathered is None:
        total.print(context.console)
    else:
        ingest_sources.print_gathered(gathered, context.console)
        if gathered.downloaded:
            total.print(context.console)
    refused = gathered is not None and gathered.refused
    return (
        EXIT_FINDINGS
        if refused or total.problems or (gathered is None and not (total.read or total.later))
        else EXIT_OK
    )


def _every(args: argparse.Namespace, given: ReadOptions, archs: Sequence[str], context: Context) -> int:
    """Ingest from GitHub again and again until interrupted; what fails once may work the next time."""
    return again_and_again(args.every, lambda: _once(args, given, archs, context), context)


def again_and_again(every: float, once: Callable[[], object], context: Context) -> int:
    """Do something every so many minutes until interrupted; an error ends only that round."""
    if context.console.json:
        raise UsageError("This prints as runs arrive, so it has no single JSON document")
    try:
        while True:
            try:
                once()
            except UsageError:
                raise
            except TTMatrixError as error:
                context.console.error(error)
            context.console.note(f"Asks again in {counted(round(every), 'minute')}")
            _wait(every * _MINUTE)
    except KeyboardInterrupt:
        return EXIT_OK


def ingest_from_github(args: argparse.Namespace, context: Context) -> int:
    """One round over the runs that `args` choose; the exit code says whether all could be read."""
    archs = read_schema(context.checkout)[0].archs
    counts = context.evidence.policy.cpu_counts_as_device
    given = ReadOptions(context.arch, "", "", "", counts)
    return _once(args, given, archs, context)


def _wait(seconds: float) -> None:
    threading.Event().wait(seconds)


def _check(args: argparse.Namespace, context: Context, archs: Collection[str]) -> None:
    if context.arch and context.arch not in archs:
        raise UsageError(f"Unknown arch {context.arch!r}", f"This checkout has: {', '.join(archs)}")
    if bool(args.paths) + args.from_github + bool(args.watch) != 1:
        raise UsageError("Name paths, or --from-github, or --watch DIR", hint="See: ttmatrix ingest --help")
    if args.every and not args.from_github:
        raise UsageError("--every is for --from-github", hint="--watch DIR waits for files by itself.")
    if args.as_of is not None and not args.paths:
        raise UsageError("--as-of is for reports that are named", "What is downloaded or watched is read only once.")


def _watch(readings: Iterable[Reading], archs: Iterable[str], context: Context) -> int:
    """Ingest reports until interrupted."""
    if context.console.json:
        raise UsageError("--watch prints as files arrive, so it has no single JSON document")
    for reading in readings:
        total = _Total(tuple(archs))
        total.take(reading, context)
        total.print(context.console)
        if total.new:
            _retain(context)
    return EXIT_OK


def _is_later(report: JUnitReport, moment: float) -> bool:
    """Whether a report has a result after a moment. It stays out as a whole: it is known by its content, once."""
    return any(one.when > moment for one in (*report.observations, *report.by_hand))


def _retain(context: Context) -> None:
    """Remove what exceeds the retention of the policy."""
    ingest_sources.retain_what_was_fetched(context)
    gone = retain(evidence_store(context.checkout, context.paths), context.evidence.policy, context.now)
    if gone:
        context.console.note(f"removed {counted(gone, 'old result')} that only repeated others (policy: retention)")


def _gathered(found: ingest_sources.Counts) -> records.Gathered:
    numbers = asdict(found)
    # It only says how far a call is.
    del numbers["wanted"]
    return records.Gathered(**numbers)


@dataclass
class _Total:
    """What was read and stored so far; the results themselves are in the store."""

    archs: tuple[str, ...]
    read: int = 0
    new: int = 0
    known: int = 0
    without_arch: int = 0
    without_time: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    as_expected: Counter[str] = field(default_factory=Counter)
    """Results by ending."""
    later: int = 0
    """Reports that were left out, because they are of later days."""
    cut: int = 0
    unheard: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def unreadable(self) -> int:
        return len(self.problems) - self.cut

    @property
    def files(self) -> int:
        return self.read + self.later + self.unreadable

    def take(self, reading: Reading, context: Context) -> None:
        """Store what was read, and count it; without the reports of days after the one that counts."""
        if context.as_of is not None:
            earlier = [one for one in reading.reports if not _is_later(one, context.as_of)]
            self.later += len(reading.reports) - len(earlier)
            reading = replace(reading, reports=tuple(earlier))
        added = _store(reading, context)
        self.read += len(reading.reports)
        self.new += added.new
        self.known += added.known
        self.without_arch += sum(one.arch not in self.archs and one.op is None for one in reading.observations)
        self.without_time += sum(not one.when for one in reading.observations)
        for name, number in reading.counts.items():
            self.counts[name] = self.counts.get(name, 0) + number
        self.runs |= {report.run for report in reading.reports}
        self.problems += reading.problems
        self.cut += sum(bool(report.cut) for report in reading.reports)
        self.as_expected += Counter(one.ending for one in reading.observations if one.as_expected)
        results = (one for report in reading.reports for one in (*report.observations, *report.by_hand))
        self.unheard += sum(one.ending is Ending.BROKEN and one.reason == UNHEARD for one in results)

    def record(self, gathered: ingest_sources.Counts | None) -> records.Ingested:
        """All of it as JSON; `gathered` is what GitHub had, where it was asked."""
        return records.Ingested(
            files=self.files,
            new=self.new,
            known=self.known,
            testcases=sum(self.counts.values()),
            counts=dict(sorted(self.counts.items())),
            as_expected=sum(self.as_expected.values()),
            runs=sorted(self.runs),
            without_arch=self.without_arch,
            cut=self.cut,
            later=self.later,
            signal_0=self.unheard,
            problems=[records.UnreadReport(file=clean(one.file), message=clean(one.message)) for one in self.problems],
            github=UNSET if gathered is None else _gathered(gathered),
        )

    def _kinds(self) -> list[tuple[str, int]]:
        """The kinds of testcases in words with their numbers, the most first; expected failures are apart."""
        found: dict[str, int] = {}
        for name, number in self.counts.items():
            words, right = _WORDS.get(name, name.replace("_", " ")), self.as_expected.get(name, 0)
            if name not in RAN or name == Ending.FLAKY:
                found[words] = number
                continue
            # A pass is what most entries expect, anything else is not.
            usual, other = (right, number - right) if name == Ending.PASSED else (number - right, right)
            found[words] = usual
            found[f"{words} {'unexpectedly' if name == Ending.PASSED else 'as expected'}"] = other
        return sorted(((words, number) for words, number in found.items() if number), key=lambda item: -item[1])

    def print(self, console: Console) -> None:
        cut = f" ({self.cut:,} cut off)" if self.cut else ""
        later = f", {self.later:,} of later days left out" if self.later else ""
        kinds = f"{self.new:,} new, {self.known:,} known{cut}, {self.unreadable:,} unreadable{later}"
        console.line(f"{counted(self.files, 'file')}: {kinds}")
        by_kind = ", ".join(f"{number:,} {words}" for words, number in self._kinds())
        console.line(counted(sum(self.counts.values()), "testcase") + (f": {by_kind}" if by_kind else ""))
        ran, passed = (sum(self.counts.get(one, 0) for one in some) for some in (RAN, (Ending.PASSED,)))
        if ran:
            console.line(Outcomes(ran, sum(self.as_expected.values()), passed).words)
        if self.without_arch:
            missing = counted(self.without_arch, "result")
            console.note(f"{missing} without a cell: no arch, or one that this checkout does not have.")
            console.note("Ingest these reports again with --arch ARCH.")
        if self.without_time:
            missing = counted(self.without_time, "result")
            console.note(f"{missing} without a time, which count as the oldest: the report has none, or a future one.")
        if self.counts.get(STAND_IN):
            console.note("Left out: results of ttmatrix's own runner on a CPU. They prove nothing about a device.")
        if self.unheard:
            console.note(f"{counted(self.unheard, 'result')} of nothing: {UNHEARD}.")
            console.note(f"That is no crash: {FORKING_FAULT}.")
        for problem in self.problems[:_SHOWN_PROBLEMS]:
            what = "cannot read all of" if problem.partly else "cannot read"
            console.note(f"{what} {one_line(problem.file)}: {one_line(problem.message)}")
        if (more := len(self.problems) - _SHOWN_PROBLEMS) > 0:
            console.note(f"and {more:,} more; --json lists all of them")
        if not self.files:
            console.note("No XML files found.")


def _store(reading: Reading, context: Context) -> Added:
    added = evidence_store(context.checkout, context.paths).add(reading.reports)
    by_hand = [replace(report, observations=report.by_hand) for report in reading.reports if report.by_hand]
    if by_hand:
        handwritten_store(context.checkout, context.paths).add(by_hand)
    return added
