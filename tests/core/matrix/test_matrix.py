# SPDX-License-Identifier: Apache-2.0
"""What a matrix says about its rows."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.model import Function
from core.matrix import Matrix, index
from tests.support.tree import sample


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_parts_of_an_id(matrix: Matrix) -> None:
    row = matrix.rows["beta/causal_lm/pytorch-1B-llm_decode-seq_1-batch_1-single_device-mesh_default-inference"]
    parts = {name: matrix.columns[name][row] for name in ("loader", "framework", "phase", "parallelism", "mode")}
    assert parts == {
        "loader": "beta/causal_lm/pytorch",
        "framework": "pytorch",
        "phase": "llm_decode",
        "parallelism": "single_device",
        "mode": "inference",
    }
    assert matrix.function(row) is Function.LLM
    loader = matrix.loader(row)
    assert loader is not None
    assert loader.has_decode


def test_closest(matrix: Matrix) -> None:
    assert matrix.closest("net-v1.5")[0].startswith("alpha/pytorch-net-v1.5+aug")
    assert matrix.closest("alpha/pytorch-tinny-single_device-training", 1) == [
        "alpha/pytorch-tiny-single_device-training"
    ]
    assert matrix.closest("zzzzzzzzzz") == []


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        ("alhpa/pytorch-tiny-single_device-training", "alpha/pytorch-tiny-single_device-training"),
        ("alphapytorch-tiny-single_device-training", "alpha/pytorch-tiny-single_device-training"),
        ("alpha2/pytorch-tiny-single_device-trainig", "alpha/pytorch-tiny-single_device-training"),
        ("alpha/pytorch-tiny-singel_device-inference", "alpha/pytorch-tiny-single_device-inference"),
        ("alhpa/pytorch-tiny", "alpha/pytorch-tiny-data_parallel-inference"),
        ("alpha/pytroch-net-v1", "alpha/pytorch-net-v1.5+aug-data_parallel-inference"),
    ],
)
def test_closest_to_an_id_with_a_slip(matrix: Matrix, wanted: str, nearest: str) -> None:
    assert matrix.closest(wanted)[0] == nearest


def test_closest_to_a_family_with_a_slip(matrix: Matrix) -> None:
    found = matrix.closest("alpah")
    assert found and all(id.startswith("alpha/") for id in found)


def test_closest_compares_few_of_a_large_family(matrix: Matrix, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def get_close_matches(_word: str, possibilities: Iterable[str], *_: object, **__: object) -> list[str]:
        compared.extend(possibilities)
        return []

    monkeypatch.setattr("difflib.get_close_matches", get_close_matches)
    last = "big/pytorch-variant_0999-single_device-inference"
    big = [f"big/pytorch-variant_{at:04}-single_device-inference" for at in range(1000)]
    large = replace(matrix, ids=(*matrix.ids, *big))
    large.closest(f"{last}x")
    assert last in compared
    assert len(compared) < 50
