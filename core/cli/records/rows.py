# SPDX-License-Identifier: Apache-2.0
"""What lists of tests, jobs and commits print."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from core.base.files import As, Record
from core.cli.records.parts import Commit, JobName, Step
from core.domain.model import Status
from core.history import Every

StatusText = Annotated[str, As(Status)]


class GridCell(Record):
    """The tests of one row and one column."""

    column: str
    tests: int
    passed: int
    """Tests that their entries expect to pass; of op cases: last results that passed."""
    of: int
    """Tests with an entry; of op cases: results."""
    rate: float | None
    """passed / of, from 0 to 1; null: there is nothing to divide by."""
    results: int
    """Newest results: one of each cell of these tests that ran; of op cases, those that ran."""
    as_expected: int
    """How many of them ended as the entry said when they ran: a known failure that fails is as expected."""
    results_passed: int
    """How many of them passed."""
    counts: Mapping[str, int]
    """Tests by status; of op cases by result."""
    query: str
    """Selects the tests of the cell: `ttmatrix list QUERY`."""


class GridRow(Record):
    """The cells of one row."""

    label: str
    """What the row means; empty: tests without a value."""
    all: bool
    """All rows together: the first one."""
    cells: Sequence[GridCell]
    """Cells without a test are left out."""


class Grid(Record):
    """Pass rates by two properties of tests."""

    layout: str
    """The name of the layout."""
    down: str
    """What the rows are."""
    across: str
    """What the columns are."""
    columns: Sequence[str]
    rows: Sequence[GridRow]


class JobsOfHandwritten(Record):
    """The jobs that select a hand-written test."""

    id: str
    """The node id."""
    archs: Mapping[str, Sequence[JobName]]
    """By runner."""


class EntryTimeline(Record):
    """An entry through renames, with the commits that changed it."""

    id: str | None
    """Now; null: it is gone."""
    file: str | None
    ids: Sequence[str]
    """All it ever had."""
    commits: Sequence[Step]


class SkippedFile(Record):
    """A file of the history that cannot be read."""

    commit: str | None
    file: str
    reason: str


class EntryHistory(Record):
    """The commits that changed the entries of an id."""

    id: str
    entries: Sequence[EntryTimeline]
    age: int | None
    """Days since its status was set."""
    flips: int | None
    """How often its status changed."""
    begins: Commit | None
    """Where expectations in YAML begin."""
    shallow: bool
    """Older commits are missing."""
    skipped: Sequence[SkippedFile]


class JobTrigger(Record):
    """What starts a job, and how often."""

    workflow: str
    cadence: str
    crons: Sequence[str]


class Job(Record):
    """A CI job."""

    file: str
    """Preset file."""
    index: int
    """Its place in that file, includes expanded."""
    name: str
    runs_on: str
    arch: str | None
    """What is passed as --arch."""
    dir: str
    mark: str
    """The -m expression."""
    contains: str | None
    """The -k text."""
    args: str | None
    parallel_groups: int
    triggers: Sequence[JobTrigger]
    problem: str | None
    """Why pytest would refuse its expressions."""


class CiJob(Job):
    """A CI job, with what it selects."""

    selected: int | None
    """Number of tests; null: it runs no model tests."""


class JobOfTest(Job):
    """A CI job that selects the test."""

    function: str
    group: int
    """The copy that runs it, from 1."""
    runs: bool
    """Whether the body runs."""
    skipped: str | None
    """Why it does not."""


class JobsOfTest(Record):
    """The jobs that select a test."""

    id: str
    archs: Mapping[str, Sequence[JobOfTest]]
    """By runner."""


class ModelTest(Record):
    """A test of a model."""

    id: str
    function: str
    """The test function."""
    status: StatusText
    """On --arch; without it, the entry's own."""
    statuses: Mapping[str, StatusText]
    """By arch."""
    archs: Sequence[str]
    """Archs it is marked for."""
    bringup_status: str | None
    reason: object
    """As the YAML has it; null: none."""
    markers: Sequence[str]
    loader: str | None
    """Its directory; null: no loader has this id."""
    file: str | None
    """Of the entry; null: there is none."""
    line: int | None


