# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.requirements.install: wheels made here go into layers, and the environment below is not changed."""

import importlib
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.wheels import wheel

pytestmark = pytest.mark.slow("pip installs packages")

requirements: Any = importlib.import_module("core.payload.ttmatrix_payload.requirements.install")


@pytest.fixture
def loader(tmp_path: Path) -> Path:
    place = tmp_path / "model/pytorch"
    place.mkdir(parents=True)
    return place


def freeze() -> list[str]:
    return sorted(f"{one.name}=={one.version}" for one in importlib.metadata.distributions())


def test_a_model_gets_its_packages_and_nothing_else_changes(wheels: Path, loader: Path, tmp_path: Path) -> None:
    wheel(wheels, "tt_probe_base", "1.0")
    wheel(wheels, "tt_probe", "2.1", requires="tt_probe_base")
    (loader / "requirements.txt").write_text("tt_probe==2.1\npytest\n")
    before, path = freeze(), list(sys.path)
    with requirements.applied(loader, tmp_path / "cache") as layer:
        assert importlib.import_module("tt_probe").VERSION == "2.1"
        assert importlib.import_module("tt_probe_base").VERSION == "1.0"
        assert importlib.metadata.version("tt_probe") == "2.1"
    assert layer.parent == tmp_path / "cache"
    assert not list(layer.glob("lib/*/site-packages/pytest")), "what lies below is used, not installed again"
    assert (freeze(), sys.path) == (before, path)
    assert "tt_probe" not in sys.modules


