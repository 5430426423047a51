# SPDX-License-Identifier: Apache-2.0
"""Parts that several documents share."""

from collections.abc import Sequence
from typing import Annotated, Literal

from core.base.files import As, Record
from core.cli.records.operations import Operation
from core.kinds import JobName as JobName


class Issue(Record):
    """An issue and what is known of it."""

    issue: str
    state: str
    title: str | None
    closed: str | None
    asked: str | None
    """When GitHub was asked."""


class Cell(Record):
    """A test on one arch."""

    id: str
    arch: str


class Commit(Record):
    """A commit; all null: not committed yet."""

    commit: str | None
    """Its id."""
    time: str | None
    """ISO 8601, UTC."""
    author: str | None
    subject: str | None


class Finding(Record):
    """Something wrong in the checkout. Lines and columns start at 1; 0: unknown."""

    kind: str
    """See `ttmatrix doctor --kinds`."""
    severity: str
    """error, warning or note."""
    message: str
    file: str
    """Relative to the checkout."""
    line: int
    column: int
    id: str
    """The test id; empty: it is about no entry."""
    mend: Sequence[Operation]
    """Operations that remove the finding; empty: a person must decide."""


class StepChange(Record):
    """A field that a commit changed."""

    path: Sequence[str]
    before: object
    after: object


class Step(Commit):
    """What one commit did to an entry."""

    what: Sequence[Annotated[str, As(Literal["added", "removed", "renamed", "moved", "changed"])]]
    id: str | None
    """Afterwards."""
    file: str | None
    id_before: str | None
    file_before: str | None
    changes: Sequence[StepChange]
