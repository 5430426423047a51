# SPDX-License-Identifier: Apache-2.0
"""core.workflows.procedures.dtype_bfloat16: every row of its decision table, with made-up answers."""

from dataclasses import replace

import pytest

from core.edits import to_json
from core.workflows import WorkflowReport
from core.workflows.conclusion import alone
from core.workflows.loader_code.analysis import Symptom
from core.workflows.procedures import dtype_bfloat16 as module
from core.workflows.procedures.dtype_bfloat16 import dtype_bfloat16
from core.workflows.requests import Answer, EditLoader, Effect, RevertLoader, RunCpu, RunDevice
from tests.support.triage import (
    LOADER,
    MISMATCH,
    NO_KERNEL,
    SIBLING,
    TARGET,
    World,
    case,
    cpu,
    edit,
    edited,
    failed_run,
    member,
    play,
    repro,
    shown,
)

BROKEN = {TARGET: (MISMATCH, ""), SIBLING: (MISMATCH, "")}
BOTH = case(member(TARGET, MISMATCH), member(SIBLING, MISMATCH, "NOT_SUPPORTED_SKIP"))


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "dtype_candidates", lambda *_, **__: ((edit(),), ""))
    monkeypatch.setattr(Symptom, "of_phase", lambda *_: None)


@pytest.fixture
def no_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "dtype_candidates", lambda *_, **__: ((), "a processor makes it"))
    monkeypatch.setattr(Symptom, "of_phase", lambda *_: None)


def report_of(world: World) -> WorkflowReport:
    return play(alone(dtype_bfloat16), BOTH, world)[1]


def values(report: WorkflowReport, id: str) -> dict[str, object]:
    return {op.path[0]: op.value for op in report.operations if op.id == id}


