# SPDX-License-Identifier: Apache-2.0
"""missing-inputs: training needs an input, or a batch, that `load_inputs` does not return (docs/rules.md 7.2)."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from core.base.text import sentence
from core.domain.model import Status
from core.evidence import FAILURES, Ending, quotable
from core.runs.store import Phase
from core.workflows.case import Case
from core.workflows.conclusion import Refuted, Stage, unfixed
from core.workflows.loader_code import Start
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit, batch_of_two, decoder_inputs, detection_targets
from core.workflows.outcomes import DeviceResult
from core.workflows.report import WorkflowReport, abort
from core.workflows.repro import Repro
from core.workflows.requests import Steps
from core.workflows.signatures import BN_SINGLE_VALUE, DECODER_INPUTS, MISSING_TARGETS, asks_for_tokens, inputs_flavour
from core.workflows.steps import (
    AFTER,
    BEFORE,
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

_DECODER_IDS = "decoder_input_ids"
_Make: TypeAlias = Callable[[str, Phase, str, Start | None, bool], SourceEdit | NoSite]

_EDITS: Mapping[str, _Make] = {
    DECODER_INPUTS: lambda source, phase, variant, start, alone: decoder_inputs(
        source, phase.inputs, phase.forward_parameters, start=start, variant=variant, alone=alone
    ),
    MISSING_TARGETS: lambda source, phase, variant, _, alone: detection_targets(
        source, phase.inputs, phase.forward_parameters, variant=variant, alone=alone
    ),
    BN_SINGLE_VALUE: lambda source, phase, variant, _, alone: batch_of_two(
        source, phase.inputs, variant=variant, alone=alone
    ),
}


def gate(reason: str) -> str:
    """Why this workflow does not take an entry with this reason; empty: it does."""
    if inputs_flavour(reason) or asks_for_tokens(reason):
        return ""
    return (
        "This workflow only handles training failures by missing inputs: decoder inputs, detection targets, or a "
        f"batch of one in batch normalisation. The failing reason here is: {sentence(reason or '(none)')}"
    )


def missing_inputs(case: Case, report: WorkflowReport) -> Steps[Stage]:
    """Add the missing inputs; revert that if inference stops working."""
    target = yield from first_look(case, report)
    report.flavour = _checked(target)
    confirmed = yield from confirm(case, report, target, lambda one: _flavour(one) == report.flavour)
    path, edits, why = _edits(case, report.flavour, target, confirmed)
    if not edits:
        report.decide("no-edit", f"no edit of {path} could be worked out: {why}")
        return unfixed(report, confirmed)
    inference = [f"{id.removesuffix('training')}inference" for id in confirmed]
    others = others_passing(case, report, confirmed)
    working = yield from reproduce(report, inference, BEFORE, "inference as it is")
    for edit in edits:
        yield from put(report, path, edit)
        after = yield from reproduce(report, [*confirmed, *inference, *others], AFTER, "after the edit")
        failing = [id for id in inference if working[id].ok and not after[id].ok]
        wrong = _wrong(report, after, confirmed[case.id], others, failing)
        if wrong is None:
            return _after_edit(case, report, confirmed, after)
        report.decide(wrong.decision, wrong.why)
        report.review += wrong.review
        yield from take_back(report, wrong.revert)
    return unfixed(report, confirmed)


def _wrong(
    report: WorkflowReport, after: Mapping[str, Repro], before: Repro, others: list[str], failing: list[str]
) -> Refuted | None:
    """What the CPU says against the edit; `failing`: inference that worked before."""
    if failing:
        return _regressed(failing, "on CPU")
    if lost := broken(report, others, after):
        return Refuted("other-variants", f"with the edit {lost}, so it was reverted", lost)
    if useless := _without_effect(report, after[before.id], before):
        return Refuted("edit-without-effect", f"with the edit {useless}, so it was reverted", useless)
    return None


def _without_effect(report: WorkflowReport, after: Repro, before: Repro) -> str:
    if after.low is None or _flavour(after) == report.flavour:
        return "the failure stayed the same"
    return f"the loader itself failed: {quotable(after.low.error)}" if set_back(after, before) else ""


def _after_edit(case: Case, report: WorkflowReport, before: dict[str, Repro], after: dict[str, Repro]) -> Stage:
    target = after[case.id]
    assert target.low is not None
    leave_failing(report, before, after, lambda one: _flavour(one) == report.flavour)
    if target.ok:
        report.decide("fixed", "with the edit training runs on CPU; the device decides")
    else:
        report.decide("new-failure", f"the inputs are there now, and it fails with: {quotable(target.low.error)}")
    expected = tuple(one.id for one in case.inference if one.status == Status.EXPECTED_PASSING and one.id in after)

    def refuted(seen: Mapping[str, DeviceResult]) -> Refuted | None:
        bad = FAILURES - {Ending.INACCURATE}
        failing = [id for id in expected if id in seen and seen[id].ending in bad]
        return _regressed(failing, "on the device") if failing else None

    return Stage(after, before, report.kept, expected, refuted)


def _regressed(broken: list[str], where: str) -> Refuted:
    why = f"with the edit inference fails {where}, so it was reverted"
    review = tuple(f"{id} fails {where} with the edit" for id in broken)
    return Refuted("inference-regression", why, f"inference failed {where}", review)


def _checked(target: Repro) -> str:
    """The flavour of the failure; aborts in the rows of the decision table that do not go on."""
    low = target.low
    assert low is not None
    if low.ok:
        abort(
            "The failure does not reproduce on CPU: the entry may be stale, or the environment differs. "
            "Run the test again first. Nothing was edited."
        )
    if low.step == "unpack":
        abort("unpack_forward_output fails: use the workflow unpack-forward-output first.")
    flavour = shown(low)
    if not flavour:
        abort(f"Training fails, but not due to a missing input: {low.error}. Use another workflow. Nothing was edited.")
    return flavour


def shown(phase: Phase) -> str:
    """The flavour of the failure of a phase; empty: no input is missing.

    Where encoder and decoder ask for tokens in the same words, it is the decoder that was given none.
    """
    if flavour := inputs_flavour(phase.error):
        return flavour
    given = {str(one["name"]) for one in phase.inputs}
    takes = _DECODER_IDS in phase.forward_parameters
    return DECODER_INPUTS if takes and _DECODER_IDS not in given and asks_for_tokens(phase.error) else ""


def _flavour(one: Repro) -> str:
    return shown(one.low) if one.low is not None else ""


def _edits(
    case: Case, flavour: str, target: Repro, confirmed: Mapping[str, Repro]
) -> tuple[str, list[SourceEdit], str]:
    """The edits to try in the loader, else in a loader that it descends from, and why there is none.

    First with the returns of other variants, then without these.
    """
    assert target.low is not None
    make, variant, start = _EDITS[flavour], case.target.variant, _start(target.low, confirmed)
    reasons: dict[str, str] = {}
    for path in case.loader_files:
        made = [make(case.sources[path], target.low, variant, start, alone) for alone in (False, True)]
        found = {one.after: one for one in made if isinstance(one, SourceEdit)}
        if found:
            return path, list(found.values()), ""
        reasons[path] = next(one.reason for one in made if isinstance(one, NoSite))
    path = next(iter(reasons), case.loader)
    return path, [], reasons.get(path, "there is no loader file")


def _start(phase: Phase, confirmed: Mapping[str, Repro]) -> Start | None:
    """The start token of decoders; None as token unless it is the same for all variants that the edit is for."""
    start = phase.decoder_start
    if start is None:
        return None
    all_starts = [one.low.decoder_start for one in confirmed.values() if one.low is not None]
    same = all(one == start for one in all_starts)
    return Start(str(start["holder"]), int(start["token"]) if same else None)
