# SPDX-License-Identifier: Apache-2.0
"""Isolate tests from the user's own state, and check that they leave nothing behind."""

import fnmatch
import functools
import gc
import importlib.util
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.measured import function_of, long_tests

# The same examples in each run: what fails is due to the change, not to chance. `make laws` looks for others.
settings.register_profile(
    "ttmatrix", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=25, derandomize=True
)
settings.register_profile("quick", settings.get_profile("ttmatrix"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("ttmatrix"), max_examples=1000, derandomize=False)
settings.load_profile("ttmatrix")

_STAYS = (
    # The lock of a checkout without git: processes that wait for it have the file open, so it must not be removed.
    "*.ttmatrix.lock",
    # torch's files of compiled models.
    "torchinductor_*",
)
_OF_TORCH = "_remote_module_non_scriptable.py"
"""A module that torch.distributed writes on import, into a directory that is removed only at a normal exit."""
_numbers = itertools.count()
# Collecting tests creates no garbage, but the collector would take a tenth of the time to look for some.
gc.disable()


_STARTS = {
    "warm_torch": "models run",
    "warm_dask": "workers of hosts run",
    "server": "models run",
    "session": "sessions of pytest run",
    "nightlies": "nightlies run",
}
"""Fixtures that start something which makes a test slow."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests by their fixtures, and long ones by the list; require a reason for the others."""
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
    """Exclude modules and collected tests from garbage collection, which would visit them all again and again.

    Also collect less often: otherwise it takes a tenth of the time of an app test.
    """
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what pytest itself leaves in the temporary directory after success: an empty directory per user."""
    base: Path | None = config._tmp_path_factory._basetemp  # type: ignore[attr-defined]
    if base is not None and not hasattr(config, "workerinput") and not base.exists():
        with suppress(OSError):
            base.parent.rmdir()


@pytest.fixture(scope="session", autouse=True)
def own_temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create temporary files in a directory of the session, and check that the tests leave nothing there.

    Also let git see no user configuration.
    """
    directory = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(directory))
        patch.setattr(tempfile, "tempdir", str(directory))
        # inductor compiles a program for each kind of vector unit, to see which works: 20 s of CPU time.
        patch.setenv("TORCHINDUCTOR_VEC_ISA_OK", "0")
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
        patch.delenv("NO_COLOR", raising=False)
        yield directory
    names = sorted(path.name for path in directory.iterdir() if not (path / _OF_TORCH).exists())
    left = [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in _STAYS)]
    assert left == [], "left behind in the temporary directory"
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory for the tests' homes."""
    directory: Path = tmp_path_factory.mktemp("homes")
    return directory


# One fixture for both, without `monkeypatch`: every test pays for it, and most take less time than their fixtures.
@pytest.fixture(autouse=True)
def own_home(homes: Path) -> Iterator[Path]:
    """Keep state in a directory of the test's own; check that a test which changes the current directory restores it."""
    # Numbered by ourselves: pytest would read all directories to find the next number.
    home = homes / str(next(_numbers))
    home.mkdir()
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TTMATRIX_HOME", str(home))
        patch.setenv("TTMATRIX_LEASES", str(home))
        yield home
    try:
        # Most are empty, and this is several times faster.
        home.rmdir()
    except OSError:
        shutil.rmtree(home, ignore_errors=True)
    assert Path.cwd() == before


@pytest.fixture(scope="session")
def warm_torch(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """An interpreter with torch already loaded, for models and ops: shared by all workers of a session."""
    from tests.support.warm_python import warm_python

    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    with warm_python(_of_all_workers(tmp_path_factory, request)) as script:
        yield script


@pytest.fixture(scope="session")
def warm_dask(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Path]:
    """An interpreter with Dask already loaded, for the workers of hosts: shared by all workers of a session."""
    from tests.support.cluster import NO_DASK
    from tests.support.warm_python import warm_python

    if importlib.util.find_spec("distributed") is None:
        pytest.skip(NO_DASK)
    with warm_python(_of_all_workers(tmp_path_factory, request), "dask") as script:
        yield script


def _of_all_workers(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The directory that all workers of this session share."""
    base: Path = tmp_path_factory.getbasetemp()
    return base.parent if hasattr(request.config, "workerinput") else base


@pytest.fixture(scope="session", autouse=True)
def warm_schedulers(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[None]:
    """Start schedulers as forks of a process that has their imports behind it, which are most of what one takes."""
    from core.runs.execution import supervisor
    from tests.support.warm_python import warm_python

    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:

        @functools.cache
        def python() -> str:
            return str(stack.enter_context(warm_python(_of_all_workers(tmp_path_factory, request), "scheduler")))

        def command(root: Path) -> list[str]:
            return [python(), *supervisor.scheduler_command(root)[1:]]

        patch.setattr("core.runs.execution.launch.scheduler_command", command)
        yield


@pytest.fixture
def cold_schedulers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start schedulers as the product does."""
    from core.runs.execution.supervisor import scheduler_command

    monkeypatch.setattr("core.runs.execution.launch.scheduler_command", scheduler_command)


@pytest.fixture
def shared_test_config() -> Path:
    """The real expectation YAML of one snapshot, stored beside the repository if available."""
    path = Path(__file__).parents[2] / "shared" / "data" / "test_config"
    if not path.is_dir():
        pytest.skip("the snapshot's expectation files are not beside this repository")
    return path
