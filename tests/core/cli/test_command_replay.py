# SPDX-License-Identifier: Apache-2.0
"""`replay`: shows first, and runs the same again on request."""

from pathlib import Path

import pytest

from core.sources.checkout import Checkout
from tests.support.cli import call
from tests.support.tree import sample

FAILS = "alpha/pytorch-org/name-single_device-training"


@pytest.fixture
def capsule(runnable: Checkout, tmp_path: Path) -> Path:
    (done,) = call("run", FAILS, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root).json
    call("capsule", done["run"], "-o", tmp_path / "x.tar.gz")
    return tmp_path / "x.tar.gz"


def test_the_plan_is_shown_and_nothing_is_started(capsule: Path, runnable: Checkout) -> None:
    called = call("replay", capsule, "--repo", runnable.root)
    first, *_, command = called.out.splitlines()
    assert first.startswith(f"{FAILS}: fail bfloat16 forward")
    assert command.startswith(f"cd {runnable.root} && ")
    assert "Nothing was started" in called.err
    assert len(call("runs", "--json").json) == 1


def test_what_differs_here_is_told_and_the_run_is_of_this_checkout(capsule: Path, tmp_path: Path) -> None:
    other = sample(tmp_path / "other")
    python = tmp_path / "python"
    python.write_text(python.read_text().replace('"torch": "2.9.0"', '"torch": "2.10.0"'))
    document = call("replay", capsule, "--repo", other.root, "--json").json
    assert document["differences"] == [{"what": "torch", "there": "2.9.0", "here": "2.10.0"}]
    assert document["plan"]["cwd"] == str(other.root)
    assert f"--checkout={other.root}" in document["plan"]["argv"]
    started = call("replay", capsule, "--start", "--wait", "--json", "--repo", other.root)
    assert (started.code, started.json[0]["outcome"]) == (1, "fail")


def test_no_capsule(runnable: Checkout, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x")
    assert call("replay", tmp_path / "text", "--repo", runnable.root).code == 2
    assert call("replay", tmp_path / "absent", "--repo", runnable.root).code == 2
