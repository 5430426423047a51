# SPDX-License-Identifier: Apache-2.0
"""Runs of a repository with their jobs and reports: each is asked for and read once, also across an interruption."""

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, read_text
from core.base.locks import locked
from core.evidence.ci_runs import CiJob, CiRun, Death, JobReport, Unread, latest_attempts
from core.evidence.github.actions import Actions, Artefact, Wanted
from core.evidence.github.ends import death_of, hung_ops, is_dead
from core.evidence.github.logs import fetch_log, read_lines
from core.evidence.github.performance import read_performance
from core.evidence.github.transport import Expired, Refused
from core.evidence.github.unstored import DAMAGED, Item, Unstored
from core.evidence.perf_reports import PerfReport, RawReport
from core.evidence.reports import Problem, Reading, ReadOptions, find_documents, read_report
from core.evidence.store_ci import CiStore
from core.runs import UnreadableReport

_MOST_BYTES = 2 * 2**30
"""The largest archive that is downloaded."""
_SLACK_BYTES = 2**20
_MOST_HUNG = 5
"""Of so many jobs of a run whose tests hung the log is read."""
_ASKED = ".asked"
"""The suffix of a file whose time is that of the last call that came to its end."""


@dataclass
class Counts:
    """Numbers of artefacts."""

    runs: list[str] = field(default_factory=list)
    downloaded: int = 0
    wanted: int = 0
    """Artefacts that were to be downloaded, of the runs that were looked at so far."""
    known: int = 0
    """Artefacts that were read before."""
    expired: int = 0
    other: int = 0
    """Artefacts whose names are not those of reports: they were not downloaded."""
    refused: int = 0
    """Artefacts and logs that the token may not read."""
    jobs: int = 0
    """Jobs of the runs that were new, or had a new attempt."""
    died: int = 0
    """Jobs of them that ended without all that they should have left."""
    performance: int = 0
    """Reports of performance."""


@dataclass(frozen=True)
class Destination:
    """Where what comes from GitHub is stored, beside the results."""

    ci: CiStore
    done: Path
    """The ids of artefacts that were read."""
    logs: Path
    """The directory of the ends of logs."""
    store_performance: Callable[[Sequence[PerfReport]], None] = lambda found: None
    """Called with reports of performance that were read."""
    test_of: Callable[[RawReport], str] = lambda raw: ""
    """The test that a report of performance is about."""
    models_commit: Callable[[str], str] = lambda commit: ""
    """The commit of the submodule for one of tt-xla."""
    say: Callable[[str], None] = lambda text: None

    def log_of(self, job: int) -> Path:
        """The end of the log of a job, if it was fetched."""
        return self.logs / f"{job}.log"


