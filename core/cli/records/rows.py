# SPDX-License-Identifier: Apache-2.0
"""What lists of tests, jobs and commits print."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from core.base.files import As, Record
from core.cli.records.parts import Commit, Step
from core.history import Every
from core.kinds import (
    HandwrittenMark as HandwrittenMark,
    HandwrittenTest as HandwrittenTest,
    JobOfOtherRow as JobOfOtherRow,
    JobsOfHandwritten as JobsOfHandwritten,
    ModelTest as ModelTest,
    OpCase as OpCase,
    OtherRow as OtherRow,
    Placeholder as Placeholder,
    PlaceholderWithTests as PlaceholderWithTests,
    Row as Row,
)


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


class TrendPoint(Commit):
    """Entries after one commit."""

    counts: Mapping[str, int | Mapping[str, int]]
    """By status; or by arch or group and then by status."""


class EntryTrend(Record):
    """Entries over the git history."""

    by: Annotated[str, As(Literal["status", "arch", "group"])]
    every: Every
    points: Sequence[TrendPoint]
