# SPDX-License-Identifier: Apache-2.0
"""One sample checkout for all tests that only read it."""

from pathlib import Path

import pytest

from core.demo import lay_out
from core.sources import Checkout, find_checkout


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The sample checkout; do not change it."""
    target: Path = tmp_path_factory.mktemp("sample") / "checkout"
    lay_out(target)
    return find_checkout(target, upward=False)
