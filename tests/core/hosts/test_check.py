# SPDX-License-Identifier: Apache-2.0
"""What hosts lack, from a machine's answer; and the script itself, run by a real shell."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult, run_command
from core.hosts import Expected, Host, check_hosts
from core.hosts.check import Finding
from core.hosts.probe import parse_answer, probe_script
from core.hosts.ssh import ssh_by_hand, ssh_command
from tests.support.git import committer, git

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOST = Host("wh", "me@wh:4022", ("n150",), checkout="/c", expires=NOW + timedelta(hours=2))
ANY = Expected()
COMMIT, OTHER = "a" * 40, "b" * 40
GOOD = {
    "machine": "wh-01",
    "python": "/c/venv/bin/python",
    "versions": json.dumps({"python": "3.11.7", "pytest": "8.4", "torch": "2.9.0", "torch_xla": "2.9.0"}),
    "checkout": "/c",
    "commit": COMMIT,
    "models": OTHER,
    "nodes": "1",
    "boards": json.dumps({"device_info": [{"board_info": {"board_type": "n150 L"}}]}),
    "disk": str(50 * 2**20),
    "end": "ok",
}


class Machine:
    """Answers in place of ssh."""

    def __init__(self, said: Mapping[str, str], code: int = 0, stderr: str = "") -> None:
        lines = ["Welcome to wh-01", *(f"ttmatrix:{name} {value}" for name, value in said.items())]
        self._result = CommandResult((), code, "\n".join(lines), stderr)
        self.asked: list[tuple[Sequence[str], str]] = []

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout: float | None = None,
    ) -> CommandResult:
        assert env is None and timeout
        self.asked.append((argv, stdin))
        return self._result


def findings(machine: Machine, host: Host = HOST, expected: Expected = ANY) -> dict[str, Finding]:
    report = check_hosts([host], expected, machine, lambda: NOW)[0]
    assert report.ok == all(one.ok for one in report.findings)
    assert all(bool(one.remedy) != one.ok for one in report.findings), report
    return {one.check: one for one in report.findings}


def test_a_host_that_lacks_nothing() -> None:
    found = findings(Machine(GOOD), expected=Expected(COMMIT, OTHER))
    assert list(found) == ["ssh", "python", "packages", "checkout", "commit", "models", "devices", "disk", "lease"]
    assert all(one.ok for one in found.values())
    assert found["lease"].found == "2 h left" and found["devices"].found == "n150 L"


@pytest.mark.parametrize(
    ("check", "said", "remedy"),
    [
        ("python", {"python": ""}, "Install Python"),
        ("python", {"versions": ""}, "Set `python`"),
        ("python", {"versions": '{"python": "3.9.2"}'}, "3.10 or newer"),
        ("packages", {"versions": '{"python": "3.11.7", "pytest": "8"}'}, "not /c/venv/bin/python"),
        ("checkout", {"checkout": ""}, "Clone tt-xla"),
        ("commit", {"commit": OTHER}, "git -C /c fetch"),
        ("models", {"models": ""}, "submodule update"),
        ("devices", {"nodes": "0"}, "remove the label"),
        ("devices", {"boards": '{"device_info": [{"board_info": {"board_type": "p150a"}}]}'}, "n150 is missing"),
        ("disk", {"disk": "1024"}, "prune"),
        ("disk", {"disk": "much"}, "df -h"),
    ],
)
def test_what_is_missing_has_its_remedy(check: str, said: Mapping[str, str], remedy: str) -> None:
    found = findings(Machine({**GOOD, **said}), expected=Expected(COMMIT, OTHER))
    assert remedy in found[check].remedy
    assert all(one.ok for name, one in found.items() if name not in (check, "packages"))


def test_a_host_for_no_device_needs_none() -> None:
    found = findings(Machine({**GOOD, "nodes": "0"}), replace(HOST, labels=("fast",)))
    assert "devices" not in found and all(one.ok for one in found.values())


def test_a_lease_that_ends_soon() -> None:
    found = findings(Machine(GOOD), replace(HOST, expires=NOW + timedelta(minutes=20)))
    assert "hosts add wh --expires" in found["lease"].remedy
    assert findings(Machine(GOOD), replace(HOST, expires=NOW - timedelta(1)))["lease"].found == "it has ended"


@pytest.mark.parametrize(
    ("stderr", "remedy"),
    [
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.", "ssh-keygen -R '[wh]:4022'"),
        ("No ED25519 host key is known for wh and you have requested strict checking.", "Connect once by hand"),
        ("me@wh: Permission denied (publickey).", "ssh-add"),
        ("ssh: Could not resolve hostname wh", "Check the name"),
        ("ssh: connect to host wh port 4022: Connection refused", "ird list"),
        ("something new", "Try: ssh -p 4022 me@wh"),
    ],
)  # fmt: skip
def test_a_host_that_is_not_reached(stderr: str, remedy: str) -> None:
    found = findings(Machine({}, 255, stderr))
    assert list(found) == ["ssh", "lease"]
    assert remedy in found["ssh"].remedy


def test_a_shell_that_does_not_come_to_its_end() -> None:
    found = findings(Machine({"machine": "wh-01"}, 127, "sh: not found"))
    assert "exit code 127" in found["ssh"].found and "ssh -p 4022 me@wh true" in found["ssh"].remedy


def test_ssh_that_cannot_be_run_is_said() -> None:
    def missing(*_: object, **__: object) -> CommandResult:
        raise TTMatrixError("Cannot run ssh", "No such file or directory")

    report = check_hosts([HOST], Expected(), missing, lambda: NOW)[0]
    assert "Cannot run ssh" in report.findings[0].found


def test_how_ssh_is_called() -> None:
    machine = Machine(GOOD)
    check_hosts([HOST], Expected(), machine, lambda: NOW)
    (argv, stdin) = machine.asked[0]
    assert argv == ssh_command(HOST)
    assert {"BatchMode=yes", "StrictHostKeyChecking=yes", "ForwardAgent=no"} <= set(argv)
    assert list(argv[-5:]) == ["-p", "4022", "--", "me@wh", "exec sh -s"]
    assert "/c" in stdin and "/c" not in argv, "what is asked goes over standard input"
    assert ssh_by_hand(replace(HOST, ssh="u@[::1]:22", ssh_config="/f")) == "ssh -F /f -p 22 u@::1"


def test_the_script_changes_nothing_and_asks_what_is_there(tmp_path: Path) -> None:
    checkout = tmp_path / "it's a checkout"
    (checkout / "tests/runner/test_config").mkdir(parents=True)
    (checkout / "a").write_text("a")
    (checkout / "third_party/tt_forge_models").mkdir(parents=True)
    git(checkout, "init", "--quiet", "--template=")
    committer(checkout)
    git(checkout, "add", ".")
    git(checkout, "commit", "--quiet", "--message", "first")
    nodes, tools = tmp_path / "nodes", tmp_path / "tools"
    for one in (nodes, tools):
        one.mkdir()
    (nodes / "0").touch()
    snapshot = {"device_info": [{"board_info": {"board_type": "n150 L"}}]}
    smi = tools / "tt-smi"
    smi.write_text(f"#!/bin/sh\necho {shlex.quote(json.dumps(snapshot, indent=1))}\n")
    smi.chmod(0o755)
    host = Host("here", python=sys.executable, checkout=str(checkout))
    before = sorted(tmp_path.rglob("*"))
    script = f"PATH={shlex.quote(str(tools))}:$PATH\n" + probe_script(host, ("pytest", "no_such_package"), nodes)
    answer = parse_answer(run_command(("sh", "-s"), cwd=tmp_path, stdin=script, timeout=60).stdout)
    assert sorted(tmp_path.rglob("*")) == before
    assert answer.whole and answer.python == sys.executable and answer.checkout == str(checkout)
    assert answer.versions and answer.versions["pytest"] and answer.versions["no_such_package"] is None
    assert len(answer.commit) == 40 and answer.models == "", "that directory is no repository of its own"
    assert (answer.nodes, answer.boards) == (1, ("n150 L",)) and answer.free


@pytest.mark.parametrize(
    "text", ["", "ttmatrix:", "ttmatrix:nodes -1\nttmatrix:disk 9e9\nttmatrix:boards []", "\x1b]0;x\a"]
)
def test_an_answer_that_cannot_be_meant_is_none(text: str) -> None:
    answer = parse_answer(text)
    assert (answer.whole, answer.nodes, answer.free, answer.boards) == (False, 0, None, None)
