# SPDX-License-Identifier: Apache-2.0
"""What a loader fetches through torch.hub, torchvision, timm and pytorchcv: by variant, with the name of the model."""

from pathlib import Path

import pytest

from core.sources.downloads import Fetched, HubName, Library, WeightFile, Weights, torchvision_files
from tests.core.sources.downloads.conftest import Fetch

LOADER = """
import timm
import torch
from torchvision import models
class ModelSource(StrEnum):
    TORCHVISION, TORCH_HUB, TIMM, OSMR, CUSTOM, JAX = "torchvision", "torch_hub", "timm", "osmr", "custom", "jax"
@dataclass
class Config(ModelConfig):
    source: ModelSource = ModelSource.TORCHVISION
    hub_repo: str = None
class ModelVariant(StrEnum):
    TIMM = "Timm"
    TAGGED = "Tagged"
    VISION = "Vision"
    FIRST = "First"
    HUB = "Hub"
    OSMR = "Osmr"
    FILE = "File"
class ModelLoader(ForgeModel):
    SHARED = Config(pretrained_model_name="alexnet")
    _VARIANTS = {
        ModelVariant.TIMM: Config(pretrained_model_name="resnet50", source=ModelSource.TIMM),
        ModelVariant.TAGGED: Config(pretrained_model_name="resnet50.a1_in1k", source=ModelSource.TIMM),
        ModelVariant.VISION: Config(pretrained_model_name="resnet18"),
        ModelVariant.FIRST: SHARED,
        ModelVariant.HUB: Config(pretrained_model_name="unet", source=ModelSource.TORCH_HUB, hub_repo="a/b:v1"),
        ModelVariant.OSMR: Config(pretrained_model_name="vgg11", source=ModelSource.OSMR),
        ModelVariant.FILE: Config(pretrained_model_name="tiny", source=ModelSource.CUSTOM),
    }
    def load_model(self):
        from pytorchcv.model_provider import get_model as ptcv_get_model
        cfg = self._variant_config
        model_name = cfg.pretrained_model_name
        source = self._variant_config.source
        if source == ModelSource.TIMM:
            model = timm.create_model(model_name, pretrained=True)
        elif source == ModelSource.TORCH_HUB and cfg.hub_repo is not None:
            model = torch.hub.load(cfg.hub_repo, model_name, pretrained=True)
        elif source == ModelSource.TORCHVISION and not model_name == "alexnet":
            weight_class_name = model_name.replace("resnet", "ResNet") + "_Weights"
            weights = getattr(models, weight_class_name).DEFAULT
            model_func = getattr(models, model_name)
            model = model_func(weights=weights)
        elif source in (ModelSource.TORCHVISION, ModelSource.JAX):
            model = models.alexnet(pretrained=True)
        elif source == ModelSource.OSMR:
            model = ptcv_get_model(model_name, pretrained=True)
        else:
            url = f"https://files/{model_name}.pth"
            model = torch.hub.load_state_dict_from_url(url, progress=False)
        return model
"""


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        ("Timm", Weights(Library.TIMM, "resnet50")),
        ("Vision", Weights(Library.TORCHVISION, "resnet18", member="DEFAULT")),
        ("First", Weights(Library.TORCHVISION, "alexnet")),
        ("Hub", Weights(Library.TORCH_HUB, "unet", "a/b:v1")),
        ("Osmr", Weights(Library.PYTORCHCV, "vgg11")),
        ("File", Weights(Library.TORCH_HUB, "https://files/tiny.pth")),
    ],
)
def test_of_branches_only_the_one_of_the_variant_counts(fetch: Fetch, variant: str, wanted: Weights) -> None:
    assert fetch(LOADER, variant).weights == (wanted,)
    assert fetch(LOADER, variant).hub == ()


