# SPDX-License-Identifier: Apache-2.0
"""The steps that workflows have in common: reproduce, confirm the scope, edit, take back, verify, conclude."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from core.evidence import Ending, alike, quotable
from core.workflows.case import Case, CaseEntry
from core.workflows.effects import Ask, EditLoader, RevertLoader, RunCpu, RunDevice, Steps
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.outcomes import DeviceResult, expected_failure, operations, wanted
from core.workflows.report import CpuLine, WorkflowReport, abort
from core.workflows.repro import Repro

BEFORE, AFTER = "before", "after"

_ORDER = ("import", "load_model", "load_inputs", "forward", "unpack", "backward")
_RAN = frozenset({Ending.PASSED, Ending.INACCURATE})


def reproduce(report: WorkflowReport, ids: Iterable[str], when: str, why: str) -> Steps[dict[str, Repro]]:
    """Run CPU repros, by id. Before the edit, tests that were run already are not run again."""
    known = {line.repro.id: line.repro for line in report.cpu if line.when == BEFORE} if when == BEFORE else {}
    wanted_ids = tuple(dict.fromkeys(ids))
    missing = tuple(id for id in wanted_ids if id not in known)
    if missing:
        raw = yield RunCpu(missing, why)
        found = [Repro.of(one) for one in raw]
        report.cpu += [CpuLine(when, one) for one in found]
        known |= {one.id: one for one in found}
    return {id: known[id] for id in wanted_ids}


def first_look(case: Case, report: WorkflowReport) -> Steps[Repro]:
    """The CPU repro of the target before any edit; aborts if it produced no result."""
    one = (yield from reproduce(report, [case.id], BEFORE, "as it is"))[case.id]
    if one.problem:
        abort(f"This machine cannot run the model: {one.problem}", environment=True)
    if one.low is None or one.full is None:
        abort(f"The CPU repro came to no result: {one.outcome}: {one.summary}. Nothing was edited.")
    return one


def confirm(
    case: Case,
    report: WorkflowReport,
    target: Repro,
    fits: Callable[[Repro], bool],
    members: Sequence[CaseEntry] | None = None,
) -> Steps[dict[str, Repro]]:
    """The members that fail as the target does, each shown by its own CPU repro; they become the scope."""
    candidates = case.scope if members is None else members
    others = [member for member in candidates if member.id != case.id]
    repros = yield from reproduce(report, [member.id for member in others], BEFORE, "what else an edit may change")
    confirmed = {case.id: target}
    for member in others:
        one = repros[member.id]
        if fits(one):
            confirmed[member.id] = one
        elif one.ok:
            report.states[member.id] = "unchanged: passes on CPU as it is"
        else:
            report.states[member.id] = "unchanged: fails differently, or could not be run"
            report.review.append(f"{member.id} was left out: {one.problem or one.summary or one.outcome}")
    report.scope = [member for member in (case.target, *others) if member.id in confirmed]
    return confirmed


def set_back(after: Repro, before: Repro) -> bool:
    """Whether a model gets less far than before: then the edit is wrong."""
    if after.low is None or before.low is None or after.ok or before.ok:
        return False
    return _ORDER.index(after.low.step) < _ORDER.index(before.low.step)


def others_passing(case: Case, report: WorkflowReport) -> list[str]:
    """The other tests of the same code that pass without the edit: they must pass with it."""
    passed = {line.repro.id for line in report.cpu if line.when == BEFORE and line.repro.ok}
    mine = {member.id for member in report.scope}
    return [member.id for member in case.scope if member.id in passed - mine]


def broken(report: WorkflowReport, ids: Iterable[str], after: Mapping[str, Repro]) -> str:
    """Which of `ids` fail with the edit, as part of a sentence; empty: none."""
    lost = [id for id in ids if not after[id].ok]
    report.review += [f"the edit breaks {id}: {after[id].summary or after[id].outcome}" for id in lost]
    return f"{', '.join(lost)} failed, which passed before" if lost else ""


def put(report: WorkflowReport, path: str, edit: SourceEdit) -> Steps[None]:
    """Make an edit."""
    yield EditLoader(path, edit)
    report.edits[path] = edit


def take_back(report: WorkflowReport, why: str) -> Steps[None]:
    """Revert every edit that is in place."""
    for path, edit in reversed(tuple(report.edits.items())):
        yield RevertLoader(path, edit)
        del report.edits[path]
        report.tried.append(f"{path}:{edit.line}: {edit.summary}: {why}")


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


def expect_failures(report: WorkflowReport, errors: Mapping[str, str]) -> Steps[None]:
    """The end of a workflow that fixes nothing: tests that fail on CPU are expected to fail, by `errors` of each id."""
    seen = yield from on_device(report, (), errors)
    conclude(report, seen, (), errors)


def unfixed(report: WorkflowReport, errors: Mapping[str, str], *, verify: bool = True) -> Steps[None]:
    """The end of a workflow that could not fix its failure: nothing is decided until a person says so.

    `verify`: whether a device run may still confirm `errors`.
    """
    choices = (
        "the failure is to be expected: KNOWN_FAILURE_XFAIL with its error, the loader stays as it is",
        "the entry stays as it is: the loader has to be fixed by hand",
    )
    number: int = yield Ask(f"The failure is not fixed: {report.why}. What should the entry say?", choices)
    if number != 1:
        abort(f"The failure is not fixed: {report.why}. The entry stays as it is.")
    if verify:
        yield from expect_failures(report, errors)
    else:
        conclude(report, {}, (), errors)


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


def _write(report: WorkflowReport, member: CaseEntry, fields: Mapping[str, object], why: str) -> None:
    report.operations += operations(member, fields)
    report.states[member.id] = f"{fields['status']}: {why}"
    if member.shadowed:
        archs = ", ".join(member.shadowed)
        report.review.append(f"{member.id} overrides what is written here for {archs}")
