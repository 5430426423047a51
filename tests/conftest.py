# SPDX-License-Identifier: Apache-2.0
"""Tests see nothing of the user's own state, and leave none behind."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ttmatrix", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ttmatrix")


def pytest_collection_finish() -> None:
    """Take modules and collected tests out of the collector's sight: it would walk them all again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """State goes to a directory of the test's own; git sees no user configuration."""
    home: Path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TTMATRIX_HOME", str(home))
    monkeypatch.setenv("TTMATRIX_LEASES", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home


@pytest.fixture(autouse=True)
def unchanged_directory() -> Iterator[None]:
    """A test that changes the current directory must put it back."""
    before = Path.cwd()
    yield
    assert Path.cwd() == before


@pytest.fixture
def shared_test_config() -> Path:
    """The real expectation YAML of one snapshot, which lies beside the repository where it is at hand."""
    path = Path(__file__).parents[2] / "shared" / "data" / "test_config"
    if not path.is_dir():
        pytest.skip("the snapshot's expectation files are not beside this repository")
    return path