def test_what_is_there_already_makes_no_layer(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip need not even be installed: the sample's own requirement needs no network."""
    monkeypatch.setattr(requirements, "ensure", None)
    (loader / "requirements.txt").write_text("pytest>=1  # brings packaging\n")
    with requirements.applied(loader, tmp_path / "cache") as layer:
        assert layer is None
    sample = Path("core/demo/tree/third_party/tt_forge_models/subword_classifier/pytorch")
    with requirements.applied(Path(__file__).parents[3] / sample, tmp_path / "cache") as layer:
        assert layer is None


def test_a_layer_is_made_once_and_by_content(wheels: Path, loader: Path, tmp_path: Path, capfd: Any) -> None:
    wheel(wheels, "tt_probe", "1.0")
    (loader / "requirements.txt").write_text("tt_probe")
    with requirements.applied(loader, tmp_path / "cache") as first:
        pass
    out = capfd.readouterr().out
    assert "Installing" in out
    assert "pip: Successfully installed tt_probe-1.0" in out.replace("tt-probe", "tt_probe")
    with requirements.applied(loader, tmp_path / "cache") as again:
        assert importlib.import_module("tt_probe").VERSION == "1.0"
    assert again == first
    assert capfd.readouterr().out == ""
    (loader / "requirements.txt").write_text("tt_probe>=1")
    with requirements.applied(loader, tmp_path / "cache") as other:
        assert other != first


def test_another_version_hides_the_one_below(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Imported modules are restored afterwards, as the very same objects."""
    below = tmp_path / "below/site-packages"
    wheel(wheels, "tt_probe", "1.0")
    with zipfile.ZipFile(wheels / "tt_probe-1.0-py3-none-any.whl") as archive:
        archive.extractall(below)
    monkeypatch.syspath_prepend(str(below))
    old = importlib.import_module("tt_probe")
    wheel(wheels, "tt_probe", "3.0")
    (loader / "requirements.txt").write_text("tt_probe==3.0")
    with requirements.applied(loader, tmp_path / "cache"):
        assert importlib.import_module("tt_probe").VERSION == "3.0"
    assert importlib.import_module("tt_probe") is old
    assert (below / "tt_probe/__init__.py").read_text() == "VERSION = '1.0'\n"
    del sys.modules["tt_probe"]


def test_files_without_dependencies_follow(wheels: Path, loader: Path, tmp_path: Path) -> None:
    wheel(wheels, "tt_probe", "1.0")
    wheel(wheels, "tt_probe_bare", "1.0", requires="does_not_exist_anywhere")
    (loader / "requirements.nodeps.txt").write_text("tt_probe_bare")
    with requirements.applied(loader, tmp_path / "cache") as layer:
        assert layer is None, "alone it does not count"
    (loader / "requirements.txt").write_text("tt_probe")
    with requirements.applied(loader, tmp_path / "cache"):
        assert importlib.import_module("tt_probe_bare").VERSION == "1.0"


def test_what_cannot_be_had_leaves_nothing_behind(wheels: Path, loader: Path, tmp_path: Path) -> None:
    (loader / "requirements.txt").write_text("tt_probe_absent")
    with (
        pytest.raises(requirements.RequirementsError, match="No matching distribution found for tt_probe_absent"),
        requirements.applied(loader, tmp_path / "cache"),
    ):
        pass
    assert [path for path in (tmp_path / "cache").iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "WARNING: Retrying ... after connection broken by 'NewConnectionError('...: Network is unreachable')'\n"
            "ERROR: Could not find a version that satisfies the requirement sentencepiece==0.2 (from versions: none)\n"
            "ERROR: No matching distribution found for sentencepiece==0.2\n",
            "sentencepiece==0.2 is not installed, and there is no network to get it from",
        ),
        (
            "ERROR: Could not find a version that satisfies the requirement nope (from versions: none)\n"
            "ERROR: No matching distribution found for nope\n",
            "pip failed: No matching distribution found for nope",
        ),
        (
            "ERROR: Cannot install torch==1 because these package versions have conflicting dependencies.\n"
            "ERROR: ResolutionImpossible: for help visit ...\n",
            "pip failed: Cannot install torch==1 because these package versions have conflicting dependencies.",
        ),
        (
            "Collecting git+https://there/it.git\n  fatal: unable to access 'https://there/it.git/': Could not resolve host: there\n"
            "  error: subprocess-exited-with-error\n",
            "https://there/it.git cannot be had: Could not resolve host: there",
        ),
        ("", "pip failed: it does not say why"),
        ("Collecting it\nKilled\n", "pip failed: Killed"),
    ],
)
def test_the_reason_of_a_failure_is_one_line(said: str, reason: str) -> None:
    assert requirements.why(said) == reason


def test_no_network_names_the_package(
    loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wheels: Path
) -> None:
    """pip asks an index without a server."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    (loader / "requirements.txt").write_text("pytest\ntt_probe_absent>=2\n")
    with (
        pytest.raises(requirements.RequirementsError) as caught,
        requirements.applied(loader, tmp_path / "cache"),
    ):
        pass
    assert str(caught.value) == "tt_probe_absent>=2 is not installed, and there is no network to get it from"


def test_torch_is_not_to_be_replaced(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "_KEPT", ("pytest",))
    wheel(wheels, "pytest", "0.1")
    (loader / "requirements.txt").write_text("pytest==0.1")
    with pytest.raises(requirements.RequirementsError, match="conflict"), requirements.applied(loader, tmp_path / "c"):
        pass


def test_the_switches_of_upstream_hold(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    wheel(wheels, "tt_probe", "1.0")
    (loader / "requirements.txt").write_text("tt_probe")
    monkeypatch.setenv(requirements.DISABLE, "1")
    with requirements.applied(loader, tmp_path / "cache") as layer:
        assert layer is None
    monkeypatch.delenv(requirements.DISABLE)
    monkeypatch.setenv(requirements.DEBUG, "1")
    with requirements.applied(loader, tmp_path / "cache"):
        pass
    said = capfd.readouterr().out
    assert "-m pip install" in said
    assert "Successfully installed tt_probe-1.0" in said


def test_packages_of_the_system_are_left_to_the_user(loader: Path, tmp_path: Path, capfd: Any) -> None:
    (loader / "requirements.txt").write_text("")
    (loader / "system-requirements.txt").write_text("ffmpeg")
    with requirements.applied(loader, tmp_path / "cache"):
        pass
    assert "left to you" in capfd.readouterr().out


def test_layers_are_stored_in_our_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path))
    assert requirements.default_cache() == tmp_path / "cache/requirements"
    monkeypatch.delenv("TTMATRIX_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert requirements.default_cache() == tmp_path / "xdg/ttmatrix/requirements"


STATE = """
import json, os, sys, warnings
from pathlib import Path
from ttmatrix_payload.requirements.install import applied
with applied(Path(sys.argv[1]), Path(sys.argv[2])) as layer:
    assert layer is not None
    import tt_probe
    hooks = [getattr(one, "__qualname__", type(one).__qualname__) for one in (*sys.meta_path, *sys.path_hooks)]
    state = {"path": list(sys.path), "hooks": hooks, "environ": dict(os.environ), "warnings": len(warnings.filters)}
    import setuptools, distutils.core
    state["distutils"] = distutils.core.__file__
print(json.dumps(state))
"""


@pytest.mark.skipif(importlib.util.find_spec("setuptools") is None, reason="setuptools is not installed")
def test_the_run_that_makes_a_layer_is_like_the_one_that_finds_it(wheels: Path, loader: Path, tmp_path: Path) -> None:
    """Import path, import hooks, environment and warnings; and the distutils of setuptools work in both.

    TorchInductor needs them: looking for pip through a hook, in the model's process, once broke it.
    """
    wheel(wheels, "tt_probe", "1.0")
    (loader / "requirements.txt").write_text("tt_probe\n")
    environ = {**os.environ, "PYTHONPATH": str(Path(requirements.__file__).parents[2])}
    command = [sys.executable, "-c", STATE, str(loader), str(tmp_path / "cache")]
    runs = [subprocess.run(command, env=environ, capture_output=True, text=True, check=True) for _ in range(2)]
    first, second = (run.stdout.splitlines() for run in runs)
    assert ("Installing" in first[0], "Installing" in second[0]) == (True, False)
    assert first[-1] == second[-1]
    assert "setuptools/_distutils/core.py" in json.loads(first[-1])["distutils"]


def test_distutils_go_with_the_setuptools_of_a_layer(
    wheels: Path, loader: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(wheels, "setuptools", "0.1")
    (loader / "requirements.txt").write_text("setuptools==0.1\n")
    below = object()
    monkeypatch.setitem(sys.modules, "distutils", below)
    with requirements.applied(loader, tmp_path / "cache"):
        assert importlib.import_module("setuptools").VERSION == "0.1"
        assert sys.modules.get("distutils") is not below
    assert sys.modules["distutils"] is below
