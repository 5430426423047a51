# SPDX-License-Identifier: Apache-2.0
"""core.workflows.resolve: from words to a training entry, and to all that shares its loader."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.base.settings import paths
from core.demo import lay_out
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.providers import ids_of_model, model_infos
from core.sources import Checkout, ModelInfos
from core.workflows import find_target, is_target
from core.workflows.resolve import case_of
from tests.support.tree import write_checkout
from tests.support.triage_checkout import LARGE, LOADER, SMALL, YAML

FUSION = "tabular_fusion/pytorch-Small-single_device-training"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home of what is read once for all tests, none of which changes it."""
    directory = tmp_path_factory.mktemp("resolve")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TTMATRIX_HOME", str(directory))
        for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            patch.setenv(name, os.devnull)
        yield directory


@pytest.fixture(scope="module")
def matrix(home: Path) -> Matrix:
    lay_out(home / "demo")
    return index(Checkout(home / "demo"))


@pytest.fixture(scope="module")
def infos(matrix: Matrix) -> ModelInfos:
    return model_infos(Cache(matrix.checkout, paths().cache), matrix)


@pytest.mark.parametrize(
    ("text", "id"),
    [
        (FUSION, FUSION),
        (f"tests/runner/test_models.py::test_all_models_torch[{FUSION}]", FUSION),
        ("pytorch_Tabular Fusion_Small_cv_image_cls_custom", FUSION),
        ("tabular_fusion/pytorch-Small", FUSION),
        ("prototype_net", "prototype_net/pytorch-Way_5-single_device-training"),
    ],
)
def test_words_that_mean_one_training_entry(matrix: Matrix, infos: ModelInfos, text: str, id: str) -> None:
    assert find_target(matrix, text, lambda name: ids_of_model(matrix, infos, name)) == id


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("nothing/like-it", "Could not resolve nothing/like-it to a YAML entry or loader"),
        ("tabular_fusion", "matches 2 training entries"),
        ("tabular_fusion/pytorch-Small-single_device-inference", "No workflow handles"),
        ("mlp_classifier/jax-Hidden_64-single_device-training", "No workflow handles"),
        ("prototype_net/pytorch-Way_20-single_device-training", "has no entry"),
        ("prototype_net/pytorch-Way_20", "prototype_net/pytorch-Way_20-single_device-training has no entry"),
        ("mlp_classifier/jax", "No workflow handles mlp_classifier/jax"),
    ],
)
def test_words_that_mean_none(matrix: Matrix, text: str, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_target(matrix, text, lambda _: [])
    assert told in caught.value.title


def test_an_inference_test_names_its_training_twin(matrix: Matrix) -> None:
    with pytest.raises(UsageError) as caught:
        find_target(matrix, FUSION.replace("training", "inference"), lambda _: [])
    assert FUSION in caught.value.hint


def test_a_case_has_the_loader_its_variants_and_what_the_model_is_for(matrix: Matrix, infos: ModelInfos) -> None:
    case = case_of(matrix, infos, FUSION)
    assert case.loader == "third_party/tt_forge_models/tabular_fusion/pytorch/loader.py"
    assert [one.id for one in case.scope] == [FUSION, FUSION.replace("Small", "Large")]
    assert {one.id for one in case.inference} <= {FUSION.replace("training", "inference"), *matrix.ids}
    assert all(one.id.endswith("inference") for one in case.inference)
    assert case.task == "cv_image_cls"
    assert "torch.zeros(batch_size, 6)" in case.sources[case.loader]
    assert "_register_attr" in case.sources[case.registry]


def test_a_case_has_the_page_of_its_variant(tmp_path: Path) -> None:
    loader = LOADER.replace("ModelVariant.SMALL: None", 'ModelVariant.SMALL: Config(pretrained_model_name="gpt2")')
    loader = loader.replace(
        "return None", "return AutoModel.from_pretrained(self._variant_config.pretrained_model_name)"
    )
    matrix = index(write_checkout(tmp_path / "tt-xla", {"net/pytorch": loader}, YAML))
    infos = model_infos(Cache(matrix.checkout, tmp_path / "cache"), matrix)
    assert case_of(matrix, infos, SMALL).pages == ("https://huggingface.co/gpt2",)
    assert case_of(matrix, infos, LARGE).pages == ()


def test_nested_loaders_and_adapters_bring_the_code_they_run(matrix: Matrix, infos: ModelInfos) -> None:
    nested = case_of(matrix, infos, "nano_lm/causal_lm/pytorch-Nano_1L-single_device-training")
    adapter = case_of(matrix, infos, "nano_lm_lora/causal_lm/pytorch-Nano_2L_Instruct-single_device-training")
    assert nested.loader == "third_party/tt_forge_models/nano_lm/causal_lm/pytorch/loader.py"
    assert adapter.loader_files == (adapter.loader, nested.loader)
    assert nested.target.id in {one.id for one in adapter.scope}


def test_only_training_of_whole_pytorch_models_is_a_target(matrix: Matrix) -> None:
    targets = [id for id in matrix.entries if is_target(matrix, id)]
    assert FUSION in targets
    assert all(id.endswith("-single_device-training") and "/pytorch" in id and "-seq_" not in id for id in targets)
