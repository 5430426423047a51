# SPDX-License-Identifier: Apache-2.0
"""Global options, help, and exit codes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core import __version__
from core.cli.main import COMMANDS
from tests.support.cli import call
from tests.support.tree import sample


def test_without_a_command_the_app_opens() -> None:
    called = call("--repo", "/x", "--arch", "n150", "-q", "status:xfail")
    (request,) = called.opened
    assert (request.repo, request.arch, request.query) == (Path("/x"), "n150", "status:xfail")


def test_version_and_help() -> None:
    assert call("--version").out == f"ttmatrix {__version__}\n"
    assert all(name in call("--help").out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    called = call(command, "--help")
    assert called.code == 0
    assert f"ttmatrix {command}" in called.out
    assert "--repo" in called.out


@pytest.mark.parametrize("argv", [["bogus"], ["list", "--nope"], ["show"], ["--repo"], ["list", "--format", "x"]])
def test_usage_errors_are_64(argv: list[str]) -> None:
    called = call(*argv)
    assert called.code == 64
    assert "--help" in called.err
    assert called.out == ""


def test_global_options_stand_before_or_after(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    before = call("--repo", checkout.root, "--json", "list", "tiny")
    after = call("list", "tiny", "--json", "--repo", checkout.root)
    assert before.out == after.out != ""
    assert before.code == after.code == 0


def test_no_checkout_is_2(tmp_path: Path) -> None:
    called = call("list", "--repo", tmp_path)
    assert called.code == 2
    assert "No tt-xla checkout" in called.err


def test_an_unknown_arch_is_64(tmp_path: Path) -> None:
    called = call("list", "--repo", sample(tmp_path).root, "--arch", "n9")
    assert called.code == 64
    assert "n150" in called.err


def test_errors_are_json_too(tmp_path: Path) -> None:
    called = call("list", "--repo", tmp_path, "--json")
    assert set(called.json["error"]) == {"title", "detail", "hint"}
    assert re.search(r"^ttmatrix: ", called.err)


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    shutil.copytree(checkout.models / "alpha", checkout.models / os.fsdecode(b"odd\xff"))
    words = [sys.executable, "-m", "tui", "list", "odd", "--repo", str(checkout.root)]
    for more in ([], ["--json"]):
        env = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": str(Path(__file__).parents[3])}
        done = subprocess.run([*words, *more], capture_output=True, env=env, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        assert b"odd" in done.stdout
