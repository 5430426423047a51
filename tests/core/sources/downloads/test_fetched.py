# SPDX-License-Identifier: Apache-2.0
"""What the modules beside a loader fetch for it: followed through imports, calls and arguments; nothing is imported."""

import pytest

from core.sources.downloads import Fetched, HubName, Library, Weights
from tests.core.sources.downloads.conftest import Fetch

BESIDE = "some/pytorch/src/model_utils.py"
VARIANTS = """
from enum import StrEnum
class ModelVariant(StrEnum):
    SMALL = "Small"
    LARGE = "Large"
"""


def _loader(imports: str, body: str, base: str = "ForgeModel") -> str:
    return f"""{VARIANTS}
{imports}
class ModelLoader({base}):
    _VARIANTS = {{
        ModelVariant.SMALL: ModelConfig(pretrained_model_name="org/small"),
        ModelVariant.LARGE: ModelConfig(pretrained_model_name="org/large"),
    }}
    def load_model(self, dtype_override=None):
        {body}
    def output_postprocess(self, output):
        return get_file("https://files/labels.json")
"""


def _model(name: str) -> HubName:
    return HubName("model", name)


@pytest.mark.parametrize(
    "imports",
    [
        "from .src.model_utils import load",
        "from .src import model_utils\nload = model_utils.load",
        "from third_party.tt_forge_models.some.pytorch.src.model_utils import load",
        "from .src import *",
        "from .src import load",
    ],
)
def test_what_a_module_beside_it_fetches_is_found_however_it_is_imported(fetch: Fetch, imports: str) -> None:
    beside = 'REPO = "org/" + "vae"\ndef load(): return AutoencoderKL.from_pretrained(REPO)'
    package = {"some/pytorch/src/__init__.py": "from .model_utils import load", BESIDE: beside}
    found = fetch(_loader(imports, "return load()"), "Small", package)
    assert found.hub == (_model("org/small"), _model("org/vae")) and not found.unknown


def test_only_what_its_code_comes_to_counts(fetch: Fetch) -> None:
    beside = """
def load(): return inner()
def inner(): return hf_hub_download(repo_id="org/used", filename="x")
def other(): return hf_hub_download(repo_id="org/not-used", filename="x")
class Used:
    def __init__(self, labels=None): self.labels = get_file("test_files/labels.txt")
    def forward(self, x): return get_file("test_files/" + "mask.pt")
    def rest(self): return get_file("test_files/never.pt")
class Unused(Used):
    def __init__(self): get_file("test_files/unused.pt")
"""
    source = _loader("from .src.model_utils import load, other, Used, Unused", "load(); return Used()")
    found = fetch(source, "Small", {BESIDE: beside})
    assert found.hub == (_model("org/small"), _model("org/used"))
    assert set(found.files) == {"test_files/labels.txt", "test_files/mask.pt"}


def test_arguments_go_with_the_call_and_decide_branches(fetch: Fetch) -> None:
    beside = """
URLS = {"Small": "https://files/s.pth", "Large": "https://files/l.pth"}
class Net:
    def __init__(self, name, pretrained=False):
        self.name = name
        if pretrained:
            torch.hub.load_state_dict_from_url(URLS[name])
        if name == "Small":
            return
        snapshot_download("org/extra")
    def sizes(self):
        return load_dataset(f"org/{self.name}")
"""
    source = _loader("from .src.model_utils import Net", "return Net(self._variant, {}).sizes()")
    files = {BESIDE: "import torch\n" + beside}
    small = fetch(source.replace("{})", "pretrained=True)"), "Small", files)
    assert small.weights == (Weights(Library.TORCH_HUB, "https://files/s.pth"),)
    assert small.hub == (HubName("dataset", "org/Small"),)
    large = fetch(source.replace(", {})", ")"), "Large", files)
    assert large.weights == ()
    assert set(large.hub) == {_model("org/large"), _model("org/extra"), HubName("dataset", "org/Large")}


