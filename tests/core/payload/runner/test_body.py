# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.body: the gates in order and the outcome table of docs/rules.md 4.1 and 4.4, end to end."""

import math
from typing import Any

import pytest

from core.runs import Outcome, junit

from .conftest import MODULE, Checkout

ID = "tiny/pytorch-Base-single_device-inference"
TRAINING = ID.replace("inference", "training")
STAGES = {"ENABLE_BRINGUP_STAGE_LOGGING": "1"}
GOOD = "run.compare(1.0)"
RAISES = "raise RuntimeError('must have the same dtype')"
LOW = "run.compare(0.5)"
LOW_TEXT = "Test marked w/ INCORRECT_RESULT. [1/1]: PCC check {}. Calculated: pcc=0.5. Required: pcc=0.99."


def told(case: junit.Testcase) -> tuple[Outcome, object, str | None]:
    return case.outcome, case.tags["bringup_status"], case.properties.get("error_message")


Told = tuple[Outcome, str, str | None]
"""The outcome, the tag `bringup_status` and the property `error_message`."""

COMPILING = "FAILED_TTMLIR_COMPILATION"
XFAIL = {"status": "KNOWN_FAILURE_XFAIL", "reason": "old"}
SKIP = {"status": "NOT_SUPPORTED_SKIP"}
OUTCOMES: dict[str, list[tuple[str, dict[str, Any], Told]]] = {
    "": [
        (GOOD, {"status": "EXPECTED_PASSING"}, (Outcome.PASS, "PASSED", None)),
        (LOW, {}, (Outcome.FAIL, "INCORRECT_RESULT", LOW_TEXT.format("enabled"))),
        (LOW, {"assert_pcc": False}, (Outcome.PASS, "INCORRECT_RESULT", LOW_TEXT.format("disabled"))),
        (RAISES, {}, (Outcome.FAIL, COMPILING, "must have the same dtype")),
        (f"print('loc(x): error: no such op'); {RAISES}", {}, (Outcome.FAIL, COMPILING, "error: no such op")),
        ("import sys; sys.exit(3)", {}, (Outcome.FAIL, COMPILING, "3")),
        (GOOD, XFAIL, (Outcome.XFAIL, "PASSED", None)),
        (RAISES, XFAIL, (Outcome.XFAIL, COMPILING, "must have the same dtype")),
        (
            RAISES,
            {**SKIP, "bringup_status": "FAILED_RUNTIME", "reason": "old"},
            (Outcome.SKIP, "FAILED_RUNTIME", "old"),
        ),
        (RAISES, SKIP, (Outcome.SKIP, "None", None)),
    ],
    "--runxfail": [
        (GOOD, XFAIL, (Outcome.PASS, "PASSED", None)),
        (RAISES, XFAIL, (Outcome.FAIL, COMPILING, "must have the same dtype")),
    ],
    "--force-run": [
        (RAISES, {**SKIP, "reason": "old"}, (Outcome.FAIL, "None", "old")),
        (GOOD, SKIP, (Outcome.PASS, "None", None)),
    ],
}


@pytest.mark.parametrize("option", OUTCOMES)
@pytest.mark.parametrize("forked", ["", "--forked"])
def test_outcomes(checkout: Checkout, option: str, forked: str) -> None:
    wanted = OUTCOMES[option]
    names = [ID.replace("tiny", f"model_{number}") for number in range(len(wanted))]
    for number, (act, _, _) in enumerate(wanted):
        checkout.acting(act, f"model_{number}/pytorch")
    checkout.entries({name: entry for name, (_, entry, _) in zip(names, wanted, strict=True)})
    nodes = [f"{MODULE}::test_all_models_torch[{name}]" for name in names]
    cases = checkout.run(*filter(None, (option, forked)), *nodes, environ=STAGES).cases
    assert {name: told(cases[name]) for name in names} == {
        name: one[-1] for name, one in zip(names, wanted, strict=True)
    }
    for name, case in cases.items():
        assert (case.classname, case.name) == ("tests.runner.test_models", f"test_all_models_torch[{name}]")
        ran = ["backend"] if case.outcome is Outcome.SKIP else ["backend", "device", "performance"]
        assert [one for one in case.properties if one != "error_message"] == ["tags", "owner", "group", *ran]
    assert not (checkout.root / "._bringup_stage.txt").exists()


def test_texts_of_outcomes(checkout: Checkout) -> None:
    checkout.acting(RAISES)
    checkout.entries(
        {ID: {"status": "NOT_SUPPORTED_SKIP", "reason": "as it is"}, TRAINING: {"status": "KNOWN_FAILURE_XFAIL"}}
    )
    assert checkout.one().message == "as it is"
    assert checkout.one(mode="training").message == "must have the same dtype"
    failed = checkout.one("--force-run")
    assert failed.message == "RuntimeError: must have the same dtype"
    assert "loader.py" in failed.text
    assert "ttmatrix_payload" not in failed.text


def test_without_the_variable_no_failure_has_a_stage(checkout: Checkout) -> None:
    checkout.acting(RAISES)
    assert checkout.one().tags["bringup_status"] == "UNKNOWN"


def test_what_fails_before_the_run_has_no_properties(checkout: Checkout) -> None:
    checkout.acting("pass\n    def __init__(self, variant=None):\n        raise ValueError('no weights')")
    case = checkout.one()
    assert (case.outcome, case.message, case.properties) == (Outcome.FAIL, "ValueError: no weights", {})


