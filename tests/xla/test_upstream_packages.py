# SPDX-License-Identifier: Apache-2.0
"""Runs by tt-xla's kind of runner that share a checkout and an environment: what it installs, and the stage."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from core.base.processes import marked
from core.runs import RUN_VARIABLE
from core.runs.environment import environment_of
from core.runs.execution.packages import packages_of
from core.sources import Checkout
from tests.support.cli import call
from tests.support.cluster import until
from tests.support.git import committed_checkout
from tests.support.models import xla_python
from tests.support.upstream_runner import LOADER, test_id as id_of, write_upstream
from tests.support.wheels import wheel

pytestmark = [pytest.mark.xla, pytest.mark.timeout(900)]

INSTALLING = """
import subprocess
here = MODELS / "scenes/pytorch/requirements.txt"
pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
subprocess.run([*pip, "install", "-r", str(here)], check=True)
try:
    print("packages installed", flush=True)
    @BODY@
finally:
    subprocess.run([*pip, "uninstall", "-y", "tt_probe", "tt_below"], check=True)
    print("packages uninstalled", flush=True)
"""
STAGED = """
with open("._bringup_stage.txt", "w") as file:
    file.write("@NAME@")
time.sleep(3.0)
with open("._bringup_stage.txt") as file:
    found = file.read()
if found != "@NAME@":
    raise RuntimeError(f"the stage is that of {found}")
"""
SCENES = {
    "installs": INSTALLING.replace("@BODY@", "time.sleep(600)"),
    "ends": INSTALLING.replace("@BODY@", "pass"),
    "first": STAGED.replace("@NAME@", "first"),
    "second": STAGED.replace("@NAME@", "second"),
}


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter that sees the packages of that of the xla tests, with an environment of its own to install into."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    below = subprocess.run([xla_python(), "-c", code], capture_output=True, text=True, check=True).stdout
    subprocess.run([xla_python(), "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    next((tmp_path / "env/lib").glob("python3*/site-packages")).joinpath("below.pth").write_text(below)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "tt_below", "1.0")
    wheel(wheels, "tt_probe", "1.0", requires="tt_below")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    return tmp_path / "env/bin/python"


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path, python: Path) -> Checkout:
    (own_home / "config").mkdir(parents=True, exist_ok=True)
    (own_home / "config/settings.toml").write_text(f'python = "{python}"\n')
    checkout = write_upstream(tmp_path / "tt-xla", SCENES)
    (checkout.models / LOADER / "requirements.txt").write_text("tt_probe\n")
    return committed_checkout(checkout)


def started(checkout: Checkout, scene: str) -> str:
    words = ("run", id_of(scene), "--kind", "device", "--force", "--yes", "--json", "--repo", checkout.root)
    (run,) = call(*words).json
    return str(run["run"])


def record(checkout: Checkout, run: str) -> dict[str, object]:
    return next(one for one in call("runs", "--json", "--repo", checkout.root).json if one["run"] == run)


def ended(checkout: Checkout, run: str) -> tuple[dict[str, object], str]:
    until(lambda: record(checkout, run)["state"] == "finished", 300.0)
    found = record(checkout, run)
    return found, Path(str(found["log"])).read_text(errors="replace")


def installed(checkout: Checkout, run: str) -> None:
    log = Path(str(record(checkout, run)["log"]))
    until(lambda: log.is_file() and "packages installed" in log.read_text(errors="replace"), 300.0)


def names(python: Path) -> set[str]:
    return {*packages_of(environment_of(python))}


def test_a_run_that_ends_leaves_no_package(checkout: Checkout, python: Path) -> None:
    before = names(python)
    found, log = ended(checkout, started(checkout, "ends"))
    assert (found["outcome"], names(python)) == ("pass", before), log
    assert "[packages]" not in log


def test_a_cancelled_run_rolls_back(checkout: Checkout, python: Path) -> None:
    before = names(python)
    run = started(checkout, "installs")
    installed(checkout, run)
    assert names(python) > before
    call("cancel", run, "--repo", checkout.root)
    found, log = ended(checkout, run)
    assert (found["outcome"], names(python)) == ("cancelled", before)
    assert "packages uninstalled" in log


def test_packages_of_a_killed_run_are_taken_back_and_named(checkout: Checkout, python: Path) -> None:
    before = names(python)
    run = started(checkout, "installs")
    installed(checkout, run)
    for process in marked(RUN_VARIABLE, run):
        os.kill(process.pid, signal.SIGKILL)
    found, log = ended(checkout, run)
    assert names(python) == before
    said = f"in {environment_of(python)}: removed tt_below 1.0, tt_probe 1.0"
    assert str(found["summary"]).endswith(said) and said in log


def test_two_at_once_take_turns(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """On two devices, in one checkout, each reads its own stage."""
    runs = []
    for device, scene in enumerate(("first", "second")):
        monkeypatch.setenv("TT_VISIBLE_DEVICES", str(device))
        runs.append(started(checkout, scene))
    for run in runs:
        found, log = ended(checkout, run)
        assert found["outcome"] == "pass", log


def test_without_an_activated_shell_the_helpers_of_the_tests_are_found(checkout: Checkout) -> None:
    """The runner imports what is in the root and in `tests`, which only `venv/activate` puts on the path upstream."""
    (checkout.root / "tests/infra.py").write_text("FOUND = True\n")
    runner = checkout.root / "tests/runner/test_models.py"
    runner.write_text(f"import infra\nimport tests.runner\nassert infra.FOUND\n{runner.read_text()}")
    found, log = ended(checkout, started(checkout, "ends"))
    assert found["outcome"] == "pass", log
