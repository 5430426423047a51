# SPDX-License-Identifier: Apache-2.0
"""Manifests for the tests of op tests."""

from pathlib import Path

import pytest

REAL = "granite-3.3-8b-instruct.yaml"


@pytest.fixture(scope="session")
def real_manifest() -> Path:
    """A manifest in real use, if it has been downloaded."""
    for above in Path(__file__).parents:
        path = above / "shared/data/ops" / REAL
        if path.is_file():
            return path
    pytest.skip("the real manifest is not here")
