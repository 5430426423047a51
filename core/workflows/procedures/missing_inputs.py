# SPDX-License-Identifier: Apache-2.0
"""missing-inputs: training needs an input, or a batch, that `load_inputs` does not return (docs/rules.md 7.2)."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from core.evidence import FAILURES, Ending, quotable
from core.model import Status
from core.text import sentence
from core.workflows.case import Case
from core.workflows.effects import Steps
from core.workflows.loader_code import Start
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit, batch_of_two, decoder_inputs, detection_targets
from core.workflows.report import WorkflowReport, abort
from core.workflows.repro import Phase, Repro
from core.workflows.signatures import BN_SINGLE_VALUE, DECODER_INPUTS, MISSING_TARGETS, asks_for_tokens, inputs_flavour
from core.workflows.steps import (
    AFTER,
    BEFORE,
    broken,
    conclude,
    confirm,
    first_look,
    on_device,
    others_passing,
    put,
    reproduce,
    set_back,
    take_back,
    unfixed,
)

_DECODER_IDS = "decoder_input_ids"
_Make: TypeAlias = Callable[[str, Phase, str, Start | None], SourceEdit | NoSite]

_EDITS: Mapping[str, _Make] = {
    DECODER_INPUTS: lambda source, phase, variant, start: decoder_inputs(
        source, phase.inputs, phase.forward_parameters, start=start, variant=variant
    ),
    MISSING_TARGETS: lambda source, phase, variant, _: detection_targets(
        source, phase.inputs, phase.forward_parameters, variant=variant
    ),
    BN_SINGLE_VALUE: lambda source, phase, variant, _: batch_of_two(source, phase.inputs, variant=variant),
}


def gate(reason: str) -> str:
    """Why this workflow does not take an entry with this reason; empty: it does."""
    if inputs_flavour(reason) or asks_for_tokens(reason):
        return ""
    return (
        "This workflow only handles training failures by missing inputs: decoder inputs, detection targets, or a "
        f"batch of one in batch normalisation. The failing reason here is: {sentence(reason or '(none)')}"
    )


def missing_inputs(case: Case, report: WorkflowReport) -> Steps[None]:
    """Add the missing inputs; revert that if inference stops working."""
    target = yield from first_look(case, report)
    report.flavour = _checked(target)
    confirmed = yield from confirm(case, report, target, lambda one: _flavour(one) == report.flavour)
    path, edit = _edit(case, report.flavour, target, confirmed)
    if isinstance(edit, NoSite):
        report.decide("no-edit", f"no edit of {path} could be worked out: {edit.reason}")
        yield from unfixed(report, _errors(confirmed))
        return
    inference = _inference(case, report)
    others = others_passing(case, report)
    working = yield from reproduce(report, inference, BEFORE, "inference as it is")
    yield from put(report, path, edit)
    after = yield from reproduce(report, [*confirmed, *inference, *others], AFTER, "after the edit")
    if failing := [id for id in inference if working[id].ok and not after[id].ok]:
        yield from _regressed(report, confirmed, failing, "on CPU")
        return
    if lost := broken(report, others, after):
        report.decide("other-variants", f"with the edit {lost}, so it was reverted")
        yield from take_back(report, lost)
        yield from unfixed(report, _errors(confirmed))
        return
    yield from _after_edit(case, report, confirmed, after)


def _after_edit(case: Case, report: WorkflowReport, before: dict[str, Repro], after: dict[str, Repro]) -> Steps[None]:
    target = after[case.id]
    if target.low is None or _flavour(target) == report.flavour:
        report.decide("edit-without-effect", "the edit did not change the failure, so it was reverted")
        yield from take_back(report, "the failure stayed the same")
        yield from unfixed(report, _errors(before))
        return
    if set_back(target, before[case.id]):
        report.decide("edit-without-effect", "with the edit the loader itself fails, so it was reverted")
        yield from take_back(report, f"the loader failed with it: {quotable(target.low.error)}")
        yield from unfixed(report, _errors(before))
        return
    for member in tuple(report.scope):
        if after[member.id].low is None or _flavour(after[member.id]) == report.flavour:
            report.scope.remove(member)
            report.states[member.id] = "unchanged: still fails with the edit"
            report.review.append(f"{member.id} still fails with the edit: {after[member.id].summary}")
    if target.ok:
        report.decide("fixed", "with the edit training runs on CPU; the device decides")
    else:
        report.decide("new-failure", f"the inputs are there now, and it fails with: {quotable(target.low.error)}")
    passing = [member.id for member in report.scope if after[member.id].ok]
    errors = _errors({member.id: after[member.id] for member in report.scope if not after[member.id].ok})
    expected = [one.id for one in case.inference if one.status == Status.EXPECTED_PASSING and one.id in after]
    seen = yield from on_device(report, passing, errors, expected)
    if failing := [id for id in expected if id in seen and seen[id].ending in FAILURES - {Ending.INACCURATE}]:
        yield from _regressed(report, before, failing, "on the device")
        return
    conclude(report, seen, passing, errors)


def _regressed(report: WorkflowReport, before: dict[str, Repro], broken: list[str], where: str) -> Steps[None]:
    report.decide("inference-regression", f"with the edit inference fails {where}, so it was reverted")
    report.review += [f"{id} fails {where} with the edit" for id in broken]
    yield from take_back(report, f"inference failed {where}")
    yield from unfixed(report, _errors(before), verify=False)


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


def _errors(repros: Mapping[str, Repro]) -> dict[str, str]:
    return {id: one.low.error for id, one in repros.items() if one.low is not None}


def _edit(case: Case, flavour: str, target: Repro, confirmed: Mapping[str, Repro]) -> tuple[str, SourceEdit | NoSite]:
    """The edit in the loader, else in a loader that it descends from."""
    assert target.low is not None
    make, variant, start = _EDITS[flavour], case.target.variant, _start(target.low, confirmed)
    found = [(path, make(case.sources[path], target.low, variant, start)) for path in case.loader_files]
    return next(((path, edit) for path, edit in found if isinstance(edit, SourceEdit)), found[0])


def _start(phase: Phase, confirmed: Mapping[str, Repro]) -> Start | None:
    """The start token of decoders; None as token unless it is the same for all variants that the edit is for."""
    start = phase.decoder_start
    if start is None:
        return None
    all_starts = [one.low.decoder_start for one in confirmed.values() if one.low is not None]
    same = all(one == start for one in all_starts)
    return Start(str(start["holder"]), int(start["token"]) if same else None)


def _inference(case: Case, report: WorkflowReport) -> list[str]:
    """The inference tests of the variants that the edit is for."""
    return [f"{member.id.removesuffix('training')}inference" for member in report.scope]
