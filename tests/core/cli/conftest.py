# SPDX-License-Identifier: Apache-2.0
"""A checkout whose runs go to a stand-in for its interpreter."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.fake_python import use_fake_python
from tests.support.tree import sample


@pytest.fixture
def runnable(tmp_path: Path, own_home: Path) -> Checkout:
    """The sample tree; see `use_fake_python` for what its variants do."""
    use_fake_python(own_home, tmp_path)
    return sample(tmp_path / "tt-xla")
