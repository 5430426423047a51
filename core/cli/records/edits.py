# SPDX-License-Identifier: Apache-2.0
"""Edits: what was done, what waits, what is proposed."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from core.base.files import As, Record
from core.cli.records.operations import Operation
from core.domain.model import Status
from core.edits import CellFacts
from core.edits.pending import Decision


class ProposalBase(Record):
    """What it was made on. `apply` follows renames since and rejects what was changed since."""

    commit: str
    """Of the checkout; empty: unknown."""
    file: str
    fields: Mapping[str, object] | None
    """The entry as it was; null: there was none."""


class Proposal(Record, forbid_unknown_fields=False, kw_only=True):
    """A proposal: operations with what justifies them."""

    id: str | UnsetType = UNSET
    """The test id."""
    arch: str | UnsetType = UNSET
    """Archs, joined by commas."""
    verdict: str | UnsetType = UNSET
    """Verdicts, joined by commas."""
    grade: int | UnsetType = UNSET
    """How much the evidence weighs, from 1 to 5; `apply` takes those from the policy's on. Without one, all are
    taken."""
    grade_why: str | UnsetType = UNSET
    """What the grade rests on, in one line."""
    since: str | UnsetType = UNSET
    """The run since which it is so."""
    why: str | UnsetType = UNSET
    """Goes into the commit message."""
    evidence: Sequence[object] | str | Mapping[str, object] | UnsetType = UNSET
    """Texts and links; they go into the commit message."""
    cause: str | UnsetType = UNSET
    """What it shares with others; `--split cause` makes a commit of each."""
    facts: Sequence[Mapping[str, object]] | UnsetType = UNSET
    """What results show, as in `propose --json`; a commit cites these instead of `why` and `evidence`."""
    restore_when_closed: str | UnsetType = UNSET
    """The address of an issue; when it is closed, ttmatrix says that the entry was to be as before."""
    ops: Sequence[Operation]
    leaves_ci: Sequence[str] | UnsetType = UNSET
    """Archs on which no scheduled job would select the test any more."""
    base: ProposalBase | UnsetType = UNSET
    """What it was made on. `apply` follows renames since and rejects what was changed since."""


class Rejected(Record):
    """An operation that was not applied."""

    op: Operation
    why: str


class FieldEffect(Record):
    """A field before and after an edit; null: it was, or is, not set."""

    before: object
    after: object


class CellEffect(Record):
    """What an edit changes on one arch, or of an op case with its defaults.

    A case that is added or removed has `op` as its field.
    """

    id: str
    arch: str
    """Empty: an op case."""
    before: Status | None
    """Null: not marked for this arch."""
    after: Status | None
    jobs_gained: Sequence[str]
    jobs_lost: Sequence[str]
    fields: Mapping[str, FieldEffect]
    markers_gained: Sequence[str]
    markers_lost: Sequence[str]
    minutes: float | None
    """Device-minutes more per round of CI; negative: less; null: not known."""


class Edited(Record):
    """What operations came to."""

    diff: str
    """One unified diff, paths relative to the checkout."""
    applied: Sequence[Operation]
    rejected: Sequence[Rejected]
    effect: Sequence[CellEffect]
    notes: Sequence[str]
    written: Sequence[str]
    """Files."""
    commits: Sequence[str]
    output: str
    """What git and its hooks printed."""
    markdown: str | UnsetType = UNSET
    """With --markdown: the text of a pull request."""


class LoaderEdit(Record):
    """An edit of a loader that a workflow left uncommitted."""

    path: str
    summary: str
    overtaken: bool
    """Somebody else has changed it since."""
    diff: str


class PendingConflict(Record):
    """What was changed elsewhere."""

    id: str
    file: str
    path: Sequence[str]
    """The field; empty: the whole entry."""


class PendingChange(Record):
    """A change that waits for a decision."""

    id: int
    """Its number, never used again on the same checkout."""
    decision: Decision
    tests: Sequence[str]
    note: str
    """Why it is proposed."""
    evidence: Sequence[str]
    grade: int | None
    """How much its evidence weighs, from 1 to 5; null: it does not say, as a person's own operations."""
    grade_why: str
    """What the grade rests on, in one line."""
    restore_when_closed: str
    """The address of the issue after whose end the entry is to be as before; empty: none is noted."""
    ops: Sequence[Operation]
    conflicts: Sequence[PendingConflict]
    """What was changed elsewhere since it was proposed."""


class PullRequest(Record):
    """The text of a pull request, from commits."""

    base: str | None
    """The commit that the entries are compared with; null: there is none before."""
    commit: str
    tests: Sequence[str]
    """The ids whose entries changed; of a renamed one the new id."""
    markdown: str


class FullProposal(Record):
    """A proposal: operations with what justifies them."""

    id: str
    """The test id."""
    arch: str
    """Archs, joined by commas."""
    verdict: str
    """Verdicts, joined by commas."""
    grade: Annotated[int, Meta(ge=0, le=5)]
    """How much the evidence weighs, from 1 (one result) to 5; `apply` takes those from the policy's on."""
    grade_why: str
    """What the grade rests on, in one line."""
    since: str
    """The run since which it is so; empty: unknown."""
    cause: str
    """What it shares with others; `apply --split cause` makes a commit of each."""
    why: str
    """Why it is proposed. Goes into the commit message where there are no facts."""
    evidence: Sequence[str]
    facts: Annotated[Sequence[Mapping[str, object]], As(Sequence[CellFacts])]
    """What the results of each cell show, as a commit cites it; `apply` reads it back."""
    issues: Sequence[str]
    """The issues that the reasons link to, before and after, as `owner/repository#number`."""
    restore_when_closed: str
    """The address of the issue after whose end the entry is to be as before; empty: none is noted."""
    ops: Sequence[Operation]
    leaves_ci: Sequence[str]
    """Archs on which no scheduled job would select the test any more."""
    base: ProposalBase
    """What it was made on. `apply` follows renames since and rejects what was changed since."""


class OperationsWritten(Record):
    """Operations that were written to a file."""

    operations: int
    """How many."""
    file: str
