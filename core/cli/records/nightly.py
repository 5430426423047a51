# SPDX-License-Identifier: Apache-2.0
"""One run of a workflow as a morning report."""

from collections.abc import Sequence
from typing import Literal

from core.base.files import Record
from core.cli.records.comparisons import NamedCommitsBetween


class NightPreset(Record):
    """The row of a preset that a job is."""

    file: str
    index: int
    """Its place in the file, from 0."""
    name: str
    group: int | None
    """The copy of the row, from 1; null: not known."""
    groups: int


class NightJob(Record):
    """The newest attempt of a job."""

    name: str
    status: str
    conclusion: str
    arch: str
    """Empty: it has none, as a build."""
    url: str
    tests: int | None
    """Testcases in its report; null: it has left none."""
    died: str | None
    """How it ended without a whole report; null: it left one, or none is expected."""
    id: int
    attempt: int
    machine: str | None
    """The runner that took it; null: none did."""
    step: str | None
    """The step in which it failed; null: it did not, or GitHub does not say."""
    error: str | None
    """The line of its log that says why."""
    last_test: str | None
    """The node id of the test that ran when it died."""
    hung_in: Sequence[str]
    """The ops on the device when that hung, as its log names them."""
    not_run: int
    """Cells that lack a result because of it."""
    preset: NightPreset | None
    """At the head of the run; null: it has none there, or is no job of a preset, or the clone lacks the head."""
    row_gone: bool
    """The head of the run is known, and no preset there has the row of this job."""


class NightJobTests(Record):
    """The tests of one job: what it should have run, and what it reported."""

    id: int
    name: str
    url: str
    preset: NightPreset | None
    expected: Sequence[str] | None
    """By the presets, entries and models at the head of the run; null: not known."""
    reported: Sequence[str]
    without_result: Sequence[str]
    """Expected, and not reported."""
    unknown: str | None
    """Why `expected` is not known."""


class NightArtefact(Record):
    """An archive that a run has left."""

    id: int
    name: str
    bytes: int
    job: int | None
    """The id of its job; null: its name does not say."""
    expired: bool
    programs: bool
    """Whether it is a dump of programs, which `ir` opens."""
    directory: str | None
    """Where its files are; null: it was not fetched."""


class NightTest(Record):
    """A test of a group."""

    id: str
    arch: str
    url: str | None
    """The page of its job."""
    machine: str | None
    attempts: int
    since: str | None
    """The run since which it fails without a pass; null: it does not fail, or it is not known."""
    last_good: str | None
    """The run of its last pass before."""
    flaky: bool
    first: bool
    """Whether no run that it is compared with has a result of it."""
    issue: str | None
    """The issue that its entry cites."""


class NightFailures(Record):
    """Tests of one kind, area and cause."""

    kind: Literal["new", "persisting", "fixed", "missing"]
    area: str
    cause: str
    tests: Sequence[NightTest]
    was: str | None
    """The cause before, where it has changed; else null."""


class NightNumber(Record):
    """A number of a model or benchmark."""

    model: str
    arch: str
    metric: str
    before: float | None
    """The level before a change, else the median of up to 14 runs before; null: there is none."""
    after: float
    change: float | None
    """As a part of `before`."""
    trend: str
    """regressed, improved, steady, too few nights or no baseline."""
    noise: float | None
    """The greatest distance of a run before from `before`, as a part of it."""
    nights: int
    """How many runs it is compared with."""
    url: str | None
    since: str | None
    """The first run at the present level, where that changed within ten runs; else null."""
    last: str | None
    """The last run at the level before: the commits of the change lie between both."""


class NightPcc(Record):
    """A PCC that fell by more than 0.01, without a new failure."""

    id: str
    arch: str
    before: float
    after: float | None
    """null: it is no number."""
    ending: str
    as_expected: bool
    """Whether the test ended as its entry asks: it passes, is not checked, or is expected to fail."""
    url: str | None


class NightPin(Record):
    """A version or preset that moved."""

    name: str
    before: str | None
    after: str | None
    url: str | None
    """The page that compares both."""


class NightMachine(Record):
    """A machine that fails where others do not."""

    name: str
    failed: int
    ran: int


class NightUnread(Record):
    """What could not be read."""

    name: str
    why: str


class Nightly(Record):
    """A run against the one before of its workflow."""

    run: str
    against: str | None
    """null: no run of the workflow before it has results."""
    commit: str
    url: str
    attempt: int
    conclusion: str
    groups: int
    """Jobs that should leave a report."""
    reported: int
    not_run: int
    """Cells that lack a result because of their job."""
    jobs: Sequence[NightJob]
    failures: Sequence[NightFailures]
    retried: Sequence[NightTest]
    """What passed only when it was repeated."""
    pcc: Sequence[NightPcc]
    """The largest fall first."""
    performance: Sequence[NightNumber]
    machines: Sequence[NightMachine]
    commits: Sequence[NamedCommitsBetween]
    """Those of tt-xla, then those of the models; of tt-mlir and tt-metal too, where these moved."""
    asked: str | None
    """The day on which GitHub was asked about some of it; null: all is from clones."""
    pins: Sequence[NightPin]
    older: bool
    """Whether an older head was tested than in the run before."""
    unread: Sequence[NightUnread]
