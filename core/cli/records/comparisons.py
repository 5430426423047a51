# SPDX-License-Identifier: Apache-2.0
"""Results and what they mean, side by side."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from core.base.files import Record
from core.cli.records.parts import Cell, Issue
from core.evidence import Ending
from core.evidence.analysis import Advice, DifferenceKind, Shift
from core.evidence.verdicts import Absence

Share = Annotated[float, Meta(ge=0, le=1)]


class SeenFailure(Record):
    """The newest failure of a cell."""

    run: str
    reason: str
    since: str
    """The first run with this failure."""
    url: str | None
    """The page of its job, else of its run; null: not known."""


class ClusterMember(Record):
    """A cell that fails for the cause of its cluster."""

    id: str
    arch: str
    declared: str | None
    """The entry's reason."""
    seen: SeenFailure | None
    stage: str | None


class Cluster(Record):
    """Failures with the same cause."""

    signature: str
    reason: str
    """The canonical one."""
    tests: int
    archs: Mapping[str, int]
    stages: Mapping[str, int]
    oldest_days: int | None
    """For how many days it has failed; null: it does not now."""
    since: str | None
    """The first run in which one of its cells that fail now failed so."""
    failed_lately: int
    """How many of its cells failed on the last day with results."""
    issues: Sequence[Issue]
    texts: Mapping[str, int]
    """Reasons, and how often."""
    url: str | None
    """The page of the newest job of its members; null: not known."""
    members: Sequence[ClusterMember]


class IssueAdvice(Record):
    """What is to be done about it, by its state and by results; null: nothing."""

    advice: Advice
    cells: Sequence[Cell]


class CitedIssue(Issue):
    """An issue and what is known of it."""

    cells: Sequence[Cell]
    advice: IssueAdvice | None
    """What is to be done about it, by its state and by results; null: nothing."""
    noted: Sequence[Cell]
    """Cells of entries that are to be as before once the issue is closed, as a person noted."""


class SideOfDifference(Record):
    """The result of a cell in one of two runs."""

    ending: Ending
    reason: str | None
    pcc: float | None
    host: str
    job: str
    url: str | None
    """The page of its job, else of its run; null: not known."""


class Difference(Record):
    """A cell whose results in two runs differ."""

    kind: DifferenceKind
    id: str
    arch: str
    before: SideOfDifference | None
    after: SideOfDifference | None


class CommitBetween(Record):
    """A commit."""

    id: str
    day: str
    author: str
    subject: str


class CommitsBetween(Record):
    """The commits of one repository between two results, newest first."""

    before: str | None
    after: str | None
    unknown: str | None
    """Why the commits cannot be listed."""
    commits: Sequence[CommitBetween]
    more: int
    """How many older ones are not listed."""


class NamedCommitsBetween(CommitsBetween):
    """The same, of one of several repositories."""

    repository: str
    """tt-xla, tt_forge_models, tt-mlir or tt-metal."""


class RunsCompared(Record):
    """Two runs of CI, cell by cell."""

    before: str
    after: str
    counts: Mapping[DifferenceKind, int]
    passing: int
    """Cells that pass in both."""
    differences: Sequence[Difference]
    commits: CommitsBetween
    models_commits: CommitsBetween


class ProfiledNumber(Record):
    """A number of the runs of a test under one profile."""

    values: Sequence[float]
    """Of each run that has the number."""
    median: float | None
    spread: float
    """The greatest minus the least."""
    difference: Shift | None
    """To the first profile; null: it is the first."""


class ProfiledNumbers(Record):
    """What the runs of a test under one profile measured."""

    pcc: ProfiledNumber
    atol: ProfiledNumber
    compile_s: ProfiledNumber
    run_s: ProfiledNumber
    samples_per_s: ProfiledNumber
    peak_mb: ProfiledNumber


class ProfiledCell(Record):
    """The runs of a test under one profile."""

    profile: str
    runs: Sequence[str]
    outcomes: Sequence[str]
    numbers: ProfiledNumbers


class ProfiledTest(Record):
    """A test under each of the profiles."""

    id: str
    cells: Sequence[ProfiledCell]


class ProfilesCompared(Record):
    """Tests under several profiles."""

    profiles: Sequence[str]
    """The first is what the others are compared with."""
    tests: Sequence[ProfiledTest]


class KnownRun(Record):
    """A run of CI with results."""

    run: str
    cells: int


class SinceResult(Record):
    """The first of the passes, or failures, that the newest results are."""

    run: str
    when: str | None
    """ISO 8601, in UTC."""
    ending: Ending
    reason: str | None
    commit: str | None
    models_commit: str | None
    url: str | None
    """The page of its job, else of its run; null: not known."""


class Drift(Record):
    """How a PCC has moved."""

    pcc: Sequence[float]
    """Means over stretches of as many results, oldest first."""
    results: int
    """How many have a PCC."""
    since: str | None
    """ISO 8601, in UTC: when the first of them was made."""


class LinkedCommitsBetween(CommitsBetween):
    """What lies between the last result before `since` and `since`; null: it has ended so in all that is known."""

    url: str | None
    """Where a browser shows them, from the address of the remote."""


class AbsentResult(Record):
    """Why newer reports lack a result of a cell."""

    kind: Absence
    why: str


class CellSince(Record):
    """Since when a cell fails or passes."""

    arch: str
    failing: bool
    absent: AbsentResult | None
    """Why newer reports lack a result of it; null: they have one, or its job is not known."""
    results: int
    """How many say something of the model."""
    since: SinceResult
    """The first of the passes, or failures, that the newest results are."""
    first_bad: SinceResult | None
    """`since` of what fails; null: it passes."""
    last_good: SinceResult | None
    """The newest pass."""
    flips: int
    """How often a pass followed a failure, or the other way round."""
    flakiness: Share
    """Flips beyond the first one, of those that were possible in the newest 30 results."""
    broken_together: int | None
    """How many other cells began to fail in the same run; null: it passes, or has always failed."""
    drift: Drift | None
    """How the PCC has moved; null where fewer than three results have one."""
    commits: LinkedCommitsBetween | None
    """What lies between the last result before `since` and `since`; null: it has ended so in all that is
    known."""
    models_commits: LinkedCommitsBetween | None
    """What lies between the last result before `since` and `since`; null: it has ended so in all that is
    known."""


class Since(Record):
    """Since when a test fails or passes."""

    id: str
    cells: Sequence[CellSince]
