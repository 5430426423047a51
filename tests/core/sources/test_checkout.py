# SPDX-License-Identifier: Apache-2.0
"""A checkout is found upward, and missing parts are reported."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.sources import find_checkout
from tests.support.tree import sample


def test_found_from_below(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    assert find_checkout(checkout.models / "alpha" / "pytorch") == checkout


def test_named_directory_is_not_searched_upward(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    with pytest.raises(TTMatrixError, match="No tt-xla checkout"):
        find_checkout(checkout.models, upward=False)


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError) as caught:
        find_checkout(tmp_path, upward=False)
    assert "--repo" in caught.value.hint


def test_empty_submodule_is_reported_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "tests/runner/test_config").mkdir(parents=True)
    (tmp_path / "third_party/tt_forge_models").mkdir(parents=True)
    with pytest.raises(TTMatrixError) as caught:
        find_checkout(tmp_path)
    assert "submodule update" in caught.value.hint


def test_relative_paths_have_forward_slashes(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    assert checkout.relative(checkout.test_config / "torch") == "tests/runner/test_config/torch"
    assert checkout.relative(checkout.presets) == ".github/workflows/test-matrix-presets"
