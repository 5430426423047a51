# SPDX-License-Identifier: Apache-2.0
"""core.workflows.procedures.missing_inputs: every row of its decision table, with made-up answers."""

import pytest

from core.runs.store import Phase
from core.workflows import Ask, WorkflowReport
from core.workflows.conclusion import alone
from core.workflows.loader_code import Start
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.procedures import missing_inputs as module
from core.workflows.procedures.missing_inputs import gate, missing_inputs
from core.workflows.procedures.table import pick
from core.workflows.repro import Repro
from core.workflows.requests import Answer, Effect, RunCpu, RunDevice
from tests.support.triage import LOADER, SIBLING, TARGET, World, case, edit, edited, member, phase, play, repro, shown

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


def report_of(answers: World) -> tuple[WorkflowReport, list[Effect]]:
    inference = (member(INFERENCE, status="EXPECTED_PASSING"),)
    about = case(member(TARGET, TARGETS), member(SIBLING, TARGETS), inference=inference)
    _, report, effects = play(alone(missing_inputs), about, answers)
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


def test_a_variant_that_passed_and_fails_with_the_edit_takes_it_back() -> None:
    def answers(effect: Effect, done: list[Effect]) -> Answer:
        if not isinstance(effect, RunCpu):
            return 1 if isinstance(effect, Ask) else None
        now = edited(done)
        errors = {TARGET: "" if now else TARGETS, SIBLING: "TypeError: unexpected targets" if now else ""}
        return [repro(id, error := errors.get(id, ""), error) for id in effect.ids]

    report, _ = report_of(answers)
    assert (report.decision, report.edits) == ("other-variants", {})
    assert report.why == f"with the edit {SIBLING} failed, which passed before, so it was reverted"
    assert {op.id for op in report.operations} == {TARGET}


def test_inference_that_stops_working_on_cpu_takes_the_edit_back() -> None:
    report, _ = report_of(world(inference="ValueError: unexpected keyword", device=[]))
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
    ("error", "told"), [("", "does not reproduce"), ("ValueError: x", "due to a missing input: ValueError: x")]
)
def test_what_is_another_failure_aborts(error: str, told: str) -> None:
    report, effects = report_of(world(error))
    assert told in str(report.aborted)
    assert len(effects) == 1


def test_an_output_that_nobody_unpacks_is_for_the_other_workflow() -> None:
    report, _ = report_of(lambda *_: [repro(TARGET, "ValueError: No handler", "", "unpack")])
    assert "unpack-forward-output" in str(report.aborted)


@pytest.fixture
def no_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EDITS", dict.fromkeys(module._EDITS, lambda *_: NoSite("it cannot be seen")))


@pytest.mark.usefixtures("no_edit")
def test_without_an_edit_it_is_an_expected_failure_by_its_own_error_and_is_flagged() -> None:
    report, effects = report_of(world(device=[]))
    assert not any(isinstance(effect, Ask) for effect in effects)
    assert (report.decision, report.edits) == ("no-edit", {})
    assert {op.value for op in report.operations} == {"FAILED_FE_COMPILATION"}
    assert "not fixed: no edit of" in report.review[0]
    assert "it cannot be seen" in report.review[0]


@pytest.mark.parametrize("after", [{"after": TARGETS}, {"inference": "ValueError: x"}])
def test_an_edit_that_was_taken_back_leaves_the_first_error(after: dict[str, str]) -> None:
    report, effects = report_of(world(device=[], **after))
    assert not any(isinstance(effect, Ask) for effect in effects)
    assert (report.edits, len(report.tried)) == ({}, 1)
    assert {op.value for op in report.operations} == {"FAILED_FE_COMPILATION"}
    assert any(line.startswith("not fixed:") for line in report.review)


@pytest.mark.parametrize(("other", "token"), [(7, 7), (8, None)])
def test_a_token_to_start_from_is_taken_where_it_is_the_same_for_all(
    monkeypatch: pytest.MonkeyPatch, other: int, token: int | None
) -> None:
    starts: list[Start | None] = []

    def make(_: str, __: object, ___: str, start: Start | None, ____: bool) -> SourceEdit:
        starts.append(start)
        return edit("ids", EditKind.DECODER_INPUTS)

    monkeypatch.setattr(module, "_EDITS", {"decoder_inputs": make})

    def answer(effect: Effect, done: list[Effect]) -> Answer:
        if not isinstance(effect, RunCpu):
            return [shown(id, "passed") for id in getattr(effect, "ids", ())]
        error = "" if edited(done) or "inference" in effect.ids[0] else DECODER
        tokens = {TARGET: 7, SIBLING: other}
        start = {id: {"holder": "config", "token": tokens.get(id)} for id in effect.ids}
        return [repro(id, error, error, decoder_start=start[id]) for id in effect.ids]

    report_of(answer)
    assert set(starts) == {Start("config", token)}


TOKENS = "ValueError: You must specify exactly one of input_ids or inputs_embeds"


@pytest.mark.parametrize(
    ("parameters", "inputs", "flavour"),
    [
        (["input_ids", "decoder_input_ids"], ["input_ids"], "decoder_inputs"),
        (["input_ids", "decoder_input_ids"], ["input_ids", "decoder_input_ids"], ""),
        (["input_ids"], ["attention_mask"], ""),
    ],
)
def test_tokens_that_either_half_may_miss_are_the_decoder_s_where_it_has_none(
    parameters: list[str], inputs: list[str], flavour: str
) -> None:
    raw = phase("bfloat16", TOKENS, parameters=parameters, inputs=[{"name": name} for name in inputs])
    assert module.shown(Phase(raw)) == flavour
    found = Repro.of({"id": TARGET, "result": {"phases": [raw]}})
    assert pick("", found)[0] == ("missing-inputs" if flavour else "")
    assert gate(TOKENS) == ""


def test_the_gate_names_the_reason() -> None:
    assert gate(BATCH) == ""
    assert gate("ValueError: x").endswith("The failing reason here is: ValueError: x.")
    assert gate("").endswith("The failing reason here is: (none).")
