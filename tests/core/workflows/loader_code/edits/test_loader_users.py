# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.loader_users: on the sample's tree, and on one of our own."""

from pathlib import Path

import core.demo
from core.domain.model import Loader
from core.workflows.loader_code import ModelLibrary
from core.workflows.loader_code.edits import Confidence, returning, users

SAMPLE = Path(core.demo.__file__).parent / "tree/third_party/tt_forge_models"
LOADERS = tuple(
    Loader(path.parent.relative_to(SAMPLE).as_posix()) for path in sorted(SAMPLE.rglob("loader.py"), reverse=True)
)


def reached(output: str, **seen: str) -> dict[str, Confidence]:
    by_directory = {directory.replace("__", "/"): frozenset({kind}) for directory, kind in seen.items()}
    return {one.directory: one.confidence for one in returning(SAMPLE, LOADERS, output, by_directory)}


def test_who_names_the_class_or_imports_who_does() -> None:
    assert reached("DepthMapOutput") == {
        "depth_unet/pytorch": Confidence.NAMED,
        "stereo_depth/pytorch": Confidence.NAMED,
    }


def test_runs_confirm_and_tell_more() -> None:
    found = reached("DepthMapOutput", stereo_depth__pytorch="DepthMapOutput", bev_planner__pytorch="DepthMapOutput")
    assert found == {
        "bev_planner/pytorch": Confidence.CONFIRMED,
        "depth_unet/pytorch": Confidence.NAMED,
        "stereo_depth/pytorch": Confidence.CONFIRMED,
    }


def test_an_override_of_one_s_own_is_out_of_reach() -> None:
    assert "lstm_forecaster/pytorch" not in reached("tuple", lstm_forecaster__pytorch="tuple")


TEXT = """from transformers import AutoModelForCausalLM, AutoTokenizer
from ...base import ForgeModel


class ModelLoader(ForgeModel):
    def load_model(self):
        return AutoModelForCausalLM.from_pretrained("{name}")
"""


def tree(models: Path, **loaders: str) -> tuple[Loader, ...]:
    """A models tree of these loaders."""
    for name, text in loaders.items():
        (models / name / "pytorch").mkdir(parents=True)
        (models / name / "pytorch/loader.py").write_text(text, encoding="utf-8")
    base = "class ForgeModel:\n    def unpack_forward_output(self, x): ...\n"
    (models / "base.py").write_text(base, encoding="utf-8")
    return tuple(Loader(f"{name}/pytorch") for name in loaders)


class Library(ModelLibrary):
    """Knows one model of the Auto class."""

    def returned_by(self, name: str, about: str) -> frozenset[str] | None:
        known = {"gpt2": "CausalLMOutputWithCrossAttentions", "llama": "CausalLMOutputWithPast"}
        return next((frozenset([output]) for model, output in known.items() if model in about), None)


def test_what_a_class_returns_counts_more_than_its_name(tmp_path: Path) -> None:
    names = {"one": "openai/gpt2", "two": "meta/llama", "three": "somebody/unheard-of"}
    loaders = tree(tmp_path, **{name: TEXT.format(name=about) for name, about in names.items()})
    for library, found in ((None, ["one", "three", "two"]), (Library(tmp_path), ["one", "three"])):
        reached = returning(tmp_path, loaders, "CausalLMOutputWithCrossAttentions", {}, library)
        assert [one.directory.partition("/")[0] for one in reached] == found


def test_a_class_that_is_only_imported_is_returned_by_nobody(tmp_path: Path) -> None:
    unused = "from transformers import (\n    AutoModelForCausalLM,\n)\n\n\nclass ModelLoader:\n    pass\n"
    assert returning(tmp_path, tree(tmp_path, one=unused), "CausalLMOutputWithPast", {}) == ()


def test_libraries_make_it_possible_unless_runs_say_otherwise(tmp_path: Path) -> None:
    text = TEXT
    for name in ("a", "b"):
        (tmp_path / name / "pytorch").mkdir(parents=True)
        (tmp_path / name / "pytorch/loader.py").write_text(text, encoding="utf-8")
    (tmp_path / "base.py").write_text(
        "class ForgeModel:\n    def unpack_forward_output(self, x): ...\n", encoding="utf-8"
    )
    loaders = (Loader("a/pytorch"), Loader("b/pytorch"), Loader("c/jax"))
    found = returning(tmp_path, loaders, "CausalLMOutputWithPast", {"b/pytorch": frozenset({"tuple"})})
    assert [(one.directory, one.confidence) for one in found] == [("a/pytorch", Confidence.POSSIBLE)]
    assert "AutoModelForCausalLM" in found[0].why


def test_adapters_use_the_loader_of_their_base() -> None:
    assert users(SAMPLE, LOADERS, "nano_lm/causal_lm/pytorch") == (
        "nano_lm/causal_lm/pytorch",
        "nano_lm_lora/causal_lm/pytorch",
    )
    assert users(SAMPLE, LOADERS, "tinynet/pytorch") == ("tinynet/pytorch",)
