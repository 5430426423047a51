# SPDX-License-Identifier: Apache-2.0
"""Two failures of one loader: one workflow after the other, and one result. The loader's code is edited for real."""

from typing import Any

import pytest

from core.workflows import WorkflowReport
from core.workflows.case import Case
from core.workflows.procedures import AUTO, workflow
from core.workflows.requests import Answer, Effect, FindUsers, RevertLoader, RunCpu, RunDevice
from tests.support.triage import (
    LOADER,
    MISMATCH,
    REGISTRY,
    SIBLING,
    TARGET,
    Files,
    case,
    member,
    phase,
    play,
    shown,
)

TARGETS = "AssertionError: targets should not be none when in training mode"
NO_TUPLE = "ValueError: No handler for class tuple exists in `unpack_forward_output`."
LOADER_CODE = """import torch

from ...base import ForgeModel


class ModelLoader(ForgeModel):
    def load_model(self, dtype_override=None):
        return Net()

    def load_inputs(self, dtype_override=None, batch_size=1):
        images = torch.rand(batch_size, 3, 64, 64, dtype=dtype_override)
        extra = torch.zeros(batch_size, 4)
        return {"images": images, "extra": extra}
"""
HEADS = {
    "class": "tuple",
    "module": "builtins",
    "leaves": [
        {"name": name, "type": "Tensor", "dtype": "float32", "shape": [2, 4], "requires_grad": True}
        for name in ("[0].boxes", "[0].classes")
    ],
    "access": ['[0]["boxes"]', '[0]["classes"]'],
}


def result(id: str, low: tuple[str, str], full: tuple[str, str], **parts: Any) -> dict[str, Any]:
    """A CPU repro: step and error of both dtypes; an output shows where forward has returned."""
    inputs = [
        {"name": "images", "type": "Tensor", "dtype": "bfloat16", "shape": [2, 3, 64, 64]},
        {"name": "extra", "type": "Tensor", "dtype": parts.pop("extra", "float32"), "shape": [2, 4]},
    ]
    phases = [
        phase(dtype, error, step, inputs=inputs, parameters=["images", "targets"], **parts)
        | {"output": HEADS if step in ("unpack", "") else None, "unpacked": {"class": "Tensor"} if not step else None}
        for dtype, (step, error) in (("bfloat16", low), ("float32", full))
    ]
    result = {"phases": phases, "problem": None}
    return {"id": id, "outcome": "pass" if not low[1] else "fail", "run": "r", "summary": low[1], "result": result}


def detector(text: str, id: str) -> dict[str, Any]:
    """A model that wants targets, then returns a tuple."""
    if '"targets"' not in text and "training" in id:
        return result(id, ("forward", TARGETS), ("forward", TARGETS))
    if "def unpack_forward_output" not in text and "training" in id:
        return result(id, ("unpack", NO_TUPLE), ("unpack", NO_TUPLE))
    return result(id, ("", ""), ("", ""))


def mixed(text: str, id: str) -> dict[str, Any]:
    """A model of which an input is float32 and whose output nobody unpacks."""
    handled, cast = "def unpack_forward_output" in text, "zeros(batch_size, 4, dtype=dtype_override)" in text
    full = ("", "") if handled else ("unpack", NO_TUPLE)
    low = full if cast else ("forward", MISMATCH)
    return result(id, low, full, extra="bfloat16" if cast else "float32")


def run(model: Any, *, name: str = AUTO, device: Any = None, reason: str = "") -> tuple[WorkflowReport, list[Effect]]:
    files = Files({LOADER: LOADER_CODE, REGISTRY: ""})
    about: Case = case(member(TARGET, reason), member(SIBLING, reason), sources=dict(files.texts), task="cv_object_det")

    def answer(effect: Effect, _: list[Effect]) -> Answer:
        match effect:
            case RunCpu():
                return [model(files.texts[LOADER], id) for id in effect.ids]
            case FindUsers():
                return []
            case RunDevice():
                return device(effect.ids) if device else [shown(id, "passed") for id in effect.ids]
        raise AssertionError(f"{effect} is not expected")

    _, report, effects = play(workflow(name), about, files.then(answer))
    files.carry_out(effects)
    assert files.texts[LOADER] == (report.edits[LOADER].after if report.edits else LOADER_CODE)
    return report, effects


