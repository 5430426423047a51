# SPDX-License-Identifier: Apache-2.0
"""The walk really does the whole job: a torch run, a device report, an edit, a commit with its evidence."""

from pathlib import Path

import pytest

from core.base.processes import run_command
from core.cli.demo_walk import STALE
from core.evidence.verdicts import LoadedPolicy, Policy
from tests.support.cli import call
from tests.support.schemas import complaints
from tests.support.warm_python import use_python


def _log(target: Path, form: str = "%s") -> str:
    return run_command(["git", "log", "-1", f"--format={form}"], cwd=target).stdout.strip()


@pytest.fixture
def torch(warm_torch: Path, own_home: Path) -> None:
    """The interpreter that runs the models, named in the settings."""
    use_python(warm_torch, own_home)


@pytest.mark.usefixtures("torch")
def test_the_whole_job(tmp_path: Path) -> None:
    target = tmp_path / "demo"
    called = call("demo", target, "--headless")
    assert called.code == 0, called.err
    for said in (
        "-    status: KNOWN_FAILURE_XFAIL",
        "+    status: EXPECTED_PASSING",
        "FLOAT32: ok",
        "pass after",
        "proves nothing about a device",
        "-p ttmatrix_payload.runner",
        "2 passed",
        "--device-result",
        "Committed as",
    ):
        assert said in called.out
    if "the backend eager" in called.out:
        assert "\n  Without torch-xla nothing is compiled" in called.out
    assert called.out.index("pass after") < called.out.index("2 passed") < called.out.index("+    status: EXPECTED")
    assert _log(target) == f"Expect {STALE} to pass"
    body = _log(target, "%b")
    assert "Report by ttmatrix's own runner with the backend" in body
    assert f"- {STALE}: passed" in body
    assert run_command(["git", "status", "--porcelain"], cwd=target).stdout == ""


@pytest.mark.usefixtures("torch")
def test_json_is_one_document(tmp_path: Path) -> None:
    document = call("demo", tmp_path / "demo", "--headless", "--json").json
    assert complaints("demo", document) == []
    assert document["id"] == STALE
    assert document["run"]["outcome"] == "pass"
    assert document["run"]["result"]["phases"][0]["dtype"] == "bfloat16"
    assert {one["ending"] for one in document["device"]} == {"passed"}
    assert "on the CPU" in document["device_by"]
    assert document["commit"] == run_command(["git", "rev-parse", "HEAD"], cwd=tmp_path / "demo").stdout.strip()


def test_a_run_that_fails_ends_the_walk_before_the_edit(tmp_path: Path, own_home: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    use_python(broken, own_home)
    called = call("demo", tmp_path / "demo", "--headless")
    assert called.code == 2
    assert "ended with error" in called.err
    assert "Expect patch_vit" not in _log(tmp_path / "demo")


@pytest.mark.usefixtures("torch")
def test_where_the_policy_takes_no_cpu_for_a_device_nothing_is_promoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.cli.demo_walk.policy_of", lambda *_: LoadedPolicy(Policy(), None))
    called = call("demo", tmp_path / "demo", "--headless")
    assert called.code == 64
    assert "is not a device report" in called.err
    assert "Expect patch_vit" not in _log(tmp_path / "demo")
    assert run_command(["git", "status", "--porcelain"], cwd=tmp_path / "demo").stdout == ""
