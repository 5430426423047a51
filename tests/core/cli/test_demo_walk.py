# SPDX-License-Identifier: Apache-2.0
"""The walk does the whole job for real: a torch run, an edit, a commit."""

from pathlib import Path

import pytest

from core.cli.demo_walk import STALE
from core.proc import run_command
from tests.support.cli import call


def _subject(target: Path) -> str:
    return run_command(["git", "log", "-1", "--format=%s"], cwd=target).stdout.strip()


def test_the_whole_job(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    target = tmp_path / "demo"
    called = call("demo", target, "--headless")
    assert called.code == 0, called.err
    for said in (
        "-    status: KNOWN_FAILURE_XFAIL",
        "+    status: EXPECTED_PASSING",
        "FLOAT32: ok",
        "pass after",
        "Committed as",
    ):
        assert said in called.out
    assert _subject(target) == f"Expect {STALE} to pass"
    assert run_command(["git", "status", "--porcelain"], cwd=target).stdout == ""


def test_json_is_one_document(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    document = call("demo", tmp_path / "demo", "--headless", "--json").json
    assert document["id"] == STALE
    assert document["run"]["outcome"] == "pass"
    assert document["run"]["result"]["phases"][0]["dtype"] == "bfloat16"
    assert document["commit"] == run_command(["git", "rev-parse", "HEAD"], cwd=tmp_path / "demo").stdout.strip()


def test_a_run_that_fails_ends_the_walk_before_the_edit(tmp_path: Path, own_home: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    (own_home / "config").mkdir()
    (own_home / "config" / "settings.toml").write_text(f'python = "{broken}"\n')
    called = call("demo", tmp_path / "demo", "--headless")
    assert called.code == 2
    assert "ended with error" in called.err
    assert "Expect patch_vit" not in _subject(tmp_path / "demo")