class OpCase(Record):
    """A case."""

    id: str
    """`model::name`; the file follows where another file had that first."""
    model: str
    name: str
    op: str | None
    """Null: the case has a mistake."""
    dtype: str | None
    """Effective, as torch names it."""
    file: str
    """Relative to the checkout."""
    line: int
    """Of the case; of the mistake where there is one."""
    key: str | None
    """Cases with the same key are the same test."""
    dup_of: str | None
    """The case that represents it."""
    skip: str | None
    """Why its skip_if holds."""
    problem: str | None
    """What is wrong with it, or a warning."""


class HandwrittenMark(Record):
    """A mark of pytest."""

    name: str
    given: Mapping[str, str]
    """By keyword, or by position from 0; `?`: not known."""


class HandwrittenTest(Record):
    """A test that people write by hand."""

    id: str
    """The node id; of a function whose parameters are not known, without brackets."""
    function: str
    classes: Sequence[str]
    file: str
    line: int
    level: Annotated[str, As(Literal["op", "graph"])] | None
    """By the helper of upstream that it calls."""
    markers: Sequence[str]
    marks: Sequence[HandwrittenMark]
    """The closest first."""
    parameters: Mapping[str, str]
    """Ids by names."""
    known: bool
    """Whether its parameters are."""
    why: str | None
    """Why they are not."""


class Placeholder(Record):
    """A placeholder of a model that is planned; listed where the query asks for `is:placeholder`."""

    id: str
    """Its name, as the file has it."""
    kind: Literal["placeholder"]
    model: str
    """The name of its model in reports."""
    bringup_status: str
    reason: str
    file: str
    """Relative to the checkout."""
    line: int


class Heat(Record):
    """How the grid is shown. Columns are named by their heads."""

    by: Sequence[str] | UnsetType = UNSET
    """The column whose rate the rows are sorted by, or the two whose difference they are sorted by."""
    best_first: bool | UnsetType = UNSET
    pair: Sequence[str] | UnsetType = UNSET
    """The two columns that are compared; empty: all columns are shown."""


class View(Record, kw_only=True):
    """A view; parts with their default are left out."""

    query: str | UnsetType = UNSET
    """A query; see `ttmatrix list --help`."""
    arch: str | UnsetType = UNSET
    columns: Sequence[str] | UnsetType = UNSET
    sort: str | UnsetType = UNSET
    """A column; default id."""
    descending: bool | UnsetType = UNSET
    group: str | UnsetType = UNSET
    """What rows are grouped by."""
    grid: str | UnsetType = UNSET
    """The layout of the grid shown instead of the table."""
    heat: Heat | UnsetType = UNSET
    """How the grid is shown. Columns are named by their heads."""


class JobOfOtherRow(Record):
    """A job of CI that runs a row."""

    name: str
    file: str
    """The name of its workflow."""
    runs_on: str
    cadence: str | None
    """How often it runs by itself; null: when a person starts it."""


class OtherRow(Record):
    """A row of any other kind, such as a benchmark."""

    id: str
    kind: str
    file: str
    """Where it is written, relative to the checkout."""
    line: int
    reason: str | None
    """Why it does not run in CI."""
    fields: Mapping[str, str | Sequence[str]]
    """The fields that only its kind has, as queries name them."""
    jobs: Sequence[JobOfOtherRow]


Row = ModelTest | OpCase | HandwrittenTest | Placeholder | OtherRow
"""Of a list; each kind has its own fields."""


class NamedView(View, kw_only=False):
    """A view that `list --view` knows."""

    name: str
    own: bool
    """Saved by the person, not built in."""


class ViewsFile(Record):
    """The views that a person saved."""

    version: Literal[1]
    columns: Sequence[str]
    """The columns a person chose; empty: the default ones."""
    views: Mapping[str, View]


class PlaceholderWithTests(Placeholder):
    """A placeholder of a model that is planned."""

    tests: Sequence[str]
    """Ids of the tests of its model that loaders give rise to, those of one device that infer first."""


class TrendPoint(Commit):
    """Entries after one commit."""

    counts: Mapping[str, int | Mapping[str, int]]
    """By status; or by arch or group and then by status."""


class EntryTrend(Record):
    """Entries over the git history."""

    by: Annotated[str, As(Literal["status", "arch", "group"])]
    every: Every
    points: Sequence[TrendPoint]
