# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.packages: an environment that a run installs into is afterwards what it was, however the run ends.

In place of tt-xla's runner, a script installs a package as its requirements manager does, and takes it back.
"""

import os
import signal
import subprocess
import venv
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from core.runs import Outcome, RunSpec
from core.runs.environment import environment_of
from core.runs.execution import cancel_all, launch_all, wait
from core.runs.execution.launch import launch
from core.runs.execution.packages import Kept, Package, change_of, is_at_work, note, noted, packages_of, put_back
from core.runs.spec import spec_to_json
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec, Until
from tests.core.runs.execution.test_scheduler import log_has, scheduler_of
from tests.support.wheels import wheel

pytestmark = pytest.mark.slow("pip installs packages")

INSTALL = """
import os, signal, subprocess, sys, time
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
def pip(*words):
    subprocess.run(PIP + list(words), check=True)
def version(name):
    code = f"import {name}; print({name}.VERSION)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip()
"""
STAYS = INSTALL + 'pip("install", "tt_probe"); print("installed", flush=True); time.sleep(600)'
ROLLS_BACK = (
    INSTALL
    + """
pip("install", "tt_probe")
try:
    print("installed", flush=True)
    time.sleep(600)
finally:
    # As slow as a pip with more to do.
    subprocess.run([sys.executable, "-c", "import time; time.sleep(7)"], check=True)
    pip("uninstall", "-y", "tt_probe", "tt_below")
    print("rolled back", flush=True)
"""
)


class MakeInstalling(Protocol):
    def __call__(self, code: str, moment: int = 0, **more: object) -> RunSpec: ...


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter with an environment of its own, and wheels for its pip."""
    venv.create(tmp_path / "env", system_site_packages=True, with_pip=False)
    python = tmp_path / "env/bin/python"
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    for version in ("1.0", "2.0"):
        wheel(wheels, "tt_other", version)
    wheel(wheels, "tt_below", "1.0")
    wheel(wheels, "tt_probe", "1.0", requires="tt_below")
    pip(python, "install", "tt_other==1.0")
    return python


def pip(python: Path, *words: str) -> None:
    subprocess.run([python, "-m", "pip", "-q", *words], check=True, capture_output=True)


@pytest.fixture
def installing(python: Path, make_spec: MakeSpec, tmp_path: Path) -> MakeInstalling:
    loader = tmp_path / "model"
    loader.mkdir()
    (loader / "requirements.txt").write_text("tt_probe\ntt_other==2.0  # newer\n")

    def make(code: str, moment: int = 0, **more: object) -> RunSpec:
        spec = make_spec(code, moment=moment)
        there = str(environment_of(python))
        argv = (str(python), "-u", *spec.argv[1:])
        spec = replace(spec, argv=argv, claims=(there,), requirements=(str(loader),))
        return replace(spec, **more)  # type: ignore[arg-type]

    return make


def names(python: Path) -> dict[str, str]:
    return {name: one.version for name, one in packages_of(environment_of(python)).items()}


WAS = {"tt-other": "1.0"}


def test_what_is_there_is_read_without_executing_anything(python: Path) -> None:
    assert names(python) == WAS
    pip(python, "install", "tt_probe")
    found = packages_of(environment_of(python))
    assert {name: one.asked for name, one in found.items()} == {"tt-below": False, "tt-other": True, "tt-probe": True}
    assert found["tt-probe"].words == ["tt_probe==1.0"]


def test_only_what_the_run_has_brought_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("A_b==2\ngit+https://nowhere/x\n")
    before = {one.name: one for one in (Package("a-b", "1"), Package("c", "1"), Package("mine", "1", asked=True))}
    kept = Kept("r", "python", before, (), (str(tmp_path),))
    new = Package("a-b", "2", asked=True), Package("below", "3"), Package("persons", "4", asked=True)
    change = change_of(kept, {one.name: one for one in (*new, Package("mine", "2", asked=True))})
    assert [one.name for one in change.added] == ["below"]
    assert [(one.name, one.version) for one in change.gone] == [("a-b", "1"), ("c", "1")]
    assert not change_of(kept, before)


def test_an_interrupted_pip_leaves_pieces(python: Path, installing: MakeInstalling, tmp_path: Path) -> None:
    note(installing("pass"))
    site = next((tmp_path / "env/lib").glob("python3*/site-packages"))
    pip(python, "install", "tt_other==2.0")
    (site / "tt_torn").mkdir()
    (site / "tt_torn/__init__.py").touch()
    (site / "tt_torn-1.0.dist-info").mkdir()
    (site / "~t_other").mkdir()
    (site / "tt_alone.py").touch()
    log = tmp_path / "output.log"
    pieces = "tt_alone.py, tt_torn, tt_torn-1.0.dist-info, ~t_other"
    said = f"in {tmp_path}/env: put back tt_other 1.0 and removed pieces that pip has left: {pieces}"
    assert put_back(python, log, os.environ) == said
    assert names(python) == WAS
    assert sorted(one.name for one in site.iterdir() if "torn" in one.name or one.name[:1] == "~") == []
    assert not (site / "tt_alone.py").exists()
    assert "[packages] in " in log.read_text()
    assert noted(python) is None
    assert put_back(python, log, os.environ) == ""


