# SPDX-License-Identifier: Apache-2.0
"""The table of workflows, and `auto`, which picks one of them. A new workflow is a file and a line here."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass

from core.evidence import stage_in
from core.model import BringupStatus
from core.workflows.case import Case
from core.workflows.effects import Steps
from core.workflows.engine import Workflow
from core.workflows.procedures import dtype_bfloat16, missing_inputs, unpack_forward_output
from core.workflows.report import WorkflowReport, abort
from core.workflows.repro import Phase, Repro
from core.workflows.signatures import dtype_flavour, inputs_flavour, unpack_flavour
from core.workflows.steps import first_look

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class WorkflowKind:
    """A workflow, and the failures it is for."""

    help: str
    """A line for people."""
    run: Workflow
    flavour_of: Callable[[str], str]
    """Returns the flavour of a failure text that belongs to this workflow; empty: none."""
    gate: Callable[[str], str] = lambda _: ""
    """Returns why an entry with this reason is rejected; empty: it is accepted."""
    shows: Callable[[Phase], str] = lambda _: ""
    """Returns the flavour of a failure that its text alone does not reveal; empty: none."""


WORKFLOWS: dict[str, WorkflowKind] = {
    "dtype-bfloat16": WorkflowKind(
        "bfloat16 tensors meet float32 ones, or an operation without a bfloat16 kernel",
        dtype_bfloat16.dtype_bfloat16,
        dtype_flavour,
        dtype_bfloat16.gate,
    ),
    "unpack-forward-output": WorkflowKind(
        "no handler says which tensor of the output training starts from",
        unpack_forward_output.unpack_forward_output,
        unpack_flavour,
    ),
    "missing-inputs": WorkflowKind(
        "training needs decoder inputs, detection targets or more than one image",
        missing_inputs.missing_inputs,
        inputs_flavour,
        missing_inputs.gate,
        missing_inputs.shown,
    ),
}


def workflow(name: str) -> Workflow:
    """The workflow of that name, including `auto`."""
    return _auto if name == AUTO else _named(name)


def _named(name: str) -> Workflow:
    kind = WORKFLOWS[name]

    def run(case: Case, report: WorkflowReport) -> Steps[None]:
        report.workflow, report.chosen = name, "asked for"
        # Before anything runs: the reason in the entry is enough to reject it.
        if refusal := kind.gate(case.target.reason):
            abort(refusal if case.target.reason else f"{refusal} Without --workflow, the CPU run picks one.")
        yield from kind.run(case, report)

    return run


def _auto(case: Case, report: WorkflowReport) -> Steps[None]:
    """Choose the workflow by the CPU failure; if the CPU passes, by the entry's reason."""
    target = yield from first_look(case, report)
    report.workflow, report.chosen = pick(case.target.reason, target)
    if not report.workflow:
        abort(report.chosen)
    yield from WORKFLOWS[report.workflow].run(case, report)


def pick(reason: str, target: Repro) -> tuple[str, str]:
    """The workflow for a failure, and why; an empty name if there is none."""
    live = target.low.error if target.low else ""
    shown = workflow_for(live) or (_shown(target.low) if target.low else "")
    said = workflow_for(reason)
    if shown:
        also = "as the entry says" if said == shown else f"although the entry's reason is: {reason or '(none)'}"
        return shown, f"its CPU repro fails with: {live.splitlines()[0]} ({also})"
    if not target.ok:
        return "", f"No workflow handles this failure: {live or target.summary}. Nothing was edited."
    if said:
        return said, f"the entry's reason is: {reason}; its CPU repro passes"
    return "", _passes_here(reason, target.id)


def _passes_here(reason: str, id: str) -> str:
    """The explanation if the CPU shows no failure that a workflow is for."""
    run = f"Run it on a device: `ttmatrix run {shlex.quote(id)} --kind device`. Nothing was edited."
    if not reason:
        return f"The test passes on CPU, and its entry gives no reason to go by. {run}"
    if stage_in(reason) not in (BringupStatus.FAILED_FE_COMPILATION, BringupStatus.UNKNOWN):
        return f"The test passes on CPU, and its entry's reason is a failure that only a device has: {reason}. {run}"
    return f"The test passes on CPU, and no workflow handles its entry's reason: {reason}. {run}"


def _shown(phase: Phase) -> str:
    """The workflow that a failure belongs to by everything that the repro shows; empty: none."""
    return next((name for name, kind in WORKFLOWS.items() if kind.shows(phase)), "")


def workflow_for(text: str) -> str:
    """The workflow that a failure text belongs to; empty: none."""
    return next((name for name, kind in WORKFLOWS.items() if kind.flavour_of(text)), "")
