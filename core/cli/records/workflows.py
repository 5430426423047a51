# SPDX-License-Identifier: Apache-2.0
"""What workflows print."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType, field

from core.base.files import As, Record
from core.cli.records.operations import Operation
from core.cli.records.runs import Run
from core.evidence import Ending


class DeviceResult(Record):
    """What a test did on a device."""

    id: str
    ending: Ending
    reason: str
    stage: str
    line: str | UnsetType = UNSET


class DemoWalk(Record):
    """The whole job, done once on the sample."""

    directory: str
    id: str
    run: Run
    command: str
    device: Sequence[DeviceResult]
    device_by: str | None
    decision: str
    diff: str
    commit: str


class EarlierReport(Record):
    """A workflow before this one."""

    workflow: str
    flavour: str
    decision: str
    why: str


class CpuLeaf(Record):
    """A tensor, or another value, that goes into a model."""

    name: object
    dtype: object
    shape: object


class CpuOutput(Record):
    """What forward gave."""

    class_: str | None = field(name="class")
    module: str | None


class CpuPhase(Record):
    """One phase of a CPU repro."""

    dtype: str
    ok: bool
    step: str | None
    error: str | None
    inputs: Sequence[CpuLeaf]
    output: CpuOutput | None


class CpuRepro(Record):
    """A CPU repro."""

    id: str
    when: str
    """before or after the edit."""
    run: str
    outcome: str
    summary: str
    phases: Sequence[CpuPhase]


class WorkflowEdit(Record):
    """The edit of the loader."""

    path: str
    line: int
    summary: str
    paths: Sequence[str]
    in_work_tree: bool
    diff: str


class Waiting(Record):
    """What a person must do."""

    why: str
    command: str | None
    go_on: str | None
    question: str | None
    choices: Sequence[str]


class WorkflowReport(Record):
    """What a workflow found and proposes."""

    id: str
    loader: str
    pages: Sequence[str]
    """Web pages of what the loader downloads for this variant, the model's own first."""
    workflow: str
    """Empty: none was chosen."""
    chosen: str
    """Why that workflow."""
    flavour: str
    decision: str
    """Empty: none yet."""
    why: str
    earlier: Sequence[EarlierReport]
    """The workflows before this one, whose edits are a part of the same edit."""
    cpu: Sequence[CpuRepro]
    loader_edit: WorkflowEdit | None
    reverted: Sequence[str]
    """Edits that did not help."""
    scope: Sequence[str]
    """Ids decided together."""
    states: Mapping[str, str]
    """By id."""
    reach: Sequence[str]
    """What else the edit may affect."""
    device: Sequence[DeviceResult]
    device_by: str | None
    """What has run instead of a device."""
    ops: Sequence[Operation]
    diff: str
    needs_review: Sequence[str]
    aborted: str | None
    applied: bool
    waiting: Waiting | None
    """What a person must do."""


class OpenWorkflow(Record):
    """A workflow that is open."""

    id: str
    state: Annotated[str, As(Literal["asks", "needs a device", "stopped", "ready", "aborted"])]
    workflow: str
    decision: str
    """Empty: none yet."""
    aborted: str | None
    question: str | None
    """`triage ID --choose N` answers it."""
    choices: Sequence[str]
    directory: str
    """Where the session is stored."""


class CheckedLoader(Record):
    """What the hooks of the submodule say of an edited loader, which is left as the edit made it."""

    path: str
    passed: bool
    said: str
    """The output of pre-commit."""
    diff: str
    """What the hooks would change; empty: nothing."""
