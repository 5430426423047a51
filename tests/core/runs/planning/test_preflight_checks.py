# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.preflight_checks: obstacles, with a remedy for each."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import identity
from core.base.settings import Settings
from core.domain.model import TEST_MODULE, Function
from core.runs import RunSpec, device_leases
from core.runs.planning import KINDS, Level, Source, Surroundings, Survey, kind_for, preflight, refuse
from core.sources import Checkout
from tests.core.runs.store.test_record import SPEC

VERSIONS = {"torch": "2.9.0", "torch_xla": "2.9.0", "pjrt_plugin_tt": "0.1", "pytest": "9.0.2"}
DEVICE = replace(SPEC, devices=("0",))


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """A machine without any obstacle."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2**40, 0, 2**40))
    runner = tmp_path / "tt-xla" / TEST_MODULE
    runner.parent.mkdir(parents=True)
    runner.touch()
    (tmp_path / "dev" / "0").mkdir(parents=True)
    survey = Survey("c", False, "m", "m", "/venv/python", VERSIONS, "d", "here", "b")
    checkout = Checkout(tmp_path / "tt-xla")
    return Surroundings(checkout, survey, {"IRD_LF_CACHE": "x"}, tmp_path / "runs", tmp_path / "dev")


def told(kind: str, around: Surroundings, spec: RunSpec = DEVICE) -> list[tuple[Level, str]]:
    found = preflight(KINDS[kind], [spec], around)
    assert all(obstacle.remedy for obstacle in found)
    return [(obstacle.level, obstacle.what) for obstacle in found]


def test_nothing_is_in_the_way_of_a_good_machine(around: Surroundings) -> None:
    assert told("cpu", around) == told("device", around) == []
    refuse([])


@pytest.mark.parametrize(
    ("kind", "versions", "said"),
    [
        ("cpu", {**VERSIONS, "torch": None}, "cannot import torch"),
        ("device", {**VERSIONS, "torch_xla": None, "pytest": None}, "cannot import pytest, torch_xla"),
        ("device", {}, "cannot import pytest, torch, torch_xla, pjrt_plugin_tt (Tenstorrent's plugin)"),
    ],
)
def test_missing_packages_block(around: Surroundings, kind: str, versions: Mapping[str, str | None], said: str) -> None:
    there = replace(around, survey=replace(around.survey, versions=versions))
    assert told(kind, there) == [(Level.BLOCKER, f"/venv/python {said}")]
    with pytest.raises(TTMatrixError, match="cannot start here") as caught:
        refuse(preflight(KINDS[kind], [SPEC], there))
    assert said in caught.value.detail
    assert "/venv/python -m pip install " in caught.value.hint
    assert "activate" not in caught.value.hint


def test_the_remedy_for_a_missing_plugin_names_its_wheel(around: Surroundings) -> None:
    there = replace(around, survey=replace(around.survey, versions={**VERSIONS, "pjrt_plugin_tt": None}))
    (found,) = preflight(KINDS["device"], [DEVICE], there)
    assert found.remedy.startswith("/venv/python -m pip install pjrt-plugin-tt (")
    asked = around.checkout.root / "python_package/requirements.txt"
    asked.parent.mkdir()
    asked.write_text("jax==0.7.1\ntorch-xla@https://wheels.example.com/torch-xla/torch_xla-2.9.0-cp312.whl\n")
    (found,) = preflight(KINDS["device"], [DEVICE], there)
    wanted = "/venv/python -m pip install pjrt-plugin-tt --extra-index-url https://wheels.example.com/; or name another"
    assert found.remedy.startswith(wanted)
    there = replace(around, survey=replace(around.survey, versions={"torch": "2.9.0", "pytest": "9"}))
    (found,) = preflight(KINDS["device"], [DEVICE], there)
    assert found.remedy.startswith(
        f"/venv/python -m pip install -r {asked}; /venv/python -m pip install pjrt-plugin-tt "
    )


def test_jax_models_want_jax_and_do_without_torch_xla_in_our_own_runner(around: Surroundings) -> None:
    own = kind_for("device", Checkout(Path("/absent")), Settings(backend="xla"))
    jax, versions = replace(DEVICE, function=Function.JAX), {"torch": "2.9.0", "pytest": "9", "yaml": ""}
    there = replace(around, survey=replace(around.survey, versions=versions))
    assert [one.what for one in preflight(own, [jax], there)] == ["/venv/python cannot import jax"]
    assert [one.what for one in preflight(own, [jax, DEVICE], there)] == ["/venv/python cannot import torch_xla, jax"]
    there = replace(around, survey=replace(around.survey, versions={**versions, "jax": "0.7.1"}))
    assert preflight(own, [jax], there) == []
    assert told("cpu", there, jax) == []


def test_our_own_runner_wants_one_reader_of_yaml_and_no_device(around: Surroundings) -> None:
    own = kind_for("device", Checkout(Path("/absent")), Settings())
    here = replace(around, nodes=Path("/absent"), environ={})
    for reader in ("ruamel", "yaml"):
        versions = {"torch": "2.9.0", "pytest": "9", reader: ""}
        assert preflight(own, [SPEC], replace(here, survey=replace(around.survey, versions=versions))) == []
    (found,) = preflight(own, [SPEC], here)
    assert (found.level, found.what) == (Level.BLOCKER, "/venv/python cannot import ruamel or yaml")


def test_a_version_that_nobody_knows_is_no_obstacle(around: Surroundings) -> None:
    assert told("cpu", replace(around, survey=replace(around.survey, versions={"torch": ""}))) == []


@pytest.mark.parametrize(
    ("change", "level", "said"),
    [
        ({"survey": {"versions": None}}, Level.WARNING, "did not list its packages"),
        ({"survey": {"versions": None, "source": Source.NOT_ASKED}}, Level.WARNING, "are not known yet"),
        ({"survey": {"models": "other" * 3}}, Level.WARNING, "The models are at otherother"),
        ({"environ": {}}, Level.WARNING, "IRD_LF_CACHE is not set"),
        ({"nodes": Path("/absent")}, Level.WARNING, "There is no device at /absent"),
        ({"checkout": Checkout(Path("/absent"))}, Level.BLOCKER, "no tests/runner/test_models.py"),
    ],
)
def test_each_other_obstacle_is_named(around: Surroundings, change: dict[str, Any], level: Level, said: str) -> None:
    if "survey" in change:
        change = {"survey": replace(around.survey, **change["survey"])}
    ((found, what),) = told("device", replace(around, **change))
    assert found is level
    assert said in what


@pytest.mark.parametrize(("free", "level"), [(2**20, Level.BLOCKER), (2**31, Level.WARNING)])
def test_a_full_disk_blocks(around: Surroundings, monkeypatch: pytest.MonkeyPatch, free: int, level: Level) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(2**40, 0, free))
    ((found, what),) = told("cpu", around)
    assert (found, "MiB are free" in what) == (level, True)


def test_devices_in_use_are_reported_with_who_has_them(around: Surroundings) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        owner = identity(other.pid)
        assert owner
        assert device_leases().take(["0"], owner) is None
        assert told("device", around) == [(Level.WARNING, f"Process {other.pid} has the devices 0")]
        assert told("device", around, replace(SPEC, devices=("1",))) == []
        other.communicate(b"\n")


@pytest.mark.parametrize(
    ("pytest_version", "forked", "works"),
    [
        ("9.2.0", "1.6.0", False),
        ("9.2.0", "1.7.5", False),
        ("10.0", "1.4.0", False),
        ("9.1.1", "1.7.5", True),
        ("9.0.2", "1.6.0", True),
        ("9.2.0", "1.8.0", True),
        ("9.2.0", None, True),
        ("", "", True),
    ],
)
def test_a_pytest_that_cannot_fork_blocks_what_forks(
    around: Surroundings, pytest_version: str, forked: str | None, works: bool
) -> None:
    versions = {**VERSIONS, "pytest": pytest_version, "pytest_forked": forked}
    there = replace(around, survey=replace(around.survey, versions=versions))
    forks = replace(DEVICE, argv=(*DEVICE.argv, "--forked"))
    assert told("device", there) == []
    found = told("device", there, forks)
    assert [level for level, _ in found] == ([] if works else [Level.BLOCKER])
    assert all("CRASHED with signal 0" in what for _, what in found)
    # Our own runner forks by itself.
    assert told("device", there, replace(forks, argv=("python", "-p", "ttmatrix_payload.runner", "--forked"))) == []
