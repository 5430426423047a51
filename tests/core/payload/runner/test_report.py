# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.report: properties as upstream writes them, against its own files where there are any."""

import ast
import json
import math
from dataclasses import replace
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.runner.expectations import Expectation
from core.payload.ttmatrix_payload.runner.models import Model
from core.payload.ttmatrix_payload.runner.parameters import JAX, TORCH, Case, placeholder
from core.payload.ttmatrix_payload.runner.reasons import FailingReason
from core.payload.ttmatrix_payload.runner.report import Facts, crash_properties, plain, properties, shown
from core.runs import read_testcases
from core.runs.junit import parse_tags

COMMON = 16
ID = "mnist/image_classification/pytorch-Cnn_Dropout-single_device-inference"


class Colour(Enum):
    RED = "red"

    def __str__(self) -> str:
        return self.value


def facts(execution: Any = None, **more: Any) -> Facts:
    known = {"expectation": Expectation(), "model_name": "name", "group": "red", "execution": execution, **more}
    return Facts(Case(TORCH, ID, None), **known)


def executed(*pccs: float, failed: tuple[int, ...] = (), size: float | None = 0.5) -> Any:
    results = [
        SimpleNamespace(pcc=pcc, atol=0.25, passed=number not in failed, error_message=None)
        for number, pcc in enumerate(pccs)
    ]
    return SimpleNamespace(
        comparisons=results,
        model_size_billions=size,
        weights_dtype=None,
        backend="xla",
        device="CPU",
        filechecks=[],
        performance={"compile_s": 1.5, "run_s": None},
        ignored_options=["enable_trace", "math_fidelity"],
    )


def tags(found: Facts) -> dict[str, Any]:
    return dict(properties(found))["tags"]  # type: ignore[no-any-return]


def test_how_many_tags_there_are() -> None:
    assert len(tags(facts())) == COMMON
    assert len(tags(facts(executed()))) == COMMON + 5
    assert len(tags(facts(executed(size=None)))) == COMMON + 4
    assert len(tags(facts(executed(1.0), passed=True))) == COMMON + 9
    of_jax = replace(facts(executed()), case=Case(JAX, ID, None))
    assert tags(facts(executed())).keys() - tags(of_jax).keys() == {"model_size_billions"}
    assert tags(facts(expectation=Expectation(execution_pass="BACKWARD")))["execution_pass"] == "BACKWARD"


def test_what_was_measured_and_ignored_is_said_with_the_profile() -> None:
    found = dict(properties(facts(executed(1.0), passed=True, profile="fast+batch_size=2")))
    assert json.loads(found["performance"]) == {"compile_s": 1.5, "run_s": None}
    assert (found["ignored_options"], found["profile"]) == ("enable_trace, math_fidelity", "fast+batch_size=2")
    assert "profile" not in dict(properties(facts(executed(1.0))))


def test_upstreams_own_report_of_a_pass_comes_out_the_same(tmp_path: Path) -> None:
    """The text of the property `tags` of a real report (docs/rules.md 11), rebuilt from its contents."""
    upstream = (
        "{'test_name': 'test_all_models_torch', 'specific_test_case': 'test_all_models_torch[" + ID + "]', "
        "'category': 'model_test', 'model_name': 'pytorch_MNIST_Cnn_Dropout_cv_image_cls_custom', 'model_info': "
        "{'task': 'cv_image_cls'}, 'run_mode': 'inference', 'run_phase': 'default', 'bringup_status': 'PASSED', "
        "'model_test_status': 'ModelTestStatus.EXPECTED_PASSING', 'failing_reason': {'name': None, 'description': "
        "None, 'component': None, 'summary': None}, 'parallelism': 'single_device', 'arch': 'n150', 'seq_len': None, "
        "'batch_size': None, 'weights_dtype': 'bfloat16', 'model_size_billions': 0.001199882, 'pcc': 1.0, 'atol': "
        "0.015625, 'comparison_passed': True, 'comparison_error_message': None, 'pcc_threshold': 0.99, "
        "'atol_threshold': 0.16, 'pcc_assertion_enabled': True, 'atol_assertion_enabled': False, 'guidance': []}"
    )
    execution = executed(1.0, size=0.001199882)
    execution.comparisons[0].atol = 0.015625
    found = facts(
        execution,
        passed=True,
        model_name="pytorch_MNIST_Cnn_Dropout_cv_image_cls_custom",
        model_info={"task": "cv_image_cls"},
        expectation=Expectation(status="EXPECTED_PASSING", arch="n150"),
    )
    assert str(tags(found)) == upstream
    assert [name for name, _ in properties(found)] == [
        "tags",
        "owner",
        "group",
        "backend",
        "device",
        "performance",
        "ignored_options",
    ]
    found.execution.filechecks.append(SimpleNamespace(pattern="a.ttnn", passed=True, message=None))
    assert properties(found)[-1] == ("filechecks", "FileCheck a.ttnn: passed")


