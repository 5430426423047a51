# SPDX-License-Identifier: Apache-2.0
"""Results and what they mean, one by one."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from core.base.files import As, Record
from core.cli.records.comparisons import NamedCommitsBetween
from core.cli.records.nightly import NightPin
from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Origin
from core.evidence.analysis import Trend
from core.evidence.verdicts import Policy, Verdict


class ObservedOp(Record):
    """Of an op case alone, whose arch is the backend."""

    status: str
    key: str
    """What equal cases have in common."""
    rtol: float
    atol: float
    max_abs: float | None
    max_rel: float | None
    mismatched: float | None
    """Percent."""
    pcc: float | None
    dup_of: str
    device: str
    torch: str


class Observation(Record):
    """One result of one cell."""

    when: str | None
    """ISO 8601, UTC."""
    function: str
    origin: Origin
    run: str
    """The run it belongs to: a nightly, a batch."""
    host: str
    ending: Ending
    expected: Status
    """The status in force when it ran."""
    forced: bool
    """It ran although its entry says skip."""
    stage: BringupStatus
    reason: str
    """The line an entry would quote."""
    seconds: float
    pcc: float | None
    """The lowest known."""
    pcc_required: float | None
    pcc_checked: bool | None
    shortcut: bool
    """`pcc` is 1 because values were close, no measurement."""
    guidance: Sequence[str]
    signal: int | None
    attempts: int
    job: str
    source: str
    """File or run directory."""
    url: str | None
    """The page of its job of CI, else of its run; null: it is of none, or not known."""
    commit: str
    models_commit: str
    raised: str
    """What the traceback says where `reason` says otherwise."""
    op: ObservedOp | UnsetType = UNSET
    """Of an op case alone, whose arch is the backend."""
    profile: str | UnsetType = UNSET
    """The profile that it ran with; absent: the default."""


class Judgement(Record):
    """The verdict on one cell."""

    id: str
    arch: str
    verdict: Verdict
    why: str
    grade: Annotated[int, Meta(ge=0, le=5)]
    """How much the evidence weighs, from 1 to 5; 0: it does not contradict the entry."""
    since: str
    """The run since which it is so; empty: unknown."""
    direction: str | None
    """For PCC: raise or lower; else empty or null."""
    pcc: float | None
    required_pcc: float | None
    pinned: str
    """Why the entry is pinned; empty: it is not."""
    evidence: str
    """All results in short; empty: none."""
    rows: Sequence[Observation]
    """Those that decided."""


class PerformanceEnd(Record):
    """A result at one end of a change."""

    run: str | None
    """The run of CI; null: it is of none."""
    source: str
    commit: str | None
    url: str | None
    """The page of its job."""


class PerformanceChange(Record):
    """A change of the level of a number."""

    kind: str
    """step, gradual, or new: one or two results at the end."""
    trend: Trend
    before: float
    after: float
    change: float
    """As a part of `before`."""
    last: PerformanceEnd
    """The last result at the level before."""
    first: PerformanceEnd
    """The first result at the level after."""
    commits: Sequence[NamedCommitsBetween]
    """Those of tt-xla, of the models, of tt-mlir and tt-metal where these moved; empty: not both commits are known."""
    pins: Sequence[NightPin]
    """Versions that moved between both: tt-mlir, tt-metal, packages, presets."""


class PerformanceNumber(Record):
    """One number over time: where it was, where it is."""

    last: float
    before: float | None
    """The level before the newest change, else the median of the older half."""
    after: float
    """The level after it, else the median of the newer half."""
    results: int
    trend: Trend
    needed: int | None
    """How many results on either side find a step of 20 % in nine cases of ten."""
    changes: Sequence[PerformanceChange]
    """Where its level changed, the oldest change first."""


class PerformanceResult(Record):
    """The numbers of one run."""

    when: float
    """Seconds since the epoch."""
    source: str
    """The run, or the file of the report."""
    numbers: Mapping[str, float]


class Performance(Record):
    """The numbers of a test on an arch, with one backend, profile and batch size."""

    id: str
    arch: str
    backend: str
    """What ran it: tt, xla, inductor; the kind of run where nothing says so, report for upstream's reports."""
    profile: str
    """Empty: the default."""
    batch_size: int | None
    numbers: Mapping[str, PerformanceNumber]
    """By name: samples_per_s, run_s, compile_s, peak_mb (MiB), and those of upstream's reports, such as ttft."""
    results: Sequence[PerformanceResult]
    """Oldest first."""


class Exported(Record):
    """Results that were written to a file."""

    file: str
    results: int


class Imported(Record):
    """Results that were read from a file."""

    file: str
    new: int
    known: int


class StoreStats(Record):
    """How large the store of results is."""

    file: str
    bytes: int
    results: int
    reports: int
    runs: int
    cells: int
    first: str | None
    """A day."""
    last: str | None
    """A day."""


class Pruned(Record):
    """Old results that were thinned out."""

    removed: int
    written: bool
    """Whether they are gone."""
    results: int


class UnreadReport(Record):
    """A file that could not be read, or not all of it."""

    file: str
    message: str


class Gathered(Record):
    """With --from-github: artefacts, and the runs that were looked at, newest first."""

    runs: Sequence[str]
    downloaded: int
    known: int
    expired: int
    other: int
    refused: int
    """Artefacts and logs that the token may not read."""
    jobs: int
    """Jobs of runs that were new, or had a new attempt."""
    died: int
    """Jobs of them that ended without all that they should have left."""
    performance: int
    """Reports of performance."""


class Ingested(Record):
    """What reports of CI had in them."""

    files: int
    new: int
    known: int
    testcases: int
    """The sum of counts."""
    counts: Mapping[str, int]
    """By ending, and other, repeated and stand_in."""
    as_expected: int
    """Results that ended as their entries said when they ran: a known failure that fails is one."""
    runs: Sequence[str]
    without_arch: int
    cut: int
    """Files that are truncated or damaged behind their first testcases, which were read. They are among the
    problems."""
    later: int
    """Reports that `--as-of` left out, because they have results of later days."""
    signal_0: int
    """Results for which pytest-forked says CRASHED with signal 0, which is no crash: nothing is known of them."""
    problems: Sequence[UnreadReport]
    github: Gathered | UnsetType = UNSET
    """With --from-github: artefacts, and the runs that were looked at, newest first."""


class PolicyOfCheckout(Record):
    """The policy that holds for a checkout."""

    file: str | None
    """Null: the defaults hold."""
    policy: Annotated[Mapping[str, object], As(Policy)]
