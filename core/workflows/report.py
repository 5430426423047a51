# SPDX-License-Identifier: Apache-2.0
"""What a workflow has found out so far; at the end it is the report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from core.edits import Operation
from core.workflows.case import CaseEntry
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.outcomes import DeviceResult
from core.workflows.repro import Repro


class Aborted(Exception):
    """Raised inside a workflow that cannot go on; the text says why. The engine catches it."""

    def __init__(self, reason: str, *, environment: bool = False) -> None:
        super().__init__(reason)
        self.environment = environment


@dataclass(frozen=True, slots=True)
class CpuLine:
    """A CPU repro, and what it was made for."""

    when: str
    """`before` or `after` the edit."""
    repro: Repro


@dataclass(frozen=True, slots=True)
class Decided:
    """What an earlier workflow of the same case has come to."""

    workflow: str
    flavour: str
    decision: str
    why: str


@dataclass(slots=True)
class WorkflowReport:
    """Written only by the workflow, and rebuilt at each replay."""

    workflow: str = ""
    chosen: str = ""
    """Why this workflow."""
    flavour: str = ""
    decision: str = ""
    """A word of the workflow's own decision table; empty while there is none."""
    why: str = ""
    """The decision in a sentence."""
    earlier: list[Decided] = field(default_factory=list)
    """The workflows before this one: a loader may need several edits, one after the other."""
    cpu: list[CpuLine] = field(default_factory=list)
    edits: dict[str, SourceEdit] = field(default_factory=dict)
    """Edits in place, by path relative to the checkout."""
    baseline: dict[str, Repro] = field(default_factory=dict)
    """By id, the repros of the code as this workflow found it."""
    kept: dict[str, SourceEdit] = field(default_factory=dict)
    """The edits of the workflows before this one, which it leaves in place."""
    settled: frozenset[str] = frozenset()
    """Ids of the entries that the workflows before this one have changed."""
    tried: list[str] = field(default_factory=list)
    """Edits that were taken back, in words."""
    scope: list[CaseEntry] = field(default_factory=list)
    """Entries that are decided together."""
    reach: list[str] = field(default_factory=list)
    """Loaders that an edit affects in addition, and how certain that is."""
    device: list[DeviceResult] = field(default_factory=list)
    device_by: str = ""
    """What made the device report, if that was not a device."""
    unverified: bool = False
    """Decided by the CPU alone, since there is no device."""
    operations: list[Operation] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)
    """What was decided for each entry, by id, in words."""
    review: list[str] = field(default_factory=list)
    """What a person should look at."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Those lines of it that are about entries which were left out, by id."""
    aborted: str | None = None
    environment: bool = False
    """Aborted because this machine cannot run the model."""

    def decide(self, decision: str, why: str) -> None:
        """Write down the row of the decision table."""
        self.decision, self.why = decision, why

    def leave_out(self, id: str, state: str, note: str) -> None:
        """Leave the entry `id` as it is, for a person to look at."""
        self.states[id], self.left_out[id] = state, f"{id} {note}"
        self.review.append(self.left_out[id])

    def take_in(self, id: str) -> None:
        """The entry `id` is decided after all."""
        self.states.pop(id, None)
        if id in self.left_out:
            self.review.remove(self.left_out.pop(id))

    def go_on(self, workflow: str, chosen: str, found: Mapping[str, Repro]) -> None:
        """Begin the next workflow on the code as it is now; `found` are its repros."""
        if self.workflow:
            self.earlier.append(Decided(self.workflow, self.flavour, self.decision, self.why))
        self.workflow, self.chosen = workflow, chosen
        self.flavour = self.decision = self.why = ""
        self.baseline, self.kept = dict(found), dict(self.edits)
        self.settled = frozenset(member.id for member in self.scope)

    def go_back(self) -> None:
        """Take what the workflow before this one has decided: this one came to no result."""
        last = self.earlier.pop()
        self.workflow, self.flavour, self.decision, self.why = last.workflow, last.flavour, last.decision, last.why


def abort(reason: str, *, environment: bool = False) -> NoReturn:
    """End the workflow without a proposal."""
    raise Aborted(reason, environment=environment)
