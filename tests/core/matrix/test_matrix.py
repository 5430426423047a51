# SPDX-License-Identifier: Apache-2.0
"""What a matrix says about its rows."""

from pathlib import Path

import pytest

from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from core.model import Function
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