def test_what_only_running_it_tells_is_said_by_its_place(fetch: Fetch) -> None:
    beside = """
import torchvision
def load(config):
    torchvision.models.resnet18(pretrained=True) if config.deep == 18 else None
    if config.depth == 18:
        torchvision.models.resnet18(pretrained=True)
    elif config.depth == 34:
        torchvision.models.resnet34(pretrained=True)
    get_file(config.name)
"""
    source = _loader("from .src.model_utils import load", "return load(read())")
    found = fetch(source, "Small", {BESIDE: beside})
    assert found.files == ()
    assert {f"{BESIDE}:{line}" for line in (6, 8, 9)} <= set(found.unknown)


def test_what_makes_results_readable_is_fetched_by_no_run(fetch: Fetch) -> None:
    assert fetch(_loader("", "return 1"), "Small") == Fetched()
    assert fetch(_loader("", "return self.output_postprocess(1)"), "Small").files == ("https://files/labels.json",)


def test_a_loader_that_is_another_ones_child_fetches_as_that_does(fetch: Fetch) -> None:
    parent = _loader("", "return AutoModel.from_pretrained(self._variant_config.pretrained_model_name)")
    child = "from ...other.pytorch.loader import ModelLoader as Parent\nclass ModelLoader(Parent):\n    pass"
    files = {"other/pytorch/loader.py": parent}
    assert fetch(child, "Large", files).hub == (_model("org/large"),)
    assert fetch("from ...other.pytorch.loader import ModelLoader", "Large", files).hub == (_model("org/large"),)


def test_a_change_beside_it_is_seen_and_circles_end(fetch: Fetch) -> None:
    source = _loader("from .src.model_utils import load", "return load()")
    beside = "from ..loader import ModelLoader\nfrom . import model_utils\ndef load():\n    load()\n    {}"
    assert fetch(source, "Small", {BESIDE: beside.format("get_file('test_files/a')")}).files == ("test_files/a",)
    assert fetch(source, "Small", {BESIDE: beside.format("get_file('test_files/other')")}).files == (
        "test_files/other",
    )
    assert fetch(source, "Small", {BESIDE: "def load(: from_pretrained"}) == Fetched()


MADE = """
    def __init__(self, variant=None, part=None):
        super().__init__(variant)
        self.part = part
        self.sizes = {"Small": "s", "Large": "l"}
        self.file = f"test_files/{self.sizes[str(self._variant)]}.pth"
    def load_inputs(self):
        get_file(self.file)
        if str(self._variant) == "Large": get_file("only/large.txt")
        if self.part == "decoder": get_file("only/decoder.txt")
        return get_file(self._address())
    def _address(self):
        for at in (1, 2):
            last = f"https://files/{self._variant}/{at}"
        return last
"""
BASE = """
class ForgeModel:
    def __init__(self, variant=None):
        self._variant = variant
        self._variant_config = self._VARIANTS[variant]
"""


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [
        ("Small", ("test_files/s.pth", "https://files/Small/2")),
        ("Large", ("test_files/l.pth", "only/large.txt", "https://files/Large/2")),
    ],
)
def test_names_are_those_that_a_loader_comes_to_as_a_run_makes_it(
    fetch: Fetch, variant: str, wanted: tuple[str, ...]
) -> None:
    source = _loader("from ...base import ForgeModel", "return 1").replace("get_file", "print") + MADE
    found = fetch(source, variant, {"base.py": BASE})
    assert (found.files, found.unknown) == (wanted, ())


ODD = {
    "no table": "class ModelLoader:\n _VARIANTS = [1]\n def load_model(self): A.from_pretrained('a/b')",
    "its own base": "class ModelLoader(ModelLoader):\n def load_model(self): A.from_pretrained('a/b')",
    "without an end": (
        "class ModelLoader:\n"
        " def __init__(self): self.x = self.y\n"
        " def load_model(self):\n  for one in range(10**9): A.from_pretrained('a/b')\n  return self.load_model()\n"
        " def load_inputs(self): self.y = self.x\n"
    ),
    "a long chain": "\n".join(
        [f"def f{at}(x): return f{(at + 1) % 300}(x + 'a') or A.from_pretrained('a/b')" for at in range(300)]
        + ["class ModelLoader:", " def load_model(self): return f0('o')"]
    ),
}


@pytest.mark.parametrize("source", ODD.values(), ids=ODD)
def test_odd_code_has_the_downloads_that_it_shows(fetch: Fetch, source: str) -> None:
    assert fetch(source, "any").hub == (_model("a/b"),)
