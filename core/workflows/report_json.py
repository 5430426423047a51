# SPDX-License-Identifier: Apache-2.0
"""The report of a workflow for programs: the document of the headless contract, and additional fields."""

from collections.abc import Mapping
from typing import Any

from core.edits import to_json
from core.files import plain
from core.workflows.driver import Progress, in_work_tree
from core.workflows.outcomes import DeviceResult
from core.workflows.render import device_steps, diff_of, go_on
from core.workflows.report import CpuLine, WorkflowReport
from core.workflows.repro import Phase
from core.workflows.session import WorkflowSession

_DEVICE = ("id", "ending", "reason", "stage", "line")
"""Fields of a device result that the contract promises."""


def document(progress: Progress, yaml_diff: str, *, applies: bool = False) -> dict[str, Any]:
    """All of the report, including which edits are in the work tree; `applies`: whether writing was asked for."""
    case = progress.session.state.case
    report = progress.session.state.report or WorkflowReport()
    return {
        "id": case.id,
        "loader": case.loader,
        "pages": list(case.pages),
        "workflow": report.workflow,
        "chosen": report.chosen,
        "flavour": report.flavour,
        "decision": report.decision,
        "why": report.why,
        "earlier": [plain(one) for one in report.earlier],
        "cpu": [_cpu(line) for line in report.cpu],
        "loader_edit": _edit(progress.session, report),
        "reverted": list(report.tried),
        "scope": [member.id for member in report.scope],
        "states": dict(report.states),
        "reach": list(report.reach),
        "device": [_device(one) for one in report.device],
        "device_by": report.device_by or None,
        "ops": to_json(report.operations),
        "diff": yaml_diff,
        "needs_review": list(report.review),
        "aborted": report.aborted,
        "applied": progress.session.applied,
        "waiting": _waiting(progress, applies=applies),
    }


def _cpu(line: CpuLine) -> dict[str, Any]:
    one = line.repro
    phases = [_phase(phase) for phase in (one.low, one.full) if phase is not None]
    return {
        "id": one.id,
        "when": line.when,
        "run": one.run,
        "outcome": one.outcome,
        "summary": one.problem or one.summary,
        "phases": phases,
    }


def _phase(phase: Phase) -> dict[str, Any]:
    output = phase.output
    return {
        "dtype": phase.dtype,
        "ok": phase.ok,
        "step": phase.step or None,
        "error": phase.error or None,
        "inputs": [_leaf(leaf) for leaf in phase.inputs],
        "output": None if output is None else {"class": output.get("class"), "module": output.get("module")},
    }


def _device(one: DeviceResult) -> dict[str, Any]:
    return {name: value for name, value in one.to_fields().items() if name in _DEVICE}


def _leaf(leaf: Mapping[str, Any]) -> dict[str, Any]:
    return {name: leaf.get(name) for name in ("name", "dtype", "shape")}


def _edit(session: WorkflowSession, report: WorkflowReport) -> dict[str, Any] | None:
    if not report.edits:
        return None
    # With several edited files, name the loader's own: the line of the registry goes with it.
    registry = session.state.case.registry
    path, edit = min(report.edits.items(), key=lambda one: one[0] == registry)
    return {
        "path": path,
        "line": edit.line,
        "summary": edit.summary,
        "paths": list(report.edits),
        "in_work_tree": in_work_tree(session),
        "diff": diff_of(report),
    }


def _waiting(progress: Progress, *, applies: bool) -> dict[str, Any] | None:
    blocked = progress.blocked
    if blocked is None:
        return None
    question = blocked.question
    return {
        "why": blocked.why,
        "command": device_steps(progress) or None,
        "go_on": go_on(blocked, applies=applies) or None,
        "question": question.question if question else None,
        "choices": list(question.choices) if question else [],
    }