def test_training_is_judged_by_all_results_and_described_by_the_first_that_failed(checkout: Checkout) -> None:
    checkout.acting("run.compare(0.5); run.compare(1.0, 0.0)")
    case = checkout.one(mode="training")
    assert case.outcome is Outcome.FAIL
    assert "[1/2]: PCC check enabled. Calculated: pcc=0.5." in case.properties["error_message"]
    assert (case.tags["pcc"], case.tags["comparison_passed"], case.tags["run_mode"]) == (0.5, False, "training")
    # If nothing is asserted the last result is reported, which is the forward one (docs/rules.md 4.6).
    checkout.entries({TRAINING: {"assert_pcc": False}})
    case = checkout.one(mode="training")
    assert (case.outcome, case.tags["pcc"], case.tags["bringup_status"]) == (Outcome.PASS, 1.0, "INCORRECT_RESULT")
    assert case.tags["guidance"] == ["ENABLE_PCC_099", "ADD_CONFIG"]


def test_a_pcc_that_is_no_number_fails(checkout: Checkout) -> None:
    checkout.acting("run.compare(float('nan'))")
    case = checkout.one()
    assert case.outcome is Outcome.FAIL
    assert isinstance(case.tags["pcc"], float)
    assert math.isnan(case.tags["pcc"])
    assert case.tags["guidance"] == ["ADD_CONFIG"]


def test_skips_that_need_no_entry(checkout: Checkout) -> None:
    checkout.acting("run.compare(1.0)\n    def load_inputs_decode(self): pass")
    checkout.loader("tiny/jax")
    (checkout.config / "torch/test_config_placeholders.yaml").write_text("PLACEHOLDER_MODELS: {A B/c: {reason: soon}}")
    done = checkout.run("-k", "not Large")
    shape = "tiny/pytorch-Base-llm_decode-seq_{}-batch_1-single_device-mesh_default-inference"
    said = {
        "tiny/pytorch-Base-tensor_parallel-inference": "wants 2 devices, there is 1",
        "tiny/jax-Base-data_parallel-inference": "jax is not installed; upstream uses jax 0.7.1, jaxlib 0.7.1 and flax 0.10.4",
        shape.format(128): "decode takes no sequence length",
    }
    for id, reason in said.items():
        assert (done.cases[id].outcome, done.cases[id].message, done.cases[id].properties) == (Outcome.SKIP, reason, {})
    decode = done.cases[shape.format(1)]
    assert (decode.outcome, decode.tags["run_phase"], decode.tags["batch_size"]) == (Outcome.PASS, "llm_decode", 1)
    placeholder = done.cases["A B/c"]
    assert (placeholder.outcome, placeholder.tags["model_name"]) == (Outcome.PASS, "a_b_c")
    assert placeholder.properties["error_message"] == "soon"
    assert (placeholder.tags["bringup_status"], placeholder.properties["group"]) == ("NOT_STARTED", "red")


def test_what_is_asked_of_the_execution(checkout: Checkout) -> None:
    checkout.acting("raise ValueError(sorted(vars(settings).items()))")
    entry = {"batch_size": 3, "required_pcc": 0.9, "optimization_level": 1, "required_atol": 0.5, "allclose_rtol": 0.1}
    checkout.entries({ID: {**entry, "enable_weight_bfp8_conversion": True, "filechecks": ["a.ttnn.mlir"]}})
    text = checkout.one("--disable-perf-measurement", "--serialize=out").message
    for name, value in [*entry.items(), ("assert_pcc", True), ("weight_bfp8", True), ("measure", False)]:
        assert f"('{name}', {value!r})" in text
    assert str(checkout.root / "tests/filecheck/a.ttnn.mlir") in text
    assert "('optimization_level', 2)" in checkout.one("--optimization-level=2").message
    profile = ("--batch-size=8", "--compile-option=enable_trace=true", "--torch-option=tt_legacy_compile=false")
    text = checkout.one(*profile, "--weight-dtype=*.weight=bfp_bf8", "--profile-name=fast").message
    assert "('batch_size', 8)" in text
    assert (
        "values={'enable_trace': 'true'}, torch={'tt_legacy_compile': False}, weights={'*.weight': 'bfp_bf8'}" in text
    )


def test_packages_that_cannot_be_had_fail_the_test_before_it_runs(checkout: Checkout) -> None:
    checkout.acting("raise AssertionError('ran')")
    (checkout.models / "tiny/pytorch/requirements.txt").write_text("./no-such-package.whl\n")
    checkout.entries({TRAINING: {"status": "NOT_SUPPORTED_SKIP"}})
    environ = {"TTMATRIX_HOME": str(checkout.root)}
    case = checkout.one(environ=environ)
    assert (case.outcome, case.properties) == (Outcome.FAIL, {})
    assert "RequirementsError: pip failed" in case.message
    # A test that does not run needs none, and they can be disabled.
    assert checkout.one(mode="training", environ=environ).outcome is Outcome.SKIP
    assert "ran" in checkout.one(environ={**environ, "TT_XLA_DISABLE_MODEL_REQS": "1"}).message


def test_what_file_checks_came_to_is_printed(checkout: Checkout) -> None:
    checkout.acting("run.filechecks = [type(settings)(pattern='a.ttnn', passed=None, message='no FileCheck here')]")
    output = checkout.run(f"{MODULE}::test_all_models_torch[{ID}]", "-s").output
    assert "FileCheck a.ttnn: not checked, no FileCheck here" in output


def test_several_tests_of_a_session_do_not_hear_each_other(checkout: Checkout) -> None:
    checkout.acting("print('error: of', settings.mode)\n        if settings.mode == 'training': raise ValueError('x')")
    done = checkout.run(f"{MODULE}::test_all_models_torch", "-k", "Base-single_device")
    assert done.cases[ID].outcome is Outcome.PASS
    assert done.cases[TRAINING].properties["error_message"] == "error: of training"
    assert "error: of training" in done.output
