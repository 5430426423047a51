# SPDX-License-Identifier: Apache-2.0
"""core.runs.cluster.places: our paths become the host's paths, and nothing else changes."""

import sys
from dataclasses import replace
from pathlib import Path

from core.runs.cluster import Job, portable
from core.runs.cluster.places import BUILT_IN, CHECKOUT, PAYLOAD, PYTHON, RUN, interpreter, settled
from tests.core.runs.conftest import MakeSpec


def test_paths_are_replaced_also_one_inside_another(make_spec: MakeSpec) -> None:
    root = Path("/home/me/tt-xla")
    directory = root / "build" / "runs" / "ID"
    argv = (sys.executable, "-m", "pytest", f"--junitxml={directory}/junit.xml", f"{root}/tests", "/home/me/tt-xla-2")
    spec = replace(make_spec(), cwd=root, argv=argv, env={"PYTHONPATH": f"{PAYLOAD}", "A": f"{root}:{directory}"})
    words, env, paths = portable(spec, directory)
    assert paths == {}
    assert words == (PYTHON, "-m", "pytest", f"--junitxml={RUN}/junit.xml", f"{CHECKOUT}/tests", "/home/me/tt-xla-2")
    assert env == {"PYTHONPATH": BUILT_IN, "A": f"{CHECKOUT}:{RUN}"}
    there = {PYTHON: "/py", CHECKOUT: "/co", RUN: "/run", BUILT_IN: "/payload"}
    assert settled(Job("x", words, env, (), paths={"PYTHONPATH": f"{CHECKOUT}:{CHECKOUT}/tests"}), there) == (
        ["/py", "-m", "pytest", "--junitxml=/run/junit.xml", "/co/tests", "/home/me/tt-xla-2"],
        {"PYTHONPATH": "/payload", "A": "/co:/run"},
        {"PYTHONPATH": "/co:/co/tests"},
    )


def test_programs_of_an_activated_environment_here_are_not_looked_for_there(make_spec: MakeSpec) -> None:
    root = Path("/home/me/tt-xla")
    env = {"VIRTUAL_ENV": f"{root}/venv", "TT_MLIR_HOME": f"{root}/third_party/tt-mlir"}
    paths = {"PATH": f"{root}/venv/bin", "PYTHONPATH": f"{root}:{root}/tests"}
    _, env, paths = portable(replace(make_spec(), cwd=root, env=env, paths=paths), root / "build")
    assert env == {"TT_MLIR_HOME": f"{CHECKOUT}/third_party/tt-mlir"}
    assert paths == {"PYTHONPATH": f"{CHECKOUT}:{CHECKOUT}/tests"}
    _, env, _ = portable(replace(make_spec(), env={"LD_LIBRARY_PATH": "/of/a/profile"}), root)
    assert env == {"LD_LIBRARY_PATH": "/of/a/profile"}


def test_the_interpreter_is_the_hosts_then_the_checkouts(tmp_path: Path) -> None:
    assert interpreter("/opt/python", str(tmp_path)) == "/opt/python"
    assert interpreter("", str(tmp_path)) == "python3"
    own = tmp_path / "venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert interpreter("", str(tmp_path)) == str(own)
