# SPDX-License-Identifier: Apache-2.0
"""The report of a workflow for programs: the document of the headless contract, and additional fields."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from core.base.files import plain
from core.cli import records
from core.edits import to_json
from core.runs.store import Phase
from core.workflows import (
    CpuLine,
    DeviceResult,
    Progress,
    WorkflowReport,
    WorkflowSession,
    device_steps,
    diff_of,
    go_on,
    in_work_tree,
)


def report_record(progress: Progress, yaml_diff: str, *, applies: bool = False) -> records.WorkflowReport:
    """All of the report, including which edits are in the work tree; `applies`: whether writing was asked for."""
    case = progress.session.state.case
    report = progress.session.state.report or WorkflowReport()
    return records.WorkflowReport(
        id=case.id,
        loader=case.loader,
        pages=case.pages,
        workflow=report.workflow,
        chosen=report.chosen,
        flavour=report.flavour,
        decision=report.decision,
        why=report.why,
        earlier=[records.EarlierReport(**plain(one)) for one in report.earlier],
        cpu=[_cpu(line) for line in report.cpu],
        loader_edit=_edit(progress.session, report),
        reverted=list(report.tried),
        scope=[member.id for member in report.scope],
        states=dict(report.states),
        reach=report.reach,
        device=[device_record(one) for one in report.device],
        device_by=report.device_by or None,
        ops=to_json(report.operations),
        diff=yaml_diff,
        needs_review=report.review,
        aborted=report.aborted,
        applied=progress.session.applied,
        waiting=_waiting(progress, applies=applies),
    )


def device_record(one: DeviceResult) -> records.DeviceResult:
    """What a test did on a device, as JSON."""
    line = UNSET if one.line is None else one.line
    return records.DeviceResult(id=one.id, ending=one.ending, reason=one.reason, stage=one.stage, line=line)


def _cpu(line: CpuLine) -> records.CpuRepro:
    one = line.repro
    return records.CpuRepro(
        id=one.id,
        when=line.when,
        run=one.run,
        outcome=one.outcome,
        summary=one.problem or one.summary,
        phases=[_phase(phase) for phase in (one.low, one.full) if phase is not None],
    )


def _phase(phase: Phase) -> records.CpuPhase:
    output = phase.output
    return records.CpuPhase(
        dtype=phase.dtype,
        ok=phase.ok,
        step=phase.step or None,
        error=phase.error or None,
        inputs=[_leaf(leaf) for leaf in phase.inputs],
        output=None if output is None else records.CpuOutput(class_=output.get("class"), module=output.get("module")),
    )


def _leaf(leaf: Mapping[str, Any]) -> records.CpuLeaf:
    return records.CpuLeaf(name=leaf.get("name"), dtype=leaf.get("dtype"), shape=leaf.get("shape"))


def _edit(session: WorkflowSession, report: WorkflowReport) -> records.WorkflowEdit | None:
    if not report.edits:
        return None
    # With several edited files, name the loader's own: the line of the registry goes with it.
    registry = session.state.case.registry
    path, edit = min(report.edits.items(), key=lambda one: one[0] == registry)
    return records.WorkflowEdit(
        path=path,
        line=edit.line,
        summary=edit.summary,
        paths=list(report.edits),
        in_work_tree=in_work_tree(session),
        diff=diff_of(report),
    )


def _waiting(progress: Progress, *, applies: bool) -> records.Waiting | None:
    blocked = progress.blocked
    if blocked is None:
        return None
    question = blocked.question
    return records.Waiting(
        why=blocked.why,
        command=device_steps(progress) or None,
        go_on=go_on(blocked, applies=applies) or None,
        question=question.question if question else None,
        choices=question.choices if question else (),
    )
