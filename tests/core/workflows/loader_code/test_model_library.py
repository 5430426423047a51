# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.model_library: what forward returns, read from source text."""

from pathlib import Path

import pytest

from core.workflows.loader_code import ModelLibrary
from core.workflows.loader_code.model_library import mentioned_by, normal

AUTO = """
MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = OrderedDict(
    [
        ("llama", "LlamaForCausalLM"),
        ("gpt2", "GPT2LMHeadModel"),
        ("qwen2_vl", ("Qwen2VLForA", "GPT2LMHeadModel")),
        ("odd", "NowhereForCausalLM"),
    ]
)
MODEL_FOR_CAUSAL_LM_MAPPING = _LazyAutoMapping(CONFIG_MAPPING_NAMES, MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


class AutoModelForCausalLM(_BaseAutoModelClass):
    _model_mapping = MODEL_FOR_CAUSAL_LM_MAPPING
"""
MODELS = """
class Base(PreTrainedModel):
    def helper(self) -> BaseModelOutput:
        pass

    def forward(
        self,
        input_ids: torch.LongTensor | None = None,
        other: tuple[int, ...] = (),
    ) -> tuple | CausalLMOutputWithPast:
        if input_ids is None:
            return (1,)
        return super().forward()

    def later(self) -> SecondOutput:
        pass


@auto
class LlamaForCausalLM(Base, GenerationMixin):
    pass


class GPT2LMHeadModel(PreTrainedModel):
    def forward(self, x) -> Union[tuple, CausalLMOutputWithCrossAttentions]:
        return x


class Qwen2VLForA(PreTrainedModel):
    def forward(self, x) -> CausalLMOutputWithPast:
        return Qwen2VLCausalLMOutputWithPast(x)


class Bare(PreTrainedModel):
    def forward(self, x):
        return x
"""


@pytest.fixture
def library(tmp_path: Path) -> ModelLibrary:
    package = tmp_path / "lib/python3.12/site-packages/transformers"
    for name, text in (("auto/modeling_auto.py", AUTO), ("llama/modeling_llama.py", MODELS)):
        (package / "models" / name).parent.mkdir(parents=True)
        (package / "models" / name).write_text(text)
    found = ModelLibrary.beside(tmp_path / "bin/python")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "outputs"),
    [
        ("Base", {"CausalLMOutputWithPast"}),
        ("LlamaForCausalLM", {"CausalLMOutputWithPast"}),
        ("GPT2LMHeadModel", {"CausalLMOutputWithCrossAttentions"}),
        ("Qwen2VLForA", {"CausalLMOutputWithPast", "Qwen2VLCausalLMOutputWithPast"}),
        ("Bare", None),
        ("Nobody", None),
    ],
)
def test_a_class_returns_what_its_forward_says_and_makes(
    library: ModelLibrary, name: str, outputs: set[str] | None
) -> None:
    assert library.returned_by(name, "") == (None if outputs is None else frozenset(outputs))


@pytest.mark.parametrize(
    ("repository", "outputs"),
    [
        ("meta-llama/Llama-3.1-8B", {"CausalLMOutputWithPast"}),
        ("openai-community/gpt2", {"CausalLMOutputWithCrossAttentions"}),
        (
            "Qwen/Qwen2-VL-2B",
            {"CausalLMOutputWithPast", "Qwen2VLCausalLMOutputWithPast"} | {"CausalLMOutputWithCrossAttentions"},
        ),
        ("somebody/unheard-of", None),
        ("somebody/odd", None),
    ],
)
def test_an_auto_class_returns_what_the_models_do_that_the_loader_is_about(
    library: ModelLibrary, repository: str, outputs: set[str] | None
) -> None:
    about = mentioned_by("a/pytorch", f'pretrained_model_name="{repository}"')
    assert library.returned_by("AutoModelForCausalLM", about) == (None if outputs is None else frozenset(outputs))


def test_names_are_compared_without_what_people_write_differently() -> None:
    assert normal("Qwen3_VL") == normal("qwen-3-vl")
    assert mentioned_by("qwen_3_vl/pytorch", "x = 'Qwen/Qwen3-VL'") == "qwen3vlpytorch qwenqwen3vl"


def test_no_environment_has_no_library(tmp_path: Path) -> None:
    assert ModelLibrary.beside(tmp_path / "bin/python") is None
    assert ModelLibrary(tmp_path).returned_by("AutoModel", "x") is None
