# SPDX-License-Identifier: Apache-2.0
"""core.triage.missing_inputs: every row of its decision table, with made-up answers."""

import pytest

from core.triage import missing_inputs as module
from core.triage.effects import Answer, Effect, RunCpu, RunDevice
from core.triage.loader_code.edit import EditKind, NoSite
from core.triage.missing_inputs import gate, missing_inputs
from core.triage.report import Report
from tests.support.triage import LOADER, SIBLING, TARGET, World, case, edit, edited, member, play, repro, shown

TARGETS = "AssertionError: targets should not be none when in training mode"
DECODER = "ValueError: You have to specify either decoder_input_ids or decoder_inputs_embeds"
BATCH = "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 32])"
INFERENCE = "net/pytorch-Small-single_device-inference"


@pytest.fixture(autouse=True)
def edits(monkeypatch: pytest.MonkeyPatch) -> None:
    found = dict.fromkeys(module._EDITS, lambda *_: edit("inputs", EditKind.TARGETS))
    monkeypatch.setattr(module, "_EDITS", found)


def world(before: str = TARGETS, after: str = "", inference: str = "", device: Answer = None) -> World:
    """Training fails with `before`, with an edit in place with `after`, and inference then with `inference`."""

    def error(id: str, now: bool) -> str:
        if id.endswith("inference"):
            return inference if now else ""
        return after if now else before

    def answer(effect: Effect, done: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            return [repro(id, one := error(id, edited(done)), one) for id in effect.ids]
        return device if device is not None else [shown(id, "passed") for id in getattr(effect, "ids", ())]

    return answer


def report_of(answers: World) -> tuple[Report, list[Effect]]:
    inference = (member(INFERENCE, status="EXPECTED_PASSING"),)
    about = case(member(TARGET, TARGETS), member(SIBLING, TARGETS), inference=inference)
    _, report, effects = play(missing_inputs, about, answers)
    return report, effects


@pytest.mark.parametrize(
    ("error", "flavour"), [(TARGETS, "missing_targets"), (DECODER, "decoder_inputs"), (BATCH, "bn_single_value")]
)
def test_inputs_that_help_wait_for_the_device_with_inference_along(error: str, flavour: str) -> None:
    report, effects = report_of(world(error))
    assert (report.flavour, report.decision, list(report.edits)) == (flavour, "fixed", [LOADER])
    assert RunDevice((TARGET, SIBLING, INFERENCE), decisive=True) in effects
    assert {op.id for op in report.operations} == {TARGET, SIBLING}


def test_the_same_error_takes_the_edit_back() -> None:
    report, _ = report_of(world(after=TARGETS, device=[]))
    assert (report.decision, report.edits) == ("edit-without-effect", {})
    assert {op.value for op in report.operations} == {"FAILED_FE_COMPILATION"}


def test_another_error_keeps_the_edit_and_becomes_the_reason() -> None:
    report, _ = report_of(world(after="ValueError: No handler for class dict exists", device=[]))
    assert (report.decision, list(report.edits)) == ("new-failure", [LOADER])
    assert "No handler" in str([op.value for op in report.operations if op.path == ("reason",)])


def test_inference_that_stops_working_on_cpu_takes_the_edit_back() -> None:
    report, _ = report_of(world(inference="ValueError: unexpected keyword"))
    assert (report.decision, report.edits) == ("inference-regression", {})
    assert INFERENCE in report.review[0]
    assert {op.id for op in report.operations} == {TARGET, SIBLING}


def test_inference_that_stops_working_on_the_device_does_so_too() -> None:
    device = [shown(TARGET, "passed"), shown(SIBLING, "passed"), shown(INFERENCE, "failed", "TypeError: x")]
    report, _ = report_of(world(device=device))
    assert (report.decision, report.edits) == ("inference-regression", {})


def test_inference_that_failed_before_is_no_regression() -> None:
    def answer(effect: Effect, done: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            fails = not edited(done)
            errors = {id: "ValueError: x" if "inference" in id else TARGETS if fails else "" for id in effect.ids}
            return [repro(id, error, error) for id, error in errors.items()]
        return [shown(id, "passed") for id in getattr(effect, "ids", ())]

    assert report_of(answer)[0].decision == "fixed"


@pytest.mark.parametrize(
    ("error", "told"), [("", "does not reproduce"), ("ValueError: x", "by no missing input: ValueError: x")]
)
def test_what_is_another_failure_aborts(error: str, told: str) -> None:
    report, effects = report_of(world(error))
    assert told in str(report.aborted)
    assert len(effects) == 1


def test_an_output_that_nobody_unpacks_is_for_the_other_workflow() -> None:
    report, _ = report_of(lambda *_: [repro(TARGET, "ValueError: No handler", "", "unpack")])
    assert "unpack-forward-output" in str(report.aborted)


def test_without_an_edit_it_is_an_expected_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EDITS", dict.fromkeys(module._EDITS, lambda *_: NoSite("cannot be seen")))
    report, _ = report_of(world(device=[]))
    assert (report.decision, report.why) == ("no-edit", "cannot be seen")
    assert report.operations


def test_the_gate_names_the_reason() -> None:
    assert gate(BATCH) == ""
    assert gate("ValueError: x").endswith("The failing reason here is: ValueError: x.")