def test_inputs_and_then_the_output_become_one_edit_and_one_result() -> None:
    report, effects = run(detector)
    assert [one.workflow for one in report.earlier] == ["missing-inputs"]
    assert (report.workflow, report.decision, report.earlier[0].decision) == (
        "unpack-forward-output",
        "override",
        "new-failure",
    )
    edit = report.edits[LOADER]
    assert edit.before == LOADER_CODE
    assert '"targets": [' in edit.after
    assert "def unpack_forward_output" in edit.after
    assert [effect.ids for effect in effects if isinstance(effect, RunDevice)] == [(TARGET, SIBLING)]
    assert {op.value for op in report.operations if op.path == ("status",)} == {"EXPECTED_PASSING"}
    assert {op.id for op in report.operations} == {TARGET, SIBLING}


@pytest.mark.parametrize(("name", "reason"), [(AUTO, ""), ("dtype-bfloat16", MISMATCH), ("unpack-forward-output", "")])
def test_the_output_and_then_the_dtype_become_one_edit_and_one_result(name: str, reason: str) -> None:
    report, _ = run(mixed, name=name, reason=reason)
    assert [one.workflow for one in report.earlier] == ["unpack-forward-output"]
    assert (report.workflow, report.decision) == ("dtype-bfloat16", "fixed")
    assert "def unpack_forward_output" in report.edits[LOADER].after
    assert "torch.zeros(batch_size, 4, dtype=dtype_override)" in report.edits[LOADER].after
    assert {op.value for op in report.operations if op.path == ("status",)} == {"EXPECTED_PASSING"}


def test_a_second_workflow_without_result_leaves_the_first_edit_with_the_error_that_it_uncovered() -> None:
    def model(text: str, id: str) -> dict[str, Any]:
        found = detector(text, id)
        if '"targets"' in text:
            for one in found["result"]["phases"]:
                one["output"] = HEADS | {"leaves": [], "access": []}
        return found

    report, _ = run(model, device=lambda ids: [shown(id, "failed", NO_TUPLE) for id in ids])
    assert (report.workflow, report.decision, report.earlier) == ("missing-inputs", "new-failure", [])
    assert "def unpack_forward_output" not in report.edits[LOADER].after
    assert {op.value for op in report.operations if op.path == ("reason",)} == {NO_TUPLE}
    assert any(line.startswith("unpack-forward-output follows, and came to no result") for line in report.review)


def test_a_second_edit_that_a_device_refutes_is_taken_back_to_the_first() -> None:
    report, effects = run(mixed, device=lambda ids: [shown(id, "failed", MISMATCH) for id in ids])
    assert report.decision == "wrong-fix-site"
    assert "def unpack_forward_output" in report.edits[LOADER].after
    assert "zeros(batch_size, 4)" in report.edits[LOADER].after
    assert any(isinstance(effect, RevertLoader) for effect in effects)
    assert {op.value for op in report.operations if op.path == ("reason",)} == {MISMATCH}


def test_a_variant_that_only_the_second_failure_concerns_is_decided_with_the_others() -> None:
    def model(text: str, id: str) -> dict[str, Any]:
        if id == SIBLING and "def unpack_forward_output" not in text:
            return result(id, ("unpack", NO_TUPLE), ("unpack", NO_TUPLE))
        return detector(text, id) if id != SIBLING else result(id, ("", ""), ("", ""))

    report, _ = run(model)
    assert {one.id for one in report.scope} == {TARGET, SIBLING}
    assert {op.id for op in report.operations if op.value == "EXPECTED_PASSING"} == {TARGET, SIBLING}
    assert not any("was left out" in line for line in report.review)


def test_another_variant_that_a_workflow_helps_next_is_named() -> None:
    def model(text: str, id: str) -> dict[str, Any]:
        found = detector(text, id)
        return result(id, ("", ""), ("", "")) if id == TARGET and '"targets"' in text else found

    report, _ = run(model)
    assert (report.workflow, report.decision, report.earlier) == ("missing-inputs", "fixed", [])
    assert f"{SIBLING} now fails where unpack-forward-output helps: triage it next" in report.review
