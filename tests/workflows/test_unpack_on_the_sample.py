# SPDX-License-Identifier: Apache-2.0
"""unpack-forward-output on real models: every row of its table."""

from collections.abc import Callable
from pathlib import Path

from tests.workflows.conftest import TRAINING, Sample

GRID = "grid_detector/pytorch-N-single_device-training"
INDOOR, OUTDOOR = (f"depth_unet/pytorch-{name}-single_device-training" for name in ("Indoor", "Outdoor"))
STEREO = "stereo_depth/pytorch-single_device-training"
REGISTRY = "training_utils.py"
LAST_LINE = '_register_attr("TokenClassifierOutput", "logits")\n'
UNET = "depth_unet/pytorch/src/model.py"


def test_a_list_takes_an_override_in_its_loader(sample: Sample, untouched: Callable[[], None]) -> None:
    untouched()
    told = sample.told(GRID)
    assert (told["workflow"], told["decision"]) == ("unpack-forward-output", "override")
    assert told["loader_edit"]["path"].endswith("grid_detector/pytorch/loader.py")
    assert "+    def unpack_forward_output(self" in told["loader_edit"]["diff"]
    assert told["scope"] == [GRID, GRID.replace("-N-", "-S-")]
    assert [phase["ok"] for phase in told["cpu"][-1]["phases"]] == [True, True]


def test_a_class_of_several_models_is_registered_for_all_of_them(sample: Sample, tmp_path: Path) -> None:
    told = sample.told(INDOOR)
    assert (told["decision"], set(told["scope"])) == ("registry", {INDOOR, OUTDOOR, STEREO})
    assert '+_register_attr("DepthMapOutput", "predicted_depth")' in told["loader_edit"]["diff"]
    assert told["loader_edit"]["diff"].count("\n+") == 2
    assert any("stereo_depth/pytorch" in line and "confirmed" in line for line in told["reach"])
    xml = sample.device_result(tmp_path / "junit.xml", {INDOOR: "", OUTDOOR: "", STEREO: ""})
    called = sample.triage(INDOOR, "--device-result", xml, "--apply", "--json")
    yaml = (sample.checkout.test_config / TRAINING).read_text()
    assert called.code == 0
    assert "No handler for class DepthMapOutput" not in yaml
    lines = [line for line in sample.read(REGISTRY).splitlines() if line.startswith("_register_attr(")]
    assert lines == sorted(lines)


def test_a_handler_that_gives_no_tensor_loses_its_line(sample: Sample) -> None:
    sample.change(REGISTRY, LAST_LINE, f'_register_attr("DepthMapOutput", "predicted_depth")\n{LAST_LINE}')
    sample.change(UNET, "predicted_depth: torch.Tensor", "predicted_depth: tuple")
    sample.change(
        UNET,
        "DepthMapOutput(self.farthest * torch.sigmoid(self.decode(features)).squeeze(1), features)",
        "DepthMapOutput((self.farthest * torch.sigmoid(self.decode(features)).squeeze(1),), features)",
    )
    called = sample.triage(INDOOR, "--json")
    told = called.json
    if told["waiting"] and told["waiting"]["question"]:
        told = sample.told(INDOOR, "--choose", 1)
    assert (told["flavour"], told["decision"]) == ("wrong_handler", "registry-wrong")
    assert '-_register_attr("DepthMapOutput", "predicted_depth")' in told["loader_edit"]["diff"]
    assert "+    def unpack_forward_output(self" in told["loader_edit"]["diff"]
    assert len(told["loader_edit"]["paths"]) == 2


def test_what_a_family_does_not_settle_is_laid_out_and_chosen(sample: Sample) -> None:
    sample.change(UNET, "predicted_depth", "near")
    sample.change(UNET, "features: torch.Tensor", "far: torch.Tensor")
    asked = sample.triage(INDOOR, "--json")
    assert asked.code == 1
    choices = asked.json["waiting"]["choices"]
    assert choices[0].startswith("near: Every parameter gets a gradient. ")
    assert choices[-1].startswith("far: No gradient for 2 of 4 parameters: decode. ")
    assert "The first, near, leaves no parameter without a gradient." in asked.json["waiting"]["question"]
    assert asked.json["ops"] == []
    assert sample.triage(INDOOR, "--choose", 99).code == 64
    chosen = sample.triage(INDOOR, "--choose", 1, "--choose", 7, "--json")
    assert (chosen.json["waiting"]["question"], chosen.json["decision"]) == (None, "registry")
    assert '"DepthMapOutput", "near"' in chosen.json["loader_edit"]["diff"]
    assert "--choose 7 was not used" in chosen.err


def test_an_override_that_is_there_and_an_output_that_is_unpacked_leave_the_entry(sample: Sample) -> None:
    there = sample.told("lstm_forecaster/pytorch-Hourly-single_device-training", "--workflow", "unpack-forward-output")
    stale = sample.told("patch_vit/pytorch-Small_Patch8-single_device-training")
    assert (there["decision"], there["loader_edit"]) == ("already-handled", None)
    assert (stale["workflow"], stale["decision"]) == ("unpack-forward-output", "already-handled")
    assert "--force-run" in stale["waiting"]["command"]


def test_a_removed_registry_line_comes_back(sample: Sample) -> None:
    line = '_register_attr("ImageClassifierOutput", "logits")\n'
    before = sample.read(REGISTRY)
    sample.change(REGISTRY, line, "")
    called = sample.triage("patch_vit/pytorch-Small_Patch8-single_device-training", "--apply", "--json")
    assert called.json["decision"] == "registry"
    assert sample.read(REGISTRY) == before


def test_a_failure_behind_the_output_becomes_the_reason(sample: Sample) -> None:
    sample.change(
        "grid_detector/pytorch/src/model.py",
        "hidden = torch.relu(self.stem(image))",
        "hidden = torch.relu(self.stem(image))\n        hidden.register_hook(_refuse)",
    )
    path = sample.checkout.models / "grid_detector/pytorch/src/model.py"
    path.write_text(path.read_text() + "\n\ndef _refuse(gradient):\n    raise ValueError('no backward')\n")
    told = sample.told(GRID)
    assert told["decision"] == "override"
    assert {op["value"] for op in told["ops"] if op["path"] == ["reason"]} == {"ValueError: no backward"}
