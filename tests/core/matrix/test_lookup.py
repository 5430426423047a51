# SPDX-License-Identifier: Apache-2.0
"""A person's input means one id, or an error says why not."""

import pytest

from core.base.errors import UsageError
from core.matrix import Matrix, index, resolve_id
from tests.support.tree import sample

ORG = "alpha/pytorch-org/name-single_device-inference"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


@pytest.mark.parametrize(
    "text",
    [
        ORG,
        f"  {ORG}\n",
        f"tests/runner/test_models.py::test_all_models_torch[{ORG}]",
        f"./tests/runner/test_models.py::test_all_models_op_by_op[{ORG}]",
        "ORG/name-single_device-inf",
    ],
)
def test_forms_that_mean_one_id(matrix: Matrix, text: str) -> None:
    assert resolve_id(matrix, text) == ORG


TWIN = "test_all_models_op_by_op"


@pytest.mark.parametrize(
    "text",
    [
        f"test_all_models_torch::{ORG}",
        f"{TWIN}::{ORG}",
        f"test_all_models::{ORG}",
        f"tests/runner/test_models.py::test_all_models[{ORG}]",
        f"{TWIN}::org/name-single_device-inf",
    ],
)
def test_a_function_that_has_the_id(matrix: Matrix, text: str) -> None:
    assert resolve_id(matrix, text) == ORG


def test_a_part_means_an_id_that_its_function_has(matrix: Matrix) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_id(matrix, f"{TWIN}::org/name")
    assert "2 ids" in caught.value.title


@pytest.mark.parametrize(
    ("function", "id", "nearest"),
    [
        (TWIN, ORG.replace("single_device", "data_parallel"), f"{TWIN}::{ORG}"),
        ("test_all_models_jax", ORG, ""),
        ("test_llms_torch", ORG, ""),
        ("test_placeholder_models", ORG, ""),
    ],
)
@pytest.mark.parametrize("form", ["{}::{}", "tests/runner/test_models.py::{}[{}]"])
def test_a_function_that_lacks_the_id_is_an_error(
    matrix: Matrix, function: str, id: str, nearest: str, form: str
) -> None:
    with pytest.raises(UsageError, match="has no test") as caught:
        resolve_id(matrix, form.format(function, id))
    assert "test_all_models_torch" in caught.value.detail
    assert nearest in caught.value.detail


def test_a_function_that_does_not_exist(matrix: Matrix) -> None:
    with pytest.raises(UsageError, match="has no function test_nothing"):
        resolve_id(matrix, f"tests/runner/test_models.py::test_nothing[{ORG}]")


def test_several_are_listed_never_guessed(matrix: Matrix) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_id(matrix, "org/name")
    assert "6 ids" in caught.value.title
    assert ORG in caught.value.detail


@pytest.mark.parametrize("text", ["alpha/pytorch-org/nam3-single_device-inference", "", "x::y[nothing]"])
def test_none_names_the_closest(matrix: Matrix, text: str) -> None:
    with pytest.raises(UsageError):
        resolve_id(matrix, text)
    if "org" in text:
        with pytest.raises(UsageError, match="Closest") as caught:
            resolve_id(matrix, text)
        assert ORG in str(caught.value)


def test_a_model_name_is_tried_last_and_never_guessed(matrix: Matrix) -> None:
    names = {"pytorch_One": [ORG], "pytorch_Two": [ORG, "other"], "tiny": [ORG]}
    assert resolve_id(matrix, "pytorch_One", lambda name: names.get(name, [])) == ORG
    with pytest.raises(UsageError, match="matches 2 ids"):
        resolve_id(matrix, "pytorch_Two", lambda name: names.get(name, []))
    with pytest.raises(UsageError, match="matches 6 ids"):
        resolve_id(matrix, "tiny", lambda name: names.get(name, []))
    with pytest.raises(UsageError, match="no test"):
        resolve_id(matrix, "pytorch_None", lambda name: names.get(name, []))
