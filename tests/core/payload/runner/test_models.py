# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.models: what counts as a loader, what it contributes, and what is in the way."""

import json
import sys
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.runner.models import directories_of, loader_directories

from .conftest import LOADER, Checkout


def test_which_directories_count(checkout: Checkout) -> None:
    counted = ["a/b/pytorch", "z/pytorch", "a/jax", "suryaocr/jax"]
    for directory in (*counted, "suryaocr/pytorch", "a/onnx", "a/pytorch2"):
        checkout.loader(directory)
    (checkout.models / "bare/pytorch").mkdir(parents=True)
    assert loader_directories(checkout.models) == counted


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("a/pytorch-single_device-inference", ["a/pytorch"]),
        ("a/pytorch-b/pytorch-c-single_device-inference", ["a/pytorch", "a/pytorch-b/pytorch"]),
        ("a/jax-x-single_device-inference", []),
        ("../checkout/a/pytorch-x", []),
        ("Panorama Segmenter", []),
    ],
)
def test_an_id_tells_its_loader(checkout: Checkout, id: str, found: list[str]) -> None:
    checkout.loader("a/pytorch")
    checkout.loader("a/pytorch-b/pytorch")
    assert directories_of(checkout.models, id) == found


def test_variants_prefill_classes_and_inheritance(checkout: Checkout) -> None:
    checkout.loader(
        "lm/pytorch",
        f"""{LOADER}
    def load_inputs_decode(self):
        pass
class Zulu(ForgePrefillModel):
    _VARIANTS = {{ModelVariant.LARGE: 1}}
""",
    )
    checkout.loader(
        "lm_lora/pytorch",
        "from tt_forge_models.lm.pytorch.loader import ModelLoader as Base, Zulu\nclass ModelLoader(Base):\n    pass\n",
    )
    checkout.loader("plain/pytorch", "from ...base import ForgeModel\nclass ModelLoader(ForgeModel):\n    pass\n")
    ids = checkout.run("--collect-only", "-q").ids()
    bases = {id.partition("[")[2].partition("-single_device-inference")[0] for id in ids if "-single_device-inf" in id}
    assert {"lm/pytorch-Base", "lm/pytorch-v1.5/Large-2", "plain/pytorch"} <= bases
    llm = {id.partition("-seq_")[0] for id in ids if id.startswith("test_llms_torch")}
    assert llm == {
        "test_llms_torch[lm/pytorch-Base-llm_decode",
        "test_llms_torch[lm/pytorch-v1.5/Large-2-llm_decode",
        "test_llms_torch[lm/pytorch-v1.5/Large-2-llm_prefill",
        "test_llms_torch[lm_lora/pytorch-Base-llm_decode",
        "test_llms_torch[lm_lora/pytorch-v1.5/Large-2-llm_decode",
    }


def test_what_cannot_be_imported_is_listed_and_the_rest_is_collected(checkout: Checkout, tmp_path: Path) -> None:
    checkout.loader("good/pytorch")
    checkout.loader("absent/pytorch", "import no_such_package\n")
    checkout.loader("exits/pytorch", "raise SystemExit('no')\n")
    checkout.loader("bare/jax", "x = 1\n")
    file = tmp_path / "problems.json"
    done = checkout.run("--collect-only", "-q", f"--import-problems={file}")
    assert done.code == 0
    assert {id.partition("[")[2].partition("/")[0] for id in done.ids()} == {"good"}
    assert "loaders that cannot be imported: 3" in done.output
    assert "absent/pytorch: ModuleNotFoundError: No module named 'no_such_package'" in done.output
    problems = {one["loader"]: one for one in json.loads(file.read_text())}
    assert {name: one["error_type"] for name, one in problems.items()} == {
        "absent/pytorch": "ModuleNotFoundError",
        "exits/pytorch": "SystemExit",
        "bare/jax": "AttributeError",
    }
    assert problems["exits/pytorch"]["python"] == sys.executable


def test_only_red_models_where_the_environment_says_so(checkout: Checkout) -> None:
    checkout.loader("red/pytorch", f"{LOADER}    GROUP = Group.RED\n")
    checkout.loader("other/pytorch")
    done = checkout.run("--collect-only", "-q", environ={"TT_XLA_RED_ONLY": "1"})
    assert {id.partition("[")[2].partition("/")[0] for id in done.ids()} == {"red"}


def test_a_clone_of_the_models_alone_may_have_any_name(checkout: Checkout, tmp_path: Path) -> None:
    checkout.loader("a/pytorch", LOADER + "import third_party.tt_forge_models.base\n")
    clone = tmp_path / "tt-forge-models"
    checkout.models.rename(clone)
    done = checkout.run("--collect-only", "-q", f"--models-root={clone}")
    assert len(done.ids()) == 2 * (6 + 2), done.output