def test_what_timm_takes_from_the_hub_is_one_of_its_repositories(fetch: Fetch) -> None:
    tagged = fetch(LOADER, "Tagged")
    assert tagged.hub == (HubName("model", "timm/resnet50.a1_in1k"),)
    assert tagged.weights == ()
    named = fetch('import timm\ndef f(): timm.create_model("hf_hub:org/x", pretrained=True)')
    assert named.hub == (HubName("model", "org/x"),)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("timm.create_model(name(), pretrained=True)", [Weights(Library.TIMM, "")]),
        ("timm.create_model('x', pretrained=False)", []),
        ("timm.create_model('x')", []),
        ("torchvision.models.resnet18(weights=None)", []),
        ("torchvision.models.resnet18()", []),
        ("torchvision.models.vit_b_16(weights='IMAGENET1K_SWAG')", ["IMAGENET1K_SWAG"]),
        ("torch.hub.load('a/b', 'c', pretrained=False)", [Weights(Library.TORCH_HUB, "c", "a/b", pretrained=False)]),
        ("torch.hub.load('here', 'c', source='local')", []),
        ("torch.hub.load(place(), 'c')", [Weights(Library.TORCH_HUB, "c")]),
    ],
)
def test_calls(fetch: Fetch, call: str, wanted: list[object]) -> None:
    source = f"import timm, torch, torchvision\nclass ModelLoader:\n    x = 1\n    def load_model(self): {call}"
    found = fetch(source).weights
    assert [one.member if isinstance(want, str) else one for one, want in zip(found, wanted, strict=True)] == wanted


def test_a_name_that_is_assigned_twice_is_not_guessed(fetch: Fetch) -> None:
    source = "import timm\ndef f():\n    n = 'a'\n    n = 'b'\n    timm.create_model(n, pretrained=True)"
    (one,) = fetch(source).weights
    assert one.text == "timm (a name that is made as it runs)"


@pytest.mark.parametrize("source", ["", "timm(", "a = a\nimport timm\ntimm.create_model(a, pretrained=True)\0"])
def test_what_is_no_python_fetches_nothing(fetch: Fetch, source: str) -> None:
    assert fetch(source) == Fetched()


def test_names_that_refer_to_each_other_end(fetch: Fetch) -> None:
    source = "import timm\ndef f():\n    a = b\n    b = a\n    timm.create_model(a, pretrained=True)"
    assert fetch(source).weights == (Weights(Library.TIMM, ""),)


def test_pages() -> None:
    assert Weights(Library.TORCH_HUB, "c", "a/b:v1").page == "https://github.com/a/b"
    assert Weights(Library.TORCHVISION, "c").page == ""
    assert Weights(Library.TORCH_HUB, "https://files/x.pth").address == "https://files/x.pth"


TORCHVISION = """
class ResNet18_Weights(WeightsEnum):
    IMAGENET1K_V1 = Weights(url="https://files/resnet18-a.pth", meta={**_COMMON, "_file_size": 44.5})
    IMAGENET1K_V2 = Weights(url="https://files/resnet18-b.pth", meta={**_COMMON})
    DEFAULT = IMAGENET1K_V2
@register_model()
@handle_legacy_interface(weights=("pretrained", ResNet18_Weights.IMAGENET1K_V1))
def resnet18(*, weights=None): ...
"""


def test_torchvision_says_where_its_weights_are_and_how_large(tmp_path: Path) -> None:
    (tmp_path / "detection").mkdir()
    (tmp_path / "detection/resnet.py").write_text(TORCHVISION)
    (tmp_path / "broken.py").write_text("(")
    found = torchvision_files(tmp_path)
    first = WeightFile("https://files/resnet18-a.pth", 46661632)
    second = WeightFile("https://files/resnet18-b.pth", None)
    assert found == {
        ("resnet18", ""): first,
        ("resnet18", "IMAGENET1K_V1"): first,
        ("resnet18", "IMAGENET1K_V2"): second,
        ("resnet18", "DEFAULT"): second,
    }