class _Done:
    """The artefacts that were read before, in a file beside the store."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self.ids = set(decoded(read_text(file), list[int])) if file.exists() else set()
        except (TTMatrixError, Malformed):
            # Everything in it can be downloaded again.
            self.ids = set()

    def add(self, ids: Iterable[int]) -> None:
        self.ids.update(ids)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self._file, json.dumps(sorted(self.ids)))


def fetch_reports(
    actions: Actions, wanted: Wanted, into: Destination, counts: Counts, options: ReadOptions, archs: Sequence[str]
) -> Iterator[Reading]:
    """Read every new artefact with reports, some at a time; asking for the next ones marks the last ones as stored.

    After an interruption, the next call continues after the last one that has come. Raises TTMatrixError if GitHub
    does not answer; what has expired, or may not be read, is remembered and passed over.
    """
    scratch = into.done.with_suffix(".part")
    with locked(into.done.with_suffix(".lock"), "ingest from GitHub", wait=0):
        yield from _Fetch(actions, into, _Done(into.done), Unstored(scratch), counts, options, archs).all(wanted)
        # What an earlier call has left of runs that nobody asks for any more.
        shutil.rmtree(scratch, ignore_errors=True)
        into.done.parent.mkdir(parents=True, exist_ok=True)
        into.done.with_suffix(_ASKED).touch()


def last_asked(store: Path) -> float:
    """When GitHub was last asked for all that is new, for the evidence in the file `store`; 0: it never was."""
    found = 0.0
    # Another process may be replacing one, or remove it.
    with suppress(OSError):
        for file in store.parent.glob(f"{store.stem}-github-*{_ASKED}"):
            found = max(found, file.stat().st_mtime)
    return found


@dataclass
class _Fetch:
    """One call, run by run."""

    actions: Actions
    into: Destination
    done: _Done
    unstored: Unstored
    counts: Counts
    options: ReadOptions
    archs: Sequence[str]
    refused: str = ""
    """Why nothing more can be downloaded; empty: it can."""
    noted: Collection[int] = ()
    """The jobs of the present run whose reports are known."""
    unread_jobs: set[int] = field(default_factory=set)
    """The jobs of which a report is there, and cannot be read: nothing says that they died."""

    hung: set[int] = field(default_factory=set)
    """The jobs of the present run under whose tests the device hung, by reports that were read now."""

    def all(self, wanted: Wanted) -> Iterator[Reading]:
        for run in self.actions.runs(wanted):
            known = self.into.ci.run(run.id)
            if run.is_running:
                # Of what was read before, a new attempt changes nothing until it has ended.
                if known is None:
                    self.into.ci.add(replace(run, url=self._page(run)), ())
                continue
            self.counts.runs.append(run.name)
            if known is not None and known.whole and run.updated and _is_same(run, known):
                self.counts.known += known.reports
                self.counts.expired += known.expired
                self.counts.other += known.other
            else:
                yield from self._run(replace(run, url=self._page(run)), known)

    def _page(self, run: CiRun) -> str:
        return f"https://github.com/{self.actions.repository}/actions/runs/{run.id}"

    def _run(self, run: CiRun, known: CiRun | None) -> Iterator[Reading]:
        """One run: its jobs, the reports of its artefacts, and how its dead jobs ended."""
        unread: list[Unread] = []
        jobs = self._jobs(run, unread)
        for state in self.into.ci.jobs(run.id):
            if state.job.id in jobs and state.job.hung_in is not None:
                jobs[state.job.id] = replace(jobs[state.job.id], hung_in=state.job.hung_in)
        # Until all of it is read again, what was read before counts.
        self.into.ci.add(_with_counts(run, known) if known else run, jobs.values())
        self.unread_jobs, self.hung = set(), set()
        before = replace(self.counts)
        artefacts = list(self.actions.artefacts(run))
        self.noted = self._noted(run, artefacts)
        self.counts.wanted += sum(map(self._is_new, artefacts))
        for artefact in artefacts:
            try:
                self._artefact(run, artefact, jobs.get(artefact.job or 0), unread)
            except TTMatrixError:
                yield from self._stored(jobs, unread)
                raise
            if self.unstored.is_due:
                yield from self._stored(jobs, unread)
        yield from self._stored(jobs, unread)
        self._deaths(run, jobs.values(), unread)
        reports = self.counts.known + self.counts.downloaded - before.known - before.downloaded
        expired, other = self.counts.expired - before.expired, self.counts.other - before.other
        whole = self.counts.refused == before.refused and not any(one.why == DAMAGED for one in unread)
        self.into.ci.add(replace(run, reports=reports, expired=expired, other=other, whole=whole, unread=tuple(unread)))

    def _jobs(self, run: CiRun, unread: list[Unread]) -> dict[int, CiJob]:
        try:
            jobs = {job.id: job for job in self.actions.jobs(run)}
        except Expired:
            unread.append(Unread("jobs", "GitHub does not list them any more"))
            return {}
        self.counts.jobs += len(jobs)
        return jobs

    def _noted(self, run: CiRun, artefacts: Iterable[Artefact]) -> Collection[int]:
        """The jobs whose reports are known. What was noted before an interruption, and not stored, comes again."""
        read = {one.job for one in artefacts if one.id in self.done.ids}
        noted = {state.job.id for state in self.into.ci.jobs(run.id) if state.report is not None}
        listed = {one.job for one in artefacts}
        self.into.ci.forget_reports(again := (noted & listed) - read)
        return noted - again

    def _artefact(self, run: CiRun, artefact: Artefact, job: CiJob | None, unread: list[Unread]) -> None:
        if not (artefact.holds_reports or artefact.holds_performance):
            self.counts.other += 1
        elif artefact.id in self.done.ids:
            self.counts.known += 1
            if artefact.holds_reports and artefact.job is not None and artefact.job not in self.noted:
                # An earlier version read it, and stored no jobs.
                self.into.ci.add_reports([(artefact.job, JobReport(1, 0, False))])
        elif artefact.expired:
            self.counts.expired += 1
            self._unread(artefact, job, "expired", unread)
        elif self.refused:
            self.counts.refused += 1
            self._unread(artefact, job, self.refused, unread)
        else:
            self._new(run, artefact, job, unread)

    def _unread(self, artefact: Artefact, job: CiJob | None, why: str, unread: list[Unread]) -> None:
        unread.append(Unread(artefact.name, why))
        if job is not None and artefact.holds_performance == bool(job.parts.benchmark):
            self.unread_jobs.add(job.id)

    def _is_new(self, one: Artefact) -> bool:
        holds = one.holds_reports or one.holds_performance
        return holds and one.id not in self.done.ids and not one.expired and not self.refused

    def _new(self, run: CiRun, artefact: Artefact, job: CiJob | None, unread: list[Unread]) -> None:
        file = self.unstored.archive(run, artefact)
        try:
            self._download(artefact, file)
        except Expired:
            self.counts.expired += 1
            self._unread(artefact, job, "expired", unread)
            return
        except Refused as error:
            self._refuse(error)
            self._unread(artefact, job, error.title, unread)
            return
        if artefact.holds_performance:
            item = self._performance(run, artefact, job, file)
        else:
            item = Item(artefact, self._reading(run, job, file, self.unstored.root(artefact)))
        self.counts.downloaded += 1
        self.unstored.add(item)

    def _download(self, artefact: Artefact, file: Path) -> None:
        """Have an archive, unless an interrupted call has left it."""
        if file.is_file():
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        # The size that GitHub reports is either that of the archive or that of its content.
        most = min(2 * artefact.bytes + _SLACK_BYTES, _MOST_BYTES)
        part = file.with_suffix(".part")
        self.actions.transport.download(artefact.address, part, most)
        part.replace(file)

    def _stored(self, jobs: Mapping[int, CiJob], unread: list[Unread]) -> Iterator[Reading]:
        """Give what was read; once the next is asked for, it is stored."""
        items = self.unstored.items
        if not items:
            return
        yield self.unstored.reading
        if performance := [report for item in items for report in item.performance]:
            self.into.store_performance(performance)
        readable = [item for item in items if item.readable]
        self.hung.update(item.artefact.job for item in items if item.artefact.job is not None and item.hung)
        self.into.ci.add_reports((one.artefact.job, one.left) for one in readable if one.artefact.job is not None)
        self.done.add(item.artefact.id for item in readable)
        for item in items:
            if not item.readable:
                self._unread(item.artefact, jobs.get(item.artefact.job or 0), DAMAGED, unread)
            else:
                unread += [Unread(item.artefact.name, one.message) for one in item.reading.unreadable]
        self.unstored.clear()

    def _refuse(self, error: Refused) -> None:
        self.counts.refused += 1
        self.refused = error.title
        self.into.say(f"{error.title}: runs and jobs are read, reports and logs are not. {error.hint}".rstrip())

    def _reading(self, run: CiRun, job: CiJob | None, file: Path, root: Path) -> Reading:
        commit = self.options.commit or run.commit
        models = self.options.models_commit or self.into.models_commit(commit)
        began = job.started if job is not None else 0.0
        options = replace(self.options, commit=commit, models_commit=models, began=began)
        return _read(file, str(root), self._page(run), options, self.archs)

    def _performance(self, run: CiRun, artefact: Artefact, job: CiJob | None, file: Path) -> Item:
        source = f"{self._page(run)}/{artefact.name}.zip"
        found = read_performance(file, source, run, job, self.archs, self.into.test_of)
        self.counts.performance += len(found.reports)
        return Item(artefact, Reading((), tuple(found.problems)), found.reports)

    def _deaths(self, run: CiRun, jobs: Iterable[CiJob], unread: list[Unread]) -> None:
        """How each job ended that did not leave what it should; its log is asked for once."""
        states = {state.job.id: state for state in self.into.ci.jobs(run.id)}
        for job in latest_attempts(jobs):
            report, known = states[job.id].report, states[job.id].death
            if job.id not in self.unread_jobs and is_dead(job, report):
                self.counts.died += 1
                if known is None or known.log == _REFUSED:
                    self.into.ci.add_death(job.id, self._death(job, report, unread))

        for job in [job for job in jobs if job.id in self.hung][:_MOST_HUNG]:
            self._look_up_ops(run, job)

    def _look_up_ops(self, run: CiRun, job: CiJob) -> None:
        """The ops in which the device hung are in the log of a job only: reports have what was raised."""
        with suppress(Expired, Refused):
            fetch_log(self.actions.transport, job, file := self.into.log_of(job.id))
            self.into.ci.add(run, [replace(job, hung_in=hung_ops(read_lines(file)))])

    def _death(self, job: CiJob, report: JobReport | None, unread: list[Unread]) -> Death:
        if self.refused:
            self.counts.refused += 1
            return death_of(job, report, (), _REFUSED)
        file = self.into.log_of(job.id)
        try:
            part = fetch_log(self.actions.transport, job, file)
        except Expired:
            return death_of(job, report, (), "GitHub has no log of it")
        except Refused as error:
            self._refuse(error)
            unread.append(Unread(f"log of {job.name}", error.title))
            return death_of(job, report, (), _REFUSED)
        ends = f", the last {part.wanted:,} stored" if part.begin else ""
        self.into.say(f"log of {job.name}: {part.total:,} bytes{ends}")
        return death_of(job, report, read_lines(file))


_REFUSED = "the token may not read it"


def _with_counts(run: CiRun, known: CiRun) -> CiRun:
    return replace(run, reports=known.reports, expired=known.expired, other=known.other, unread=known.unread)


def _is_same(run: CiRun, known: CiRun) -> bool:
    return (run.attempt, run.updated) == (known.attempt, known.updated)


def _read(file: Path, scratch: str, address: str, options: ReadOptions, archs: Sequence[str]) -> Reading:
    """The reports in an archive; their source is the page of the run, because the local path is temporary."""
    reports, problems = [], []
    for one in find_documents([file]):
        if isinstance(one, Problem):
            problems.append(replace(one, file=one.file.replace(scratch, address)))
            continue
        parts = one.parts[len(Path(scratch).parts) :]
        document = replace(one, source=one.source.replace(scratch, address), parts=parts, alone=False)
        try:
            reports.append(read_report(document, options, archs))
        except UnreadableReport as error:
            problems.append(Problem(document.source, error.problem))
    return Reading(tuple(reports), tuple(problems))