def test_real_reports_have_the_same_tags_in_the_same_order() -> None:
    directory = Path(__file__).parents[5] / "shared/data/junit"
    if not directory.is_dir():
        pytest.skip("upstream's own reports are not beside this repository")
    made = {"pass.xml": facts(executed(1.0), passed=True), "fail_exception.xml": facts(executed()), "skip.xml": facts()}
    for name, found in made.items():
        (case,) = read_testcases(directory / name)
        assert list(case.tags) == list(tags(found)), name
        assert list(case.tags["failing_reason"]) == list(tags(found)["failing_reason"])  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("found", "bringup", "reason", "name"),
    [
        (facts(live_reason="live", stage="FAILED_RUNTIME"), "FAILED_RUNTIME", "live", None),
        (facts(expectation=Expectation(reason="written")), "UNKNOWN", "written", None),
        (facts(), "UNKNOWN", "Not specified", None),
        (
            facts(expectation=Expectation(status="NOT_SUPPORTED_SKIP"), live_reason="x"),
            None,
            None,
            "NOT_SUPPORTED_AND_SKIPPED",
        ),
        (facts(expectation=Expectation(bringup_status="NOT_STARTED", reason="soon")), "NOT_STARTED", "soon", None),
        (facts(executed(1.0), passed=True), "PASSED", "", None),
        # Only a check other than PCC failed: upstream has no answer.
        (facts(executed(1.0, failed=(0,)), live_reason="atol"), "INCORRECT_RESULT", "atol", None),
    ],
)
def test_the_first_rule_that_fits(found: Facts, bringup: str | None, reason: str | None, name: str | None) -> None:
    judged = shown(found)
    assert (judged.bringup_status, judged.reason, judged.failing_reason.name) == (bringup, reason, name)


def test_a_low_pcc_keeps_the_name_of_its_failure_only_where_it_is_checked() -> None:
    reason = FailingReason("DATA_MISMATCH_WRONG_PCC")
    checked = shown(facts(executed(0.5, math.nan), failing_reason=reason))
    assert checked.failing_reason is reason
    assert checked.reason is not None
    assert "[2/2]: PCC check enabled. Calculated: pcc=nan. Required: pcc=0.99." in checked.reason
    free = shown(facts(executed(0.5), expectation=Expectation(assert_pcc=False)))
    assert free.failing_reason.name == "INCORRECT_RESULT_PCC_DISABLED"
    assert shown(facts(executed(0.5), expectation=Expectation(assert_pcc="false"))).failing_reason.name is None


def test_thresholds_and_weights() -> None:
    told = tags(facts(executed(1.0), expectation=Expectation(required_pcc=0.9, required_atol=0.5, assert_pcc=False)))
    assert (told["pcc_threshold"], told["atol_threshold"], told["weights_dtype"]) == (0.9, 0.5, "bfloat16")
    assert (told["pcc_assertion_enabled"], told["atol_assertion_enabled"]) == (False, True)
    assert tags(facts(expectation=Expectation(enable_weight_bfp8_conversion=True)))["weights_dtype"] == "bfp_bf8"


def test_a_crash_says_what_is_still_true() -> None:
    info = SimpleNamespace(name="n", group="red", to_report_dict=lambda: {"task": Colour.RED})
    case = Case(TORCH, ID, Model("a/pytorch", None, object, info))
    found = dict(crash_properties(case, Expectation(batch_size=2)))
    assert found["tags"]["model_info"] == {"task": "red"}
    assert (found["tags"]["batch_size"], found["group"], len(found["tags"])) == (2, "red", COMMON)
    with pytest.raises(AssertionError):
        crash_properties(placeholder("x"), Expectation())


class Number:
    def item(self) -> float:
        return 0.5


class Sub(str):
    """A text type like ruamel.yaml's."""


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(Colour)
    | st.builds(Sub, st.text()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_plain_values_print_as_literals_that_are_read_back(value: dict[str, Any]) -> None:
    made = plain(value)
    assert repr(plain(made)) == repr(made)
    assert repr(parse_tags(repr(made))) == repr(made)


def test_numbers_of_other_libraries_become_pythons() -> None:
    assert ast.literal_eval(repr(plain({"a": Number(), "b": object}))) == {"a": 0.5, "b": "<class 'object'>"}
