# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.weight_files: which weights of torch.hub, torchvision, timm and pytorchcv are not here."""

from pathlib import Path

import pytest

from core.runs.planning import Download, Sources
from core.runs.planning.downloads import Kind
from core.runs.planning.weight_files import with_weights
from core.sources import Checkout

TEST = "some/pytorch-single_device-inference"
TORCHVISION = """
class ResNet18_Weights(WeightsEnum):
    DEFAULT = Weights(url="https://files/resnet18-f37072fd.pth", meta={"_file_size": 44.5})
@handle_legacy_interface(weights=("pretrained", ResNet18_Weights.DEFAULT))
def resnet18(*, weights=None): ...
"""
HEAD = "import timm, torch\nfrom torchvision import models\nfrom pytorchcv.model_provider import get_model\n"


class _Trial:
    def __init__(self, place: Path) -> None:
        self.checkout = Checkout(place / "tt-xla")
        self.python = place / "venv/bin/python"
        self.home = place / "torch"
        self.environ = {"TORCH_HOME": str(self.home), "HF_HOME": str(place / "hf")}

    def sources(self, call: str) -> Sources:
        place = self.checkout.models / "some/pytorch"
        place.mkdir(parents=True, exist_ok=True)
        (place / "loader.py").write_text(f"{HEAD}def load_model():\n    return {call}\n")
        return with_weights(Sources([], [], []), self.checkout, [TEST], self.python, self.environ)

    def absent(self, call: str) -> list[Download]:
        return list(self.sources(call).downloads)


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Trial:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return _Trial(tmp_path)


def _make(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.touch()


@pytest.mark.parametrize(
    ("call", "text", "here"),
    [
        ("models.resnet18(pretrained=True)", "torchvision resnet18", "torch/hub/checkpoints/resnet18-f37072fd.pth"),
        ("timm.create_model('dla34', pretrained=True)", "timm dla34", "hf/hub/models--timm--dla34.in1k/x"),
        ("get_model('vgg11', pretrained=True)", "pytorchcv vgg11", "home/.torch/models/vgg11-0880-381c.pth"),
        ("models.ssd(weights='COCO_V1')", "torchvision ssd", "torch/hub/checkpoints/ssd_coco-b556d3b4.pth"),
        ("torch.hub.load('a/b', 'unet', pretrained=True)", "torch.hub a/b unet", "torch/hub/a_b_main/hubconf.py"),
        ("torch.hub.load('a/b:v1', 'c', pretrained=False)", "torch.hub a/b:v1 c (code)", "torch/hub/a_b_v1/x"),
    ],
)
def test_what_is_absent_until_it_is_there(trial: _Trial, tmp_path: Path, call: str, text: str, here: str) -> None:
    assert trial.absent(call) == [Download(Kind.WEIGHTS, text)]
    _make(tmp_path / here)
    assert trial.absent(call) == []


def test_the_repository_of_torchvision_has_weights_for_each_model(trial: _Trial) -> None:
    call = "torch.hub.load('pytorch/vision:v0.10.0', 'vgg19_bn', pretrained=True)"
    _make(trial.home / "hub/pytorch_vision_v0.10.0/hubconf.py")
    _make(trial.home / "hub/checkpoints/vgg19-dcbb9e9d.pth")
    assert trial.absent(call) == [Download(Kind.WEIGHTS, "torch.hub pytorch/vision:v0.10.0 vgg19_bn")]
    (trial.home / "hub/checkpoints/vgg19_bn-c79401a0.pth").touch()
    assert trial.absent(call) == []


def test_a_file_has_its_address(trial: _Trial) -> None:
    call = "torch.hub.load_state_dict_from_url('https://files/x.pth?raw=1')"
    assert trial.absent(call) == [Download(Kind.FILE, "https://files/x.pth?raw=1")]
    _make(trial.home / "hub/checkpoints/x.pth")
    assert trial.absent(call) == []


def test_sizes_are_those_that_the_installed_torchvision_has(trial: _Trial) -> None:
    models = trial.python.parent.parent / "lib/python3.12/site-packages/torchvision/models"
    models.mkdir(parents=True)
    (models / "resnet.py").write_text(TORCHVISION)
    (found,) = trial.absent("models.resnet18(weights=models.ResNet18_Weights.DEFAULT)")
    assert found.text == "torchvision resnet18 (44.5 MiB)"
    _make(trial.home / "hub/checkpoints/resnet18-0000aaaa.pth")
    assert trial.absent("models.resnet18(pretrained=True)") == [found]


@pytest.mark.parametrize("name", ["/etc", "../x", "[a", "**/", "a\\0b", "\\ud800"])
def test_odd_names_are_looked_for_and_absent(trial: _Trial, name: str) -> None:
    (found,) = trial.absent(f"torch.hub.load('a/b', '{name}')")
    assert found.kind is Kind.WEIGHTS
    (found,) = trial.absent(f"torch.hub.load_state_dict_from_url('https://[{name}')")
    assert found.kind is Kind.FILE


def test_where_the_cache_is_and_what_says_so(trial: _Trial) -> None:
    ((fact, explained),) = trial.sources("models.resnet18(pretrained=True)").notes
    assert fact == f"Files of torch.hub and torchvision are cached in {trial.home / 'hub'}"
    assert explained.startswith("TORCH_HOME says so")
    assert trial.sources("1") == Sources([], [], [])
