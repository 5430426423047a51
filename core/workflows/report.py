# SPDX-License-Identifier: Apache-2.0
"""What a workflow has found out so far; at the end it is the report."""

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
    cpu: list[CpuLine] = field(default_factory=list)
    edits: dict[str, SourceEdit] = field(default_factory=dict)
    """Edits in place, by path relative to the checkout."""
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
    aborted: str | None = None
    environment: bool = False
    """Aborted because this machine cannot run the model."""

    def decide(self, decision: str, why: str) -> None:
        """Write down the row of the decision table."""
        self.decision, self.why = decision, why


def abort(reason: str, *, environment: bool = False) -> NoReturn:
    """End the workflow without a proposal."""
    raise Aborted(reason, environment=environment)
