# SPDX-License-Identifier: Apache-2.0
"""dtype-bfloat16: a training test fails in bfloat16 and not in float32 (docs/rules.md 7.2)."""

from collections.abc import Mapping

from core.base.text import sentence
from core.evidence import quotable
from core.workflows.case import Case
from core.workflows.conclusion import Refuted, Stage, unfixed
from core.workflows.loader_code.analysis import Symptom
from core.workflows.loader_code.edits import SourceEdit, dtype_candidates
from core.workflows.outcomes import DeviceResult
from core.workflows.report import WorkflowReport, abort
from core.workflows.repro import Repro
from core.workflows.requests import Steps
from core.workflows.signatures import CROSS_DTYPE, OP_NOT_IMPLEMENTED, dtype_flavour
from core.workflows.steps import (
    AFTER,
    broken,
    confirm,
    first_look,
    leave_failing,
    others_passing,
    put,
    reproduce,
    set_back,
    take_back,
)


def gate(reason: str) -> str:
    """Why this workflow does not take an entry with this reason; empty: it does."""
    if dtype_flavour(reason):
        return ""
    return (
        "This workflow only handles bfloat16 dtype-mismatch training failures. "
        f"The failing reason here is: {sentence(reason or '(none)')}"
    )


def dtype_bfloat16(case: Case, report: WorkflowReport) -> Steps[Stage]:
    """Reproduce in both dtypes; fix the tensor that ignores the override, where the loader makes it."""
    target = yield from first_look(case, report)
    report.flavour = _checked(target)
    confirmed = yield from confirm(case, report, target, lambda one: _flavour(one) == report.flavour)
    _flag_inference(case, report)
    if report.flavour == OP_NOT_IMPLEMENTED:
        report.decide(
            "expected-failure", "torch has no bfloat16 kernel for this operation: no loader edit can fix that"
        )
        return Stage(confirmed)
    edits, why = _sites(case, target)
    wrong = ""
    for path, edit in edits:
        others = others_passing(case, report, confirmed)
        yield from put(report, path, edit)
        after = yield from reproduce(report, [*confirmed, *others], AFTER, "after the edit")
        wrong = _wrong(report, after[case.id], confirmed[case.id]) or broken(report, others, after)
        if not wrong:
            return _after_edit(case, report, confirmed, after)
        yield from take_back(report, wrong)
    if why or not wrong:
        report.decide("no-fix-site", why)
    else:
        report.decide("wrong-fix-site", f"with the edit {wrong}, so it was reverted")
    return unfixed(report, confirmed)


def _wrong(report: WorkflowReport, after: Repro, before: Repro) -> str:
    """Why the edit does not fix this failure; empty: it does, or it uncovers the next one."""
    if after.low is None or dtype_flavour(after.low.error) == CROSS_DTYPE:
        return "the failure stayed the same"
    if set_back(after, before):
        return f"the loader itself failed: {quotable(after.low.error)}"
    if after.ok and (after.full is None or not after.full.ok):
        report.review.append(f"with the edit float32 fails: {after.full.error if after.full else after.summary}")
        return "float32 failed"
    return ""


def _after_edit(case: Case, report: WorkflowReport, before: dict[str, Repro], after: dict[str, Repro]) -> Stage:
    target = after[case.id]
    assert target.low is not None
    leave_failing(report, before, after, _mixes_dtypes)
    if target.ok:
        report.decide("fixed", "the edit fixes the CPU run; the device decides")
    else:
        report.decide("new-failure", f"the dtypes fit now, and another failure shows: {quotable(target.low.error)}")
    passing = frozenset(id for id in before if after[id].ok)

    def refuted(seen: Mapping[str, DeviceResult]) -> Refuted | None:
        if not any(dtype_flavour(one.reason) == CROSS_DTYPE for id, one in seen.items() if id in passing):
            return None
        return Refuted(
            "wrong-fix-site",
            "the device run still has the failure, so the edit was reverted",
            "the failure was still there on the device",
            ("with the edit CPU passes and the device does not: something else makes it float32",),
        )

    return Stage(after, before, report.kept, refuted=refuted)


def _mixes_dtypes(one: Repro) -> bool:
    return one.low is not None and dtype_flavour(one.low.error) == CROSS_DTYPE


def _checked(target: Repro) -> str:
    """The flavour of the failure; aborts in the rows of the decision table that do not go on."""
    low, full = target.low, target.full
    assert low is not None and full is not None
    if low.ok:
        abort(
            "The failure does not reproduce on CPU: the entry may be stale, or the environment differs. "
            "Run the test again first. Nothing was edited."
        )
    if "unpack" in (low.step, full.step):
        abort("unpack_forward_output fails too: use the workflow unpack-forward-output first.")
    flavour = dtype_flavour(low.error)
    if not flavour:
        abort(
            f"bfloat16 fails, but not due to a dtype mismatch: {low.error}. Use another workflow. Nothing was edited."
        )
    if not full.ok:
        abort(
            f"float32 fails too, so this is more than a dtype problem. bfloat16: {low.error} float32: {full.error} "
            "Nothing was edited."
        )
    return flavour


def _flavour(one: Repro) -> str:
    """The dtype failure of a repro, if it does not occur in float32."""
    shared = one.full is None or not one.full.ok
    return "" if one.low is None or one.ok or shared else dtype_flavour(one.low.error)


def _sites(case: Case, target: Repro) -> tuple[list[tuple[str, SourceEdit]], str]:
    """The edits to try in the loader, else in one that it descends from, and why no edit covers everything."""
    assert target.low is not None
    reasons: list[str] = []
    for path in case.loader_files:
        symptom = Symptom.of_phase(target.low.raw, target.low.traceback, path)
        edits, why = dtype_candidates(case.sources[path], symptom, variant=case.target.variant)
        if edits:
            return [(path, edit) for edit in edits], why
        reasons.append(why)
    return [], reasons[0] if reasons else "there is no loader file"


def _flag_inference(case: Case, report: WorkflowReport) -> None:
    for member in case.inference:
        if dtype_flavour(member.reason):
            report.review.append(f"inference entry {member.id} gives a bfloat16 reason and may be stale")
