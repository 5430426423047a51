# SPDX-License-Identifier: Apache-2.0
"""The table of workflows, and `auto`, which picks one of them. A new workflow is a file and a line here."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.domain.model import BringupStatus
from core.evidence import stage_in
from core.runs.store import Phase
from core.workflows.case import Case
from core.workflows.conclusion import Fix, Stage, finish
from core.workflows.engine import Workflow
from core.workflows.procedures import dtype_bfloat16, missing_inputs, unpack_forward_output
from core.workflows.report import Aborted, WorkflowReport, abort
from core.workflows.repro import Repro
from core.workflows.requests import Steps
from core.workflows.signatures import dtype_flavour, inputs_flavour, unpack_flavour
from core.workflows.steps import first_look, take_back

AUTO = "auto"
_UNPACK, _DTYPE = "unpack-forward-output", "dtype-bfloat16"


@dataclass(frozen=True, slots=True)
class WorkflowKind:
    """A workflow, and the failures it is for."""

    help: str
    """A line for people."""
    fix: Fix
    flavour_of: Callable[[str], str]
    """Returns the flavour of a failure text that belongs to this workflow; empty: none."""
    gate: Callable[[str], str] = lambda _: ""
    """Returns why an entry with this reason is rejected; empty: it is accepted."""
    shows: Callable[[Phase], str] = lambda _: ""
    """Returns the flavour of a failure that its text alone does not reveal; empty: none."""


WORKFLOWS: dict[str, WorkflowKind] = {
    _DTYPE: WorkflowKind(
        "bfloat16 tensors meet float32 ones, or an operation without a bfloat16 kernel",
        dtype_bfloat16.dtype_bfloat16,
        dtype_flavour,
        dtype_bfloat16.gate,
    ),
    _UNPACK: WorkflowKind(
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
        first = name
        if name == _DTYPE and _unpacks_first((yield from first_look(case, report))):
            first, report.chosen = _UNPACK, f"it comes before {name}: float32 fails to unpack the output"
        yield from _in_order(case, report, first)

    return run


def _auto(case: Case, report: WorkflowReport) -> Steps[None]:
    """Choose the workflow by the CPU failure; if the CPU passes, by the entry's reason."""
    target = yield from first_look(case, report)
    report.workflow, report.chosen = pick(case.target.reason, target)
    if not report.workflow:
        abort(report.chosen)
    yield from _in_order(case, report, report.workflow)


def _in_order(case: Case, report: WorkflowReport, first: str) -> Steps[None]:
    """One workflow after the other, each on what the one before has left, while each uncovers the next; one result."""
    report.workflow = first
    stages = [(yield from WORKFLOWS[first].fix(case, report))]
    done = {first}
    while (name := _next(case, report, stages[-1])) not in ("", *done):
        done.add(name)
        edited = replace(case, sources={**case.sources, **{path: one.after for path, one in report.edits.items()}})
        stage = yield from _followed(edited, report, name, stages[-1].after)
        if stage is None:
            break
        stages.append(stage)
    _name_next_of_others(case, report, stages)
    yield from finish(report, stages)


def _name_next_of_others(case: Case, report: WorkflowReport, stages: Sequence[Stage]) -> None:
    """Flag the other entries for which an edit has uncovered a failure that has a workflow of its own."""
    last = {id: one for stage in stages if stage.before for id, one in stage.after.items()}
    for member in report.scope:
        one = last.get(member.id)
        if one is not None and not one.ok and member.id != case.id and (name := _for_failure(one)):
            report.review.append(f"{member.id} now fails where {name} helps: triage it next")


def _next(case: Case, report: WorkflowReport, stage: Stage) -> str:
    """The workflow for the failure that an edit has uncovered; empty: there is none."""
    target = stage.after.get(case.id)
    uncovered = bool(stage.before) and report.edits != stage.kept and target is not None and not target.ok
    return _for_failure(target) if uncovered and target is not None else ""


def _followed(case: Case, report: WorkflowReport, name: str, found: Mapping[str, Repro]) -> Steps[Stage | None]:
    """The next workflow; None if it comes to no result, in which case everything is as it was before it."""
    report.go_on(name, "the edit before it uncovered this failure", found)
    scope, states, review = list(report.scope), dict(report.states), list(report.review)
    try:
        return (yield from WORKFLOWS[name].fix(case, report))
    except Aborted as aborted:
        yield from take_back(report, "the workflow came to no result")
        report.scope, report.states, report.review = scope, states, review
        report.go_back()
        report.review.append(f"{name} follows, and came to no result: {aborted}")
        return None


def pick(reason: str, target: Repro) -> tuple[str, str]:
    """The workflow for a failure, and why; an empty name if there is none."""
    live = target.low.error if target.low else ""
    shown = _for_failure(target)
    said = workflow_for(reason)
    if shown:
        also = "as the entry says" if said == shown else f"although the entry's reason is: {reason or '(none)'}"
        if _unpacks_first(target) and target.full is not None:
            also = f"float32 fails with: {target.full.error.splitlines()[0]}, which comes first"
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


def _for_failure(target: Repro) -> str:
    """The workflow for what a CPU repro shows; empty: none."""
    if _unpacks_first(target):
        return _UNPACK
    return workflow_for(target.low.error) or _shown(target.low) if target.low else ""


def _unpacks_first(target: Repro) -> bool:
    """Whether the dtypes fail beside the output: without a backward in float32 nothing can be said about dtypes."""
    low, full = target.low, target.full
    return bool(low and full and dtype_flavour(low.error) and full.step == "unpack")


def _shown(phase: Phase) -> str:
    """The workflow that a failure belongs to by everything that the repro shows; empty: none."""
    return next((name for name, kind in WORKFLOWS.items() if kind.shows(phase)), "")


def workflow_for(text: str) -> str:
    """The workflow that a failure text belongs to; empty: none."""
    return next((name for name, kind in WORKFLOWS.items() if kind.flavour_of(text)), "")