def test_what_cannot_be_put_back_is_named_with_the_command(
    python: Path, installing: MakeInstalling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(installing("pass"))
    pip(python, "install", "tt_other==2.0")
    (tmp_path / "wheels/tt_other-1.0-py3-none-any.whl").unlink()
    told = put_back(python, tmp_path / "output.log", os.environ)
    assert told.endswith(f"put it back with: {python} -m pip install --no-deps tt_other==1.0")
    assert noted(python) is not None, "the next run tries again"
    wheel(tmp_path / "wheels", "tt_other", "1.0")
    assert put_back(python, tmp_path / "output.log", os.environ).endswith("put back tt_other 1.0")


def test_a_runner_that_is_cancelled_has_the_time_to_roll_back(
    store: RunStore, installing: MakeInstalling, python: Path, until: Until
) -> None:
    spec = installing(ROLLS_BACK, graces=(5.0, 1.0, 5.0))
    launch(store, spec)
    until(lambda: log_has(store, spec, "installed"))
    (record,) = cancel_all(store, [spec.run_id])
    assert "rolled back" in record.log.read_text()
    assert (record.outcome, record.summary) == (Outcome.CANCELLED, "cancelled")
    assert (names(python), noted(python)) == (WAS, None)


@pytest.mark.parametrize("how", ["cancelled", "killed", "ended"])
def test_what_a_runner_leaves_is_taken_back_and_said(
    store: RunStore, installing: MakeInstalling, python: Path, until: Until, how: str
) -> None:
    code = STAYS.replace("time.sleep(600)", "report()") if how == "ended" else STAYS
    spec = installing(code.replace('"tt_probe"', '"tt_probe", "tt_other==2.0"'))
    launch(store, spec)
    until(lambda: log_has(store, spec, "installed"))
    if how == "cancelled":
        cancel_all(store, [spec.run_id])
    if how == "killed":
        for process in _processes(spec):
            os.kill(process, signal.SIGKILL)
    (record,) = wait(store, [spec.run_id])
    assert names(python) == WAS
    said = f"in {environment_of(python)}: removed tt_below 1.0, tt_probe 1.0 and put back tt_other 1.0"
    assert record.summary.endswith(said)
    assert f"[packages] {said}" in record.log.read_text()
    assert not is_at_work(record.directory)
    assert noted(python) is None


def test_a_dependency_that_came_before_its_package_is_taken_back(
    python: Path, installing: MakeInstalling, tmp_path: Path
) -> None:
    note(installing("pass"))
    pip(python, "install", "tt_probe")
    pip(python, "uninstall", "-y", "tt_probe")
    assert put_back(python, tmp_path / "output.log", os.environ) == f"in {tmp_path}/env: removed tt_below 1.0"
    assert names(python) == WAS


def _processes(spec: RunSpec) -> list[int]:
    mark = f"TTMATRIX_RUN={spec.run_id}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def test_a_killed_supervisor_leaves_it_to_another_process(
    store: RunStore, installing: MakeInstalling, python: Path, until: Until
) -> None:
    spec = installing(STAYS)
    launch(store, spec)
    until(lambda: log_has(store, spec, "installed"))
    supervisor = store.record(spec.run_id).supervisor
    assert supervisor is not None
    os.kill(supervisor.pid, signal.SIGKILL)
    (record,) = wait(store, [spec.run_id])
    assert "its packages are taken back: see the log" in record.summary
    until(lambda: noted(python) is None)
    assert names(python) == WAS


def test_where_all_are_killed_the_next_run_begins_with_it(
    store: RunStore, installing: MakeInstalling, python: Path, until: Until
) -> None:
    spec = installing(STAYS)
    launch(store, spec)
    until(lambda: log_has(store, spec, "installed"))
    supervisor = store.record(spec.run_id).supervisor
    assert supervisor is not None
    for process in (scheduler_of(store).pid, supervisor.pid, *_processes(spec)):
        os.kill(process, signal.SIGKILL)
    store.queue.remove(spec.run_id)
    assert "tt-probe" in names(python)
    later = installing(INSTALL + 'print("sees", repr(version("tt_probe"))); report()', moment=1)
    launch(store, later)
    (record,) = wait(store, [later.run_id])
    assert (record.outcome, names(python)) == (Outcome.PASS, WAS)
    text = record.log.read_text()
    assert text.index("removed tt_below 1.0, tt_probe 1.0") < text.index("sees ''")


def test_two_of_them_are_never_in_one_environment(store: RunStore, installing: MakeInstalling, tmp_path: Path) -> None:
    file = tmp_path / "times"
    code = f"""
import time
with open({str(file)!r}, "a") as file:
    file.write("+")
time.sleep(1.0)
with open({str(file)!r}, "a") as file:
    file.write("-")
report()"""
    specs = [installing(code, number, devices=(str(number),), slot_count=0) for number in range(3)]
    launch_all(store, specs)
    assert {record.outcome for record in wait(store, [spec.run_id for spec in specs])} == {Outcome.PASS}
    assert file.read_text() == "+-+-+-"
    apart = [replace(installing(code, 5 + number), claims=(f"/{number}",), requirements=()) for number in range(2)]
    file.unlink()
    launch_all(store, apart)
    wait(store, [spec.run_id for spec in apart])
    assert file.read_text() == "++--"


def test_the_paths_of_a_run_are_stored_with_it(installing: MakeInstalling) -> None:
    spec = installing("pass")
    assert '"claims"' in spec_to_json(spec) and '"claims"' not in spec_to_json(replace(spec, claims=()))
