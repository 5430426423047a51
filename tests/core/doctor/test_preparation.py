# SPDX-License-Identifier: Apache-2.0
"""Results prepared in another process are found here, and if that fails nothing is lost."""

import time
from pathlib import Path

import pytest

from core.doctor import FINDINGS, preparation as module, prepare
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.providers import compute_columns
from core.sources import stamps
from tests.support.sample import sample_checkout


@pytest.fixture
def matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Matrix:
    monkeypatch.setattr(module, "_WORTH_A_PROCESS", 1)
    return index(sample_checkout(tmp_path / "tt-xla"))


def test_what_was_prepared_is_not_worked_out_again(
    matrix: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(matrix.checkout, tmp_path / "cache")
    expected = compute_columns(cache, matrix, ["models"])["models"].column("group", "").values
    # Files changed within the last two seconds are not trusted, neither here nor in the other process.
    newest = max(status.st_ctime_ns for path in matrix.checkout.root.rglob("*") if (status := path.lstat()))
    time.sleep(max(0.0, (newest + stamps._RACY_NS - time.time_ns()) / 1e9) + 0.1)
    fresh = Cache(matrix.checkout, tmp_path / "other")
    prepare(fresh, matrix, ["models", "jobs", FINDINGS])
    monkeypatch.setattr("core.providers.models.read_model_infos", lambda *_: pytest.fail("it was read again"))
    monkeypatch.setattr("core.ci.read.read_ci", lambda *_: pytest.fail("it was read again"))
    learned = compute_columns(fresh, matrix, ["models", "jobs"])
    assert learned["models"].column("group", "").values == expected


def test_where_nothing_can_be_prepared_there_is_no_error(matrix: Matrix, tmp_path: Path) -> None:
    prepare(Cache(matrix.checkout, tmp_path / "cache"), matrix, ["no such provider"])
    matrix.checkout.root.rename(tmp_path / "elsewhere")
    prepare(Cache(matrix.checkout, tmp_path / "cache"), matrix, ["models"])


def test_a_small_matrix_is_not_worth_a_process(matrix: Matrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WORTH_A_PROCESS", len(matrix.ids) + 1)
    prepare(Cache(matrix.checkout, tmp_path / "cache"), matrix, ["models"])
    assert not (tmp_path / "cache").exists()
