# SPDX-License-Identifier: Apache-2.0
"""Runs of CI with their jobs, as they are stored beside the results: what ran, how it ended, and where its page is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from core.evidence.observation import Observation, Origin

_RUN = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/actions/runs/(\d{1,18})(?=/|$)", re.ASCII)
_JOB = re.compile(r"-(\d{1,18})\.zip(?:!|$)", re.ASCII)
"""The artefacts of a job end with its id (docs/rules.md 3.4)."""
_TEST_JOB = re.compile(r"(?P<caller>.*?) / test (?P<mark>.*) \((?P<inside>[^()]*)\)")
_BENCHMARK = re.compile(r"(?P<caller>.*?) / (?:.* / )?perf (?P<name>.*) \((?P<runner>[^()]*)\)")
_RUNS_TESTS = re.compile(r"\b(?:run|running)\b.*\b(?:tests?|perf|benchmarks?)\b", re.IGNORECASE)
_MAIN = ("main", "master", "")
RUNNING = "running"
"""In place of a conclusion, which GitHub gives a run when it has ended."""
_BAD = ("failure", "cancelled", "timed_out", "startup_failure", "action_required")


class Step(NamedTuple):
    """A step of a job."""

    number: int
    name: str
    conclusion: str


class Unread(NamedTuple):
    """Something of a run that could not be read, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class CiRun:
    """A run of a workflow; one that has not ended is only known to run."""

    id: int
    name: str
    """The name that its results have: that of the workflow's file and its number."""
    workflow: int
    commit: str
    number: int = 0
    attempt: int = 1
    title: str = ""
    event: str = ""
    branch: str = ""
    conclusion: str = ""
    created: float = 0.0
    """In seconds since the epoch."""
    updated: str = ""
    """As GitHub writes it: with the attempt it says whether anything is new."""
    url: str = ""
    reports: int = 0
    """How many artefacts hold reports of tests or of performance."""
    expired: int = 0
    other: int = 0
    whole: bool = False
    """Everything of it was read that can be: the next call asks for nothing."""
    unread: tuple[Unread, ...] = ()

    @property
    def repository(self) -> str:
        """`owner/name` on GitHub; empty: unknown."""
        found = _RUN.match(self.url)
        return found[1] if found else ""

    @property
    def is_running(self) -> bool:
        """Whether it had not ended when GitHub was last asked."""
        return self.conclusion == RUNNING

    @property
    def is_regular(self) -> bool:
        """Whether it ran by itself, or on the branch that nightlies run on; not what somebody tried on another one."""
        return self.event in ("schedule", "") or self.branch in _MAIN

    @property
    def settled(self) -> bool:
        """Whether reading it has come to an end; else only its jobs are known yet."""
        return self.whole or bool(self.reports or self.expired or self.other or self.unread)

    @property
    def ended(self) -> float:
        """When it ended, in seconds since the epoch; where GitHub does not say it, when it was created."""
        try:
            return datetime.fromisoformat(self.updated).astimezone(UTC).timestamp() if self.updated else self.created
        except (ValueError, OverflowError, OSError):
            return self.created


class JobName(NamedTuple):
    """The parts of a job's name."""

    caller: str
    mark: str = ""
    runner: str = ""
    row: str = ""
    """The name of its row of the preset."""
    position: int | None = None
    """Its position in the expanded preset."""
    benchmark: str = ""

    @property
    def has_tests(self) -> bool:
        """Whether it should leave a report."""
        return bool(self.mark or self.benchmark)

    @property
    def key(self) -> str:
        """The name that results of the job have: runner and mark, as in its artefacts."""
        return f"{self.runner}-{self.mark}".replace(" ", "_")


def job_name(text: str) -> JobName:
    """The parts of a name such as `test_full_model / test n150 and nightly (n150, run_forge_models, 0)`."""
    if found := _TEST_JOB.fullmatch(text):
        runner, *more = (one.strip() for one in found["inside"].split(","))
        row, index = more[0] if more else "", more[-1] if len(more) > 1 else ""
        return JobName(found["caller"], found["mark"], runner, row, int(index) if index.isdecimal() else None)
    if found := _BENCHMARK.fullmatch(text):
        return JobName(found["caller"], runner=found["runner"], row=found["name"], benchmark=found["name"])
    return JobName(text)


