# SPDX-License-Identifier: Apache-2.0
"""Tests see nothing of the user's own state, and leave none behind."""

import fnmatch
import gc
import importlib.util
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.measured import function_of, long_tests

# The examples are others in each run, so what 25 of them miss is found in another run, or by the thorough profile.
settings.register_profile("ttmatrix", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25)
settings.register_profile("quick", settings.get_profile("ttmatrix"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("ttmatrix"), max_examples=1000)
settings.load_profile("ttmatrix")

_STAYS = (
    # The lock of a checkout that git does not know: whoever waits for it has the file open, so nobody may remove it.
    "*.ttmatrix.lock",
    # torch's, of models that were compiled.
    "torchinductor_*",
)
_OF_TORCH = "_remote_module_non_scriptable.py"
"""A module that torch.distributed writes when it is imported, into a directory that only an orderly end removes."""
_numbers = itertools.count()
# Nothing that collecting makes is garbage: a tenth of what it takes is spent looking for some.
gc.disable()


_STARTS = {
    "warm_torch": "models run",
    "server": "models run",
    "session": "sessions of pytest run",
    "nightlies": "nightlies run",
}
"""What fixtures start that make a test slow."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow by what it needs, and what is long by the list; insist on a reason for the rest."""
    long = long_tests()
    for item in items:
        if function_of(item.nodeid) in long:
            item.add_marker(pytest.mark.long)
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in _STARTS:
                item.add_marker(pytest.mark.slow(_STARTS[fixture]))
        if any(not mark.args for mark in item.iter_markers("slow")):
            raise pytest.UsageError(f"{item.nodeid}: slow needs a reason")


def pytest_collection_finish() -> None:
    """Take modules and collected tests out of the collector's sight: it would walk them all again and again.

    It looks less often, too: a tenth of what a test of the app takes is spent there otherwise.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    """What pytest itself leaves in the temporary directory where all went well: an empty directory a user."""
    base: Path | None = config._tmp_path_factory._basetemp  # type: ignore[attr-defined]
    if base is not None and not hasattr(config, "workerinput") and not base.exists():
        with suppress(OSError):
            base.parent.rmdir()


@pytest.fixture(scope="session", autouse=True)
def own_temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Temporary files go to a directory of the session's own, in which the tests must leave nothing behind."""
    directory = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(directory))
        patch.setattr(tempfile, "tempdir", str(directory))
        # inductor compiles a program for each kind of vector unit, to see which works: 20 s of a processor.
        patch.setenv("TORCHINDUCTOR_VEC_ISA_OK", "0")
        yield directory
    names = sorted(path.name for path in directory.iterdir() if not (path / _OF_TORCH).exists())
    left = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in _STAYS)]
    assert left == [], "left behind in the temporary directory"
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test has its own home."""
    directory: Path = tmp_path_factory.mktemp("homes")
    return directory


@pytest.fixture(autouse=True)
def own_home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """State goes to a directory of the test's own; git sees no user configuration."""
    # By a number of our own: pytest's reads all directories to find the next.
    home = homes / str(next(_numbers))
    home.mkdir()
    monkeypatch.setenv("TTMATRIX_HOME", str(home))
    monkeypatch.setenv("TTMATRIX_LEASES", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def unchanged_directory() -> Iterator[None]:
    """A test that changes the current directory must put it back."""
    before = Path.cwd()
    yield
    assert Path.cwd() == before


@pytest.fixture(scope="session")
def warm_torch(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """An interpreter that has torch loaded already, for whatever runs models or ops: one for all workers of a session."""
    from tests.support.warm_python import warm_python

    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    base: Path = tmp_path_factory.getbasetemp()
    with warm_python(base.parent if hasattr(request.config, "workerinput") else base) as script:
        yield script


@pytest.fixture
def shared_test_config() -> Path:
    """The real expectation YAML of one snapshot, which lies beside the repository where it is at hand."""
    path = Path(__file__).parents[2] / "shared" / "data" / "test_config"
    if not path.is_dir():
        pytest.skip("the snapshot's expectation files are not beside this repository")
    return path
