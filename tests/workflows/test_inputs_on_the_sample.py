# SPDX-License-Identifier: Apache-2.0
"""missing-inputs on real models: every flavour and every row of its table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workflows.conftest import Sample

R18, R34 = (f"anchor_rcnn/pytorch-{name}-single_device-training" for name in ("R18", "R34"))
MINI = "seq2seq_mini/pytorch-En_De-single_device-training"
DIM_32, DIM_64 = (f"metric_embedder/pytorch-{name}-single_device-training" for name in ("Dim_32", "Dim_64"))
RCNN = "anchor_rcnn/pytorch/src/model.py"


@pytest.mark.parametrize(
    ("id", "flavour", "scope"),
    [
        (R18, "missing_targets", [R18, R34]),
        (MINI, "decoder_inputs", [MINI]),
        (DIM_32, "bn_single_value", [DIM_32, DIM_64]),
    ],
)
def test_what_training_misses_is_given_and_inference_goes_on(
    sample: Sample, untouched: Callable[[], None], id: str, flavour: str, scope: list[str]
) -> None:
    untouched()
    told = sample.told(id)
    assert (told["workflow"], told["flavour"], told["decision"]) == ("missing-inputs", flavour, "fixed")
    assert told["scope"] == scope
    assert told["loader_edit"]["path"].endswith("/loader.py")
    after = [line for line in told["cpu"] if line["when"] == "after"]
    assert all(phase["ok"] for line in after for phase in line["phases"][:1])
    assert {line["id"].rpartition("-")[2] for line in after} == {"training", "inference"}
    assert "inference" in told["waiting"]["command"] or id == MINI


def test_inference_that_stops_working_takes_the_edit_back(sample: Sample, untouched: Callable[[], None]) -> None:
    sample.change(
        RCNN,
        "if self.training and targets is None:",
        "assert self.training or targets is None, 'no targets'\n        if self.training and targets is None:",
    )
    untouched()
    called = sample.triage(R18, "--json")
    told = called.json
    assert (called.code, told["decision"], told["loader_edit"]) == (0, "inference-regression", None)
    assert any("inference" in line for line in told["needs_review"])
    assert {op["value"] for op in told["ops"] if op["path"] == ["status"]} == {"KNOWN_FAILURE_XFAIL"}


def test_an_output_that_nobody_unpacks_behind_the_inputs_is_unpacked_too(sample: Sample) -> None:
    loader = "anchor_rcnn/pytorch/loader.py"
    text = sample.read(loader)
    at = text.index("    def unpack_forward_output(")
    (sample.checkout.models / loader).write_text(text[:at].rstrip() + "\n")
    told = sample.told(R18)
    assert (told["earlier"][0]["workflow"], told["earlier"][0]["decision"]) == ("missing-inputs", "new-failure")
    assert (told["workflow"], told["decision"]) == ("unpack-forward-output", "override")
    assert told["loader_edit"]["paths"] == [f"third_party/tt_forge_models/{loader}"]
    assert "+    def unpack_forward_output(" in told["loader_edit"]["diff"]
    assert "targets" in told["loader_edit"]["diff"]
    assert set(told["scope"]) == {R18, R34}
    assert all(phase["ok"] for line in told["cpu"][-2:] for phase in line["phases"])


def test_the_same_failure_with_the_edit_takes_it_back(sample: Sample, untouched: Callable[[], None]) -> None:
    sample.change(RCNN, "targets is None:", "targets is not False:")
    untouched()
    told = sample.told(R18)
    assert (told["decision"], told["loader_edit"], told["waiting"]) == ("edit-without-effect", None, None)
    assert any(line.startswith("not fixed: ") for line in told["needs_review"])
    assert {op["value"] for op in told["ops"] if op["path"] == ["status"]} == {"KNOWN_FAILURE_XFAIL"}


def test_a_failure_that_is_gone_aborts(sample: Sample) -> None:
    sample.change(RCNN, "if self.training and targets is None:", "if False:")
    told = sample.told(R18, "--workflow", "missing-inputs")
    assert told["aborted"]
    assert told["ops"] == []


def test_a_batch_of_two_reaches_the_device_with_inference_and_is_applied(sample: Sample, tmp_path: Path) -> None:
    sample.triage(DIM_32)
    outcomes = {id: "" for id in (DIM_32, DIM_64)}
    outcomes |= {id.replace("training", "inference"): "" for id in outcomes}
    xml = sample.device_result(tmp_path / "junit.xml", outcomes)
    called = sample.triage(DIM_32, "--device-result", xml, "--apply", "--json")
    assert called.code == 0
    assert {op["value"] for op in called.json["ops"] if op["path"] == ["status"]} == {"EXPECTED_PASSING"}
    assert {op["id"] for op in called.json["ops"]} == {DIM_32, DIM_64}


def test_inference_that_fails_on_the_device_takes_the_edit_back(sample: Sample, tmp_path: Path) -> None:
    sample.triage(DIM_32)
    bad = '<failure message="RuntimeError: x">E   RuntimeError: x</failure>'
    outcomes = {id: "" for id in (DIM_32, DIM_64)} | {
        id.replace("training", "inference"): bad for id in (DIM_32, DIM_64)
    }
    xml = sample.device_result(tmp_path / "junit.xml", outcomes)
    told = sample.told(DIM_32, "--device-result", xml)
    assert (told["decision"], told["loader_edit"]) == ("inference-regression", None)
