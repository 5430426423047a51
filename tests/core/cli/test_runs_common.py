# SPDX-License-Identifier: Apache-2.0
"""Common to all commands that start runs: plan, check, refuse, start, wait, report."""

import io
import json
import subprocess
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.cli.console import Console
from core.cli.context import Context
from core.cli.runs_common import ask
from core.runs import Outcome
from core.sources import Checkout
from tests.support.cli import Terminal, call
from tests.support.fake_python import without_package

PASSES, FAILS = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "org/name"))
CRASHES, SILENT = (f"beta/causal_lm/pytorch-{name}-single_device-inference" for name in ("1B", "3B"))


@pytest.fixture
def with_runner(runnable: Checkout) -> Checkout:
    """The sample tree with a runner, replaced by the stand-in for its interpreter."""
    (runnable.root / "tests/runner/test_models.py").touch()
    return runnable


def test_device_runs_end_as_their_junit_files_say(with_runner: Checkout) -> None:
    ids = (PASSES, FAILS, CRASHES, SILENT)
    called = call("run", *ids, "--kind", "device", "--arch", "n150", "--wait", "--json", "--repo", with_runner.root)
    assert called.code == 2
    outcomes = [Outcome.PASS, Outcome.FAIL, Outcome.CRASH, Outcome.ERROR]
    assert [one["outcome"] for one in called.json] == outcomes
    passed, failed, crashed, silent = called.json
    assert passed["result"]["tags"] == {"pcc": 0.98, "bringup_status": "PASSED"}
    assert (failed["summary"], crashed["summary"]) == (
        "RuntimeError: TT_FATAL",
        "ended by SIGSEGV in RUNTIME_EXECUTION_START",
    )
    assert (crashed["signal"], crashed["stage"]) == (11, "RUNTIME_EXECUTION_START")
    assert silent["summary"].startswith("pytest ended with exit code 3: No junit.xml")
    assert Path(passed["directory"], "junit.xml").is_file()
    assert {one["batch"] for one in called.json} == {passed["run"]}
    written = json.loads(Path(passed["directory"], "provenance.json").read_text())
    assert written["versions"]["torch_xla"] == "2.9.0"
    assert called.err.splitlines()[-1] == "1 pass, 1 fail, 1 crash, 1 error"


def test_the_plan_pasted_into_a_shell_does_the_same(with_runner: Checkout) -> None:
    words = ("run", FAILS, "--kind", "device", "--arch", "n150", "--plan", "--repo", with_runner.root)
    line = call(*words).out.strip()
    assert "--force-run --runxfail" in line
    (option,) = [one for one in call(*words, "--json").json[0]["argv"] if one.startswith("--junitxml=")]
    junit = Path(option.removeprefix("--junitxml="))
    assert junit.parent.parent.name == "runs"
    Path(line.partition("--junitxml=")[2].split()[0]).parent.mkdir(parents=True)
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "collected 1 item\n")


def test_what_is_in_the_way_is_reported_with_the_plan_and_refused_without(runnable: Checkout, tmp_path: Path) -> None:
    without_package(tmp_path / "python", "pytest")
    words = ("run", PASSES, "--kind", "device", "--repo", runnable.root)
    planned = call(*words, "--plan")
    assert planned.code == 0
    assert "blocker: " in planned.err
    assert "cannot import pytest" in planned.err
    refused = call(*words, "--json")
    assert refused.code == 2
    assert "cannot import pytest" in refused.json["error"]["detail"]
    assert call("runs", "--json").json == []
    assert call(*words, "--force", "--wait").code == 0


def test_after_a_failure_the_rest_of_the_batch_is_not_run(runnable: Checkout, own_home: Path) -> None:
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "cpu_slots = 1\n")
    words = ("--kind", "cpu", "--stop-on-failure", "--wait", "--json", "--repo", runnable.root)
    called = call("run", FAILS, PASSES, *words)
    assert [one["outcome"] for one in called.json] == ["fail", "cancelled"]
    assert called.code == 1


def test_profiles_reach_the_command(with_runner: Checkout, own_home: Path) -> None:
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + '[profiles.irs]\narguments = ["--dump-irs"]\n')
    words = ("run", PASSES, "--kind", "device", "--plan", "--repo", with_runner.root)
    assert call(*words, "--profile", "irs").out.endswith(" --dump-irs\n")
    assert call(*words, "--profile", "other").code == 64


def test_a_question_and_its_answer_are_never_on_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()

    def context(*, as_json: bool) -> Context:
        return Context(None, "", Console(as_json, out=out, err=err), lambda _: 0)

    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    ask("Start it?", context(as_json=False))
    assert (out.getvalue(), err.getvalue()) == ("", "Start it? [y/N]\n")
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    with pytest.raises(UsageError, match="Nothing was started"):
        ask("Start it?", context(as_json=True))
    assert (out.getvalue(), err.getvalue()) == ("", "Start it? [y/N]\n"), "with --json nobody is asked"