def test_an_operation_without_kernel_is_an_expected_failure_and_no_loader_is_touched() -> None:
    about = case(member(TARGET, NO_KERNEL, "NOT_SUPPORTED_SKIP"))
    _, report, effects = play(alone(dtype_bfloat16), about, cpu({TARGET: (NO_KERNEL, "")}, {}))
    assert (report.flavour, report.decision, report.edits) == ("op_not_implemented", "expected-failure", {})
    assert values(report, TARGET) == {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_FE_COMPILATION"}
    assert [effect for effect in effects if isinstance(effect, EditLoader)] == []
    assert report.unverified


@pytest.mark.parametrize(
    ("low", "full", "step", "told"),
    [
        ("", "", "forward", "does not reproduce"),
        ("", "ValueError: x", "forward", "does not reproduce"),
        (MISMATCH, "ValueError: x", "forward", "float32 fails too"),
        ("ValueError: x", "", "forward", "due to a dtype mismatch"),
        (MISMATCH, "ValueError: No handler", "unpack", "unpack-forward-output first"),
    ],
)
def test_what_is_another_failure_aborts_and_touches_nothing(low: str, full: str, step: str, told: str) -> None:
    _, report, effects = play(alone(dtype_bfloat16), case(), lambda *_: [repro(TARGET, low, full, step)])
    assert report.aborted is not None
    assert told in report.aborted
    assert (report.operations, len(effects)) == ([], 1)


def test_a_run_without_a_result_aborts_and_a_missing_package_is_the_machines() -> None:
    crashed = play(alone(dtype_bfloat16), case(), lambda *_: [failed_run(TARGET)])[1]
    missing = play(alone(dtype_bfloat16), case(), lambda *_: [failed_run(TARGET, "error", "no timm")])[1]
    assert (crashed.environment, missing.environment) == (False, True)
    assert "no timm" in str(missing.aborted)


@pytest.mark.usefixtures("no_site")
def test_without_a_place_to_fix_it_is_an_expected_failure_with_the_verbatim_error() -> None:
    report = report_of(cpu(BROKEN, {}))
    assert (report.decision, report.why) == ("no-fix-site", "a processor makes it")
    assert values(report, SIBLING) == {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_FE_COMPILATION"}


@pytest.mark.usefixtures("site")
def test_a_fix_that_works_waits_for_the_device_and_then_says_what_it_shows() -> None:
    device = [shown(TARGET, "passed"), shown(SIBLING, "inaccurate", "PCC comparison failed")]
    _, report, effects = play(alone(dtype_bfloat16), BOTH, cpu(BROKEN, {}, device))
    assert (report.decision, list(report.edits)) == ("fixed", [LOADER])
    assert RunDevice((TARGET, SIBLING), decisive=True) in effects
    assert to_json(op for op in report.operations if op.id == TARGET) == [
        {"op": "set", "id": TARGET, "file": member().file, "path": ["status"], "value": "EXPECTED_PASSING"},
        {"op": "unset", "id": TARGET, "file": member().file, "path": ["reason"]},
    ]
    assert values(report, SIBLING) == {"status": "EXPECTED_PASSING", "reason": None, "assert_pcc": False}


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("after", [(MISMATCH, ""), ("RuntimeError: expected scalar type Float but found BFloat16", "")])
def test_a_wrong_fix_site_is_taken_back_and_the_first_error_stays(after: tuple[str, str]) -> None:
    _, report, effects = play(alone(dtype_bfloat16), BOTH, cpu(BROKEN, dict.fromkeys(BROKEN, after)))
    assert (report.decision, report.edits, len(report.tried)) == ("wrong-fix-site", {}, 1)
    assert any(isinstance(effect, RevertLoader) for effect in effects)
    assert values(report, TARGET)["bringup_status"] == "FAILED_FE_COMPILATION"
    assert "reason" not in values(report, TARGET)  # It says so already.


@pytest.mark.usefixtures("site")
def test_an_edit_that_breaks_a_variant_which_passed_is_taken_back() -> None:
    passing = case(member(TARGET, MISMATCH), member(SIBLING, "", "EXPECTED_PASSING"))
    world = cpu({TARGET: (MISMATCH, "")}, {SIBLING: ("KeyError: 'pixel_values'", "")})
    _, report, effects = play(alone(dtype_bfloat16), passing, world)
    assert RunCpu((TARGET, SIBLING), "after the edit") in effects
    assert (report.decision, report.edits, len(report.tried)) == ("wrong-fix-site", {}, 1)
    assert SIBLING in report.why
    assert any("KeyError: 'pixel_values'" in line for line in report.review)
    assert {op.id for op in report.operations} == {TARGET}


@pytest.mark.usefixtures("site")
def test_a_variant_that_passes_before_and_after_is_left_as_it_is() -> None:
    passing = case(member(TARGET, MISMATCH), member(SIBLING, "", "EXPECTED_PASSING"))
    _, report, effects = play(
        alone(dtype_bfloat16), passing, cpu({TARGET: (MISMATCH, "")}, {}, [shown(TARGET, "passed")])
    )
    assert (report.decision, report.states[SIBLING]) == ("fixed", "unchanged: passes on CPU as it is")
    assert RunDevice((TARGET,), decisive=True) in effects


TWO = (edit(), replace(edit(), after="the other"))


def test_of_several_inputs_the_one_that_fixes_it_is_found_by_running(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is taken back, byte for byte, before the second is made."""
    monkeypatch.setattr(module, "dtype_candidates", lambda *_, **__: (TWO, "several inputs would have to change"))
    monkeypatch.setattr(Symptom, "of_phase", lambda *_: None)

    def world(effect: Effect, done: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            mended = any(isinstance(one, EditLoader) and one.edit is TWO[1] for one in done)
            return [repro(id, "" if mended else MISMATCH, "", "forward") for id in effect.ids]
        return None

    _, report, effects = play(alone(dtype_bfloat16), BOTH, world)
    changes = [effect for effect in effects if isinstance(effect, EditLoader | RevertLoader)]
    assert changes == [EditLoader(LOADER, TWO[0]), RevertLoader(LOADER, TWO[0]), EditLoader(LOADER, TWO[1])]
    assert (report.decision, report.edits, len(report.tried)) == ("fixed", {LOADER: TWO[1]}, 1)


def test_several_inputs_of_which_none_alone_fixes_it_are_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "dtype_candidates", lambda *_, **__: (TWO, "several inputs would have to change"))
    monkeypatch.setattr(Symptom, "of_phase", lambda *_: None)
    report = report_of(cpu(BROKEN, BROKEN))
    assert (report.decision, report.why) == ("no-fix-site", "several inputs would have to change")
    assert (report.edits, len(report.tried)) == ({}, 2)


@pytest.mark.usefixtures("site")
def test_an_edit_that_fails_itself_is_taken_back() -> None:
    def world(effect: Effect, done: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            now = ("NameError: name", "load_inputs") if edited(done) else (MISMATCH, "forward")
            return [repro(id, now[0], "", now[1]) for id in effect.ids]
        return None

    report = report_of(world)
    assert (report.decision, report.edits) == ("wrong-fix-site", {})
    assert "reason" not in values(report, TARGET)


@pytest.mark.usefixtures("site")
def test_a_fix_that_breaks_float32_is_taken_back() -> None:
    report = report_of(cpu(BROKEN, {TARGET: ("", "ValueError: y")}))
    assert (report.decision, report.edits) == ("wrong-fix-site", {})
    assert "float32" in report.review[0]


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize("error", ["RuntimeError: the next thing", NO_KERNEL])
def test_another_error_after_the_fix_keeps_the_edit_and_becomes_the_reason(error: str) -> None:
    report = report_of(cpu(BROKEN, dict.fromkeys(BROKEN, (error, ""))))
    assert (report.decision, list(report.edits)) == ("new-failure", [LOADER])
    assert values(report, TARGET)["reason"] == error


@pytest.mark.usefixtures("site")
def test_a_device_that_still_shows_the_failure_takes_the_edit_back_and_flags_it() -> None:
    device = [shown(TARGET, "failed", MISMATCH), shown(SIBLING, "failed", MISMATCH)]
    report = report_of(cpu(BROKEN, {}, device))
    assert (report.decision, report.edits) == ("wrong-fix-site", {})
    assert report.review
    assert values(report, TARGET)["bringup_status"] == "FAILED_FE_COMPILATION"


@pytest.mark.usefixtures("site")
def test_variants_that_pass_as_they_are_stay_and_those_that_fail_otherwise_are_flagged() -> None:
    third = "net/pytorch-Third-single_device-training"
    about = case(member(TARGET, MISMATCH), member(SIBLING), member(third))
    before = {TARGET: (MISMATCH, ""), third: ("ValueError: x", "ValueError: x")}
    _, report, _ = play(alone(dtype_bfloat16), about, cpu(before, {}, [shown(TARGET, "passed")]))
    assert [one.id for one in report.scope] == [TARGET]
    assert "passes on CPU" in report.states[SIBLING]
    assert third in report.review[0]


@pytest.mark.usefixtures("site")
def test_a_variant_that_the_edit_does_not_fix_is_left_out() -> None:
    report = report_of(cpu(BROKEN, {SIBLING: (MISMATCH, "")}, [shown(TARGET, "passed")]))
    assert {op.id for op in report.operations} == {TARGET}
    assert SIBLING in report.review[0]


def test_a_stale_inference_entry_is_flagged_and_not_changed() -> None:
    stale = member("net/pytorch-Small-single_device-inference", MISMATCH)
    about = case(member(TARGET, NO_KERNEL), inference=(stale,))
    report = play(alone(dtype_bfloat16), about, cpu({TARGET: (NO_KERNEL, "")}, {}))[1]
    assert stale.id in report.review[0]
    assert {op.id for op in report.operations} <= {TARGET}


def test_a_device_that_passes_what_fails_on_cpu_is_for_a_person() -> None:
    world = cpu({TARGET: (NO_KERNEL, "")}, {}, [shown(TARGET, "passed")])
    report = play(alone(dtype_bfloat16), case(), world)[1]
    assert (report.operations, len(report.review)) == ([], 1)
