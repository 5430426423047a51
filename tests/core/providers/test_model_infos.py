# SPDX-License-Identifier: Apache-2.0
"""Names and groups of models, and the tests they lead to."""

from pathlib import Path

import pytest

from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.providers import ids_of_model, info_of, model_infos
from core.sources import ModelInfos
from tests.support.sample import sample_checkout

TEST = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla"))


@pytest.fixture(scope="module")
def infos(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> ModelInfos:
    return model_infos(Cache(matrix.checkout, tmp_path_factory.mktemp("cache")), matrix)


def test_every_model_of_the_sample_is_known(infos: ModelInfos) -> None:
    assert infos.unknown == {}
    assert len(infos.known) > 40


def test_from_a_test_to_its_name_and_back(matrix: Matrix, infos: ModelInfos) -> None:
    info = info_of(infos, TEST)
    assert info is not None
    ids = ids_of_model(matrix, infos, info.name)
    assert TEST in ids
    assert {id.partition("-single")[0].partition("-data")[0].partition("-tensor")[0] for id in ids} == {
        "patch_vit/pytorch-Small_Patch8"
    }
    assert len(ids) == 6


def test_what_has_no_info(matrix: Matrix, infos: ModelInfos) -> None:
    assert info_of(infos, "what is this") is None
    assert info_of(infos, "no/pytorch-such-single_device-training") is None
    assert ids_of_model(matrix, infos, "no such name") == []


def test_cached_infos_are_used_until_a_python_file_changes(
    matrix: Matrix, infos: ModelInfos, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Fresh files are distrusted for two seconds; the test does not wait for that.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    cache = Cache(matrix.checkout, tmp_path)
    assert model_infos(cache, matrix) == infos
    asked: list[int] = []

    def count(*_: object) -> ModelInfos:
        asked.append(1)
        return infos

    monkeypatch.setattr("core.providers.models.read_model_infos", count)
    assert model_infos(cache, matrix) == infos
    assert asked == []
    (matrix.checkout.models / "tools" / "new.py").write_text("")
    model_infos(cache, matrix)
    assert asked == [1]