@dataclass(frozen=True)
class CiJob:
    """A job of a run in one attempt."""

    id: int
    run: int
    attempt: int
    name: str
    status: str
    conclusion: str
    machine: str = ""
    """The name of the runner that took it; empty: none did."""
    labels: tuple[str, ...] = ()
    started: float = 0.0
    ended: float = 0.0
    url: str = ""
    steps: tuple[Step, ...] = ()
    hung_in: tuple[str, ...] | None = None
    """The ops in which the device hung under tests of it, as its log names them; None: nobody has looked."""

    @cached_property
    def parts(self) -> JobName:
        return job_name(self.name)

    @property
    def short(self) -> str:
        """Its name in a few words: `run_forge_models 0 on n150`."""
        parts = self.parts
        if not parts.has_tests:
            return self.name
        place = "" if parts.position is None else f" {parts.position}"
        return f"{parts.row or parts.caller}{place} on {parts.runner}"

    @property
    def failed(self) -> bool:
        """Whether it did not end well. What was skipped has not failed."""
        return self.conclusion in _BAD

    @property
    def failed_step(self) -> Step | None:
        """The first step that did not end well; None: GitHub names none."""
        return next((step for step in self.steps if step.conclusion in _BAD), None)

    @property
    def reached_tests(self) -> bool:
        """Whether it failed in, or after, the step that runs tests; without steps nothing is known."""
        step = self.failed_step
        return step is not None and any(_RUNS_TESTS.search(one.name) for one in self.steps if one.number <= step.number)

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended - self.started) if self.started and self.ended else 0.0


class HowDied(StrEnum):
    """How a job ended that left no whole report, or failed beside its tests."""

    SETUP = "failed before its tests"
    COLLECTION = "failed while collecting"
    TIMED_OUT = "ran out of time"
    DIED = "died in its tests"
    TRUNCATED = "left a truncated report"
    CANCELLED = "was cancelled"
    NEVER_BEGAN = "never got a machine"
    NO_REPORT = "left no report"
    FAILED = "failed"


class Death(NamedTuple):
    """What is known of the end of a job."""

    how: HowDied
    step: str = ""
    """The step in which it ended."""
    error: str = ""
    """The line of its log that says why."""
    test: str = ""
    """The node id of the test that ran last, and did not end."""
    log: str = ""
    """Why its log could not be read; empty: it was."""
    line: int = 0
    """The line of the error in the stored end of its log, from 1; 0: unknown."""
    op: str = ""
    """The op on the device when that hung; empty: it did not, or the log names none."""


class DeadJob(NamedTuple):
    """A run of a job that left no whole report, with the name that its results have."""

    job: str
    run: str
    at: float
    """When the run was made, in seconds since the epoch."""
    death: Death

    @property
    def words(self) -> str:
        """`ran out of time: The action has timed out; NODE was running`"""
        death = self.death
        error = f": {death.error}" if death.error else ""
        return f"{death.how}{error}{f'; {death.test} was running' if death.test else ''}"


class JobReport(NamedTuple):
    """What a job has left."""

    reports: int
    """Reports of tests."""
    tests: int
    cut: bool
    """It ends early: `tests` were read before its end."""
    performance: int = 0
    """How many reports of performance it has left."""

    @property
    def is_empty(self) -> bool:
        """Whether it has left reports of tests in which there are none."""
        return bool(self.reports) and not self.tests


@dataclass(frozen=True)
class JobState:
    """A job with what it has left."""

    job: CiJob
    report: JobReport | None = None
    death: Death | None = None


def latest_attempts(jobs: Iterable[CiJob]) -> list[CiJob]:
    """The newest attempt of each job, in the order in which they were first seen."""
    found: dict[str, CiJob] = {}
    for job in sorted(jobs, key=lambda job: (job.attempt, job.id)):
        found[job.name] = job
    return list(found.values())


def run_page(row: Observation) -> str:
    """The page of the run of a result; empty: the report did not come from GitHub, as far as is known."""
    found = _RUN.match(row.source)
    return found[0] if found else ""


def job_id(source: str) -> int | None:
    """The job whose artefact a source is; None: it is none."""
    found = _JOB.search(source)
    return int(found[1]) if found else None


def job_page(row: Observation) -> str:
    """The page of the job of a result; empty: unknown."""
    run, job = run_page(row), job_id(row.source)
    return f"{run}/job/{job}" if run and job is not None else ""


class Page(NamedTuple):
    """Where something is on GitHub, or why it is nowhere."""

    url: str = ""
    why: str = ""
    """A sentence; empty: there is a page."""


def page_of(rows: Iterable[Observation | None]) -> Page:
    """The page of the newest result whose job is known, else of the newest whose run is."""
    known = sorted((row for row in rows if row is not None), key=lambda row: row.when, reverse=True)
    found = next((page for read in (job_page, run_page) for row in known if (page := read(row))), "")
    if found:
        return Page(found)
    if any(row.origin is Origin.CI for row in known):
        return Page(why=_NO_JOB)
    return Page(why=_ONLY_HERE if known else _NO_RESULT)


_NO_RESULT = "No job of CI is known here: no report has a result of it."
_ONLY_HERE = "No job of CI is known here: it has only run on this machine."
_NO_JOB = "No job of CI is known here: its reports are from files that do not name their run on GitHub."


def runs_of_workflow(runs: Sequence[CiRun], workflow: int) -> list[CiRun]:
    """The runs of one workflow, the newest first."""
    found = (run for run in runs if run.workflow == workflow)
    return sorted(found, key=lambda run: (run.created, run.number), reverse=True)
