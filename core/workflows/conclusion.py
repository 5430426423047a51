# SPDX-License-Identifier: Apache-2.0
"""The end of workflows: run on a device, and decide each entry of the scope once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.domain.model import Status
from core.evidence import Ending, alike, quotable
from core.workflows.case import Case, CaseEntry
from core.workflows.engine import Workflow
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.outcomes import DeviceResult, expected_failure, operations, wanted
from core.workflows.report import WorkflowReport
from core.workflows.repro import Repro
from core.workflows.requests import RunDevice, Steps
from core.workflows.steps import take_back

_RAN = frozenset({Ending.PASSED, Ending.INACCURATE})


@dataclass(frozen=True, slots=True)
class Refuted:
    """Why a device shows that an edit is wrong."""

    decision: str
    why: str
    revert: str
    """Why it is taken back, for the list of edits that were tried."""
    review: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """What a workflow has come to on the CPU. The device and the entries follow after the last one."""

    after: Mapping[str, Repro]
    """Repros of its scope on the code as it is now: what fails there is expected to fail."""
    before: Mapping[str, Repro] = field(default_factory=dict)
    """The same before its edit; empty: it has made none."""
    kept: Mapping[str, SourceEdit] = field(default_factory=dict)
    """The edits that were in place before it."""
    inference: tuple[str, ...] = ()
    """Tests that run along on the device."""
    refuted: Callable[[Mapping[str, DeviceResult]], Refuted | None] = lambda _: None
    """What the results of a device say against its edit."""


Fix: TypeAlias = Callable[[Case, WorkflowReport], Steps[Stage]]
"""A workflow up to the device."""


def alone(fix: Fix) -> Workflow:
    """A workflow that no other one follows."""

    def run(case: Case, report: WorkflowReport) -> Steps[None]:
        yield from finish(report, [(yield from fix(case, report))])

    return run


def unfixed(report: WorkflowReport, confirmed: Mapping[str, Repro]) -> Stage:
    """A failure that could not be fixed is expected, by its error as it is; the loader is flagged for review."""
    report.review.append(f"not fixed: {report.why}: the entry gets its error, the loader has to be fixed by hand")
    return Stage(confirmed)


def finish(report: WorkflowReport, stages: Sequence[Stage]) -> Steps[None]:
    """Run all that was decided on a device, in one invocation, and decide each entry by what that shows."""
    errors = _errors(report, stages)
    passing = [member.id for member in report.scope if member.id not in errors]
    inference = [id for stage in stages for id in stage.inference]
    seen = yield from on_device(report, passing, errors, inference)
    for number, stage in enumerate(stages):
        if (found := stage.refuted(seen)) is not None:
            yield from _without(report, stage, found)
            errors = _errors(report, [*stages[:number], Stage(stage.before)])
            passing = [member.id for member in report.scope if member.id not in errors]
            conclude(report, {id: seen[id] for id in passing if id in seen}, passing, errors)
            return
    conclude(report, seen, passing, errors)
    for id in inference:
        if id in seen:
            report.states[id] = f"inference, unchanged: {seen[id].ending.words}"


def _without(report: WorkflowReport, stage: Stage, found: Refuted) -> Steps[None]:
    report.decide(found.decision, found.why)
    report.review += found.review
    report.kept = dict(stage.kept)
    yield from take_back(report, found.revert)


def _errors(report: WorkflowReport, stages: Sequence[Stage]) -> dict[str, str]:
    """The errors of the members that fail, each as the last workflow that ran it has seen it."""
    last = {id: one for stage in stages for id, one in stage.after.items()}
    found = ((member.id, last.get(member.id)) for member in report.scope)
    return {id: one.low.error for id, one in found if one is not None and one.low is not None and not one.ok}


def on_device(
    report: WorkflowReport, passing: Iterable[str], errors: Iterable[str] = (), extra: Iterable[str] = ()
) -> Steps[dict[str, DeviceResult]]:
    """Run the affected tests in one invocation, and return the result of each.

    For the entries `passing`, which now pass on CPU, only a device can decide. For `errors`, which the CPU shows to
    fail before anything is compiled, a device run only confirms and may be missing. `extra` tests run along.
    """
    decisive = tuple(dict.fromkeys(passing))
    ids = tuple(dict.fromkeys([*decisive, *errors, *(extra if decisive else ())]))
    if not ids:
        return {}
    raw = yield RunDevice(ids, bool(decisive))
    if raw is None:
        report.unverified = True
        return {}
    found = [DeviceResult.of(one) for one in raw]
    report.device += found
    report.device_by = next((one["by"] for one in raw if one.get("by")), "")
    return {one.id: one for one in found}


def conclude(
    report: WorkflowReport, seen: Mapping[str, DeviceResult], passing: Iterable[str], errors: Mapping[str, str]
) -> None:
    """Decide every entry of the scope once: by its device result, else by its CPU error."""
    decisive = frozenset(passing)
    for member in report.scope:
        if member.id in decisive:
            _conclude(report, member, seen.get(member.id, DeviceResult(member.id, Ending.NOT_RUN)))
        elif member.id in errors:
            _expect_failure(report, member, errors[member.id], seen.get(member.id))


def _expect_failure(report: WorkflowReport, member: CaseEntry, error: str, shown: DeviceResult | None) -> None:
    """A device result outweighs the CPU, except for a pass: a person has to look at that."""
    reason, fields = quotable(error), expected_failure(error)
    if not fields:
        report.states[member.id] = "unchanged: fails on CPU, and nothing in its output is a reason"
        report.review.append(f"{member.id} fails on CPU, and nothing in its output is a reason: see its log")
    elif shown is None or (shown.ending is Ending.FAILED and _says(shown, reason)):
        _write(report, member, fields, f"expected to fail: {reason}")
    elif shown.ending in _RAN:
        report.states[member.id] = "unchanged: fails on CPU, passes on the device"
        report.review.append(f"{member.id} passes on the device although its CPU run fails")
    else:
        report.review.append(f"{member.id} fails differently on the device")
        _conclude(report, member, shown)


def _says(shown: DeviceResult, reason: str) -> bool:
    return reason.rstrip("…") in shown.reason or alike(reason, shown.result.reason)


def _conclude(report: WorkflowReport, member: CaseEntry, shown: DeviceResult) -> None:
    # The entry's reason no longer applies: the CPU has shown a pass, or a different failure.
    found = wanted(shown, stage_is_stale=True)
    if found.fields is None:
        report.states[member.id] = f"unchanged: {found.why}"
        report.review.append(f"{member.id} {found.why}")
    else:
        _write(report, member, found.fields, found.why)


_DEPARTS = "departs from the procedure, which leaves no decided entry at SKIP: a dead process can report no xfail"


def _write(report: WorkflowReport, member: CaseEntry, fields: Mapping[str, object], why: str) -> None:
    report.operations += operations(member, fields)
    report.states[member.id] = f"{fields['status']}: {why}"
    if fields["status"] == Status.NOT_SUPPORTED_SKIP:
        report.review.append(f"{member.id}: {fields['status']} {_DEPARTS}")
    if member.shadowed:
        archs = ", ".join(member.shadowed)
        report.review.append(f"{member.id} overrides what is written here for {archs}")
