# SPDX-License-Identifier: Apache-2.0
"""Columns of model infos say of each row what its loader says."""

from pathlib import Path

import pytest

from core.domain.model import ModelInfo
from core.matrix import Matrix, Universe, index
from core.matrix.cache import Cache
from core.providers import info_of
from core.providers.models import model_columns, provide
from core.sources import ModelInfos, read_model_infos
from tests.support.sample import sample_checkout
from tests.support.tree import sample


@pytest.mark.parametrize("universe", list(Universe))
def test_every_row_has_the_info_of_its_model(tmp_path: Path, universe: Universe) -> None:
    matrix = index(sample_checkout(tmp_path / "tt-xla"), universe)
    facts = provide(Cache(matrix.checkout, tmp_path / "cache"), matrix)
    infos = read_model_infos(matrix.checkout, matrix.loaders.values())
    for row, id in enumerate(matrix.ids):
        info = info_of(infos, id)
        assert facts.column("name", "")[row] == (info.name if info else "")
        assert facts.column("group", "n150")[row] == (info.group if info else "")
        assert facts.column("task", "")[row] == (info.task if info else "")
        assert facts.column("source", "")[row] == (info.source if info else "")


def _matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_what_is_not_known_is_empty(tmp_path: Path) -> None:
    matrix = _matrix(tmp_path)
    info = ModelInfo(model="m", variant="x", group="vulcan", task="t", source="s", framework="pytorch")
    facts = model_columns(matrix, ModelInfos({("alpha/pytorch", "tiny"): info, ("delta/pytorch", None): info}, {}))
    groups = {matrix.ids[row]: facts.column("group", "")[row] for row in range(len(matrix.ids))}
    assert groups["alpha/pytorch-tiny-data_parallel-training"] == "vulcan"
    assert groups["delta/pytorch-data_parallel-training"] == "vulcan"
    assert groups["alpha/pytorch-org/name-single_device-inference"] == ""
    assert groups["alpha/pytorch-gone-single_device-training"] == ""
