# SPDX-License-Identifier: Apache-2.0
"""What hosts lack, each thing with its remedy: reached, interpreter, packages, checkout, devices, room, time."""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult, CommandRunner, run_command
from core.base.text import one_line
from core.hosts.model import Host, time_text
from core.hosts.probe import Answer, parse_answer, probe_script
from core.hosts.ssh import LOCAL_PROBE, known_name, ssh_by_hand, ssh_command

PATIENCE = 120.0
"""Seconds for a machine to answer: tt-smi looks at every device."""
_AT_A_TIME = 16
_LEAST_PYTHON = (3, 10)
_LITTLE_FREE = 5 * 2**30
_LITTLE_TIME = 30 * 60.0
_BOARD = re.compile(r"[np]\d{3}")
"""Beginning of labels that name a board: n150, n300-llmbox, p150."""
_PACKAGES = ("pytest", "torch")
_DEVICE_PACKAGES = ("torch_xla",)
_SSH_FAILED = 255


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a host must have."""

    check: str
    ok: bool
    found: str
    remedy: str = ""
    """What to do about it; empty if it is right."""


@dataclass(frozen=True, slots=True)
class HostReport:
    """The findings on one host, most important first."""

    host: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is missing."""
        return all(one.ok for one in self.findings)


@dataclass(frozen=True, slots=True)
class Expected:
    """The code that hosts should have; empty: any."""

    commit: str = ""
    models: str = ""
    """The commit of the models submodule."""


NOTHING_EXPECTED = Expected()


def check_hosts(
    hosts: Sequence[Host],
    expected: Expected,
    run: CommandRunner = run_command,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> list[HostReport]:
    """Ask all `hosts` at once and report what each lacks. Nothing is changed on them."""
    if not hosts:
        return []
    with ThreadPoolExecutor(min(_AT_A_TIME, len(hosts)), "check-hosts") as pool:
        return list(pool.map(lambda host: _check(host, expected, run, now()), hosts))


def _check(host: Host, expected: Expected, run: CommandRunner, now: datetime) -> HostReport:
    argv, script = check_command(host)
    said: CommandResult | TTMatrixError
    try:
        said = run(argv, cwd=Path("/"), stdin=script, timeout=PATIENCE)
    except TTMatrixError as error:
        said = error
    return report_of(host, said, expected, now)


def check_command(host: Host) -> tuple[Sequence[str], str]:
    """The command that asks one host, and its standard input. It may take PATIENCE."""
    return LOCAL_PROBE if host.here else ssh_command(host), probe_script(host, _packages_of(host))


def report_of(
    host: Host, said: CommandResult | TTMatrixError, expected: Expected = NOTHING_EXPECTED, now: datetime | None = None
) -> HostReport:
    """The report from the answer to `check_command`, or from the reason why there is none; `now` is the time."""
    if isinstance(said, TTMatrixError):
        found = one_line(f"{said.title}: {said.detail}")
        reached, answer = Finding("ssh", False, found, _try_by_hand(host)), Answer()
    else:
        reached, answer = _reached(host, said)
    findings = [] if host.here and reached.ok else [reached]
    if reached.ok:
        findings += [one for part in (_python, _checkout, _devices, _disk) for one in part(host, answer, expected)]
    findings += _lease(host, now or datetime.now(UTC))
    return HostReport(host.name, tuple(replace(one, remedy="" if one.ok else one.remedy) for one in findings))


def _packages_of(host: Host) -> tuple[str, ...]:
    return (*_PACKAGES, *(_DEVICE_PACKAGES if _boards_of(host) else ()))


def _boards_of(host: Host) -> list[str]:
    return [label for label in host.labels if _BOARD.match(label)]


# Connection

_REMEDIES = (
    ("IDENTIFICATION HAS CHANGED", "Its key has changed. If the reservation is a new one: {forget}; then {hand}"),
    ("host key is known", "Its key is not known yet. Connect once by hand and compare the key: {hand}"),
    ("Host key verification failed", "Its key is not known yet. Connect once by hand and compare the key: {hand}"),
    ("Permission denied", "It accepts none of your keys. Add one there, or to your agent (ssh-add); then try: {hand}"),
    ("Could not resolve", "Check the name of the machine in the hosts file; then try: {hand}"),
    ("Connection refused", "Nothing listens there: check with `ird list` whether the reservation has ended"),
    (
        "port forwarding failed",
        "Its sshd forwards no ports (AllowTcpForwarding), so that nothing can be sent to it from here. "
        "Run ttmatrix there: {hand} -t 'cd {there} && ttmatrix'",
    ),
    ("timed out", "It does not answer: check with `ird list` whether the reservation has ended, and check the network"),
)  # fmt: skip
"""Messages of ssh and their remedies. All of them have the same exit code."""


def _reached(host: Host, result: CommandResult) -> tuple[Finding, Answer]:
    answer = parse_answer(result.stdout)
    if answer.whole:
        return Finding("ssh", True, answer.machine), answer
    words = [one_line(line).strip() for line in result.stderr.splitlines() if line.strip()]
    last = words[-1] if words else ""
    if result.returncode != _SSH_FAILED:
        found = f"connected, but its shell ended with exit code {result.returncode}: {last}".rstrip(": ")
        return Finding("ssh", False, found, _try_by_hand(host)), answer
    return Finding("ssh", False, last or "ssh failed", remedy_for_ssh(host, result.stderr)), answer


def remedy_for_ssh(host: Host, said: str) -> str:
    """The remedy if ssh to `host` failed with the message `said`."""
    text = next((remedy for sign, remedy in _REMEDIES if sign in said), "Try: {hand}")
    forget = shlex.join(("ssh-keygen", "-R", known_name(host)))
    return text.format(hand=ssh_by_hand(host), forget=forget, there=host.checkout or "DIR")


def _try_by_hand(host: Host) -> str:
    return "Run sh by hand" if host.here else f"Try: {ssh_by_hand(host)} true"


# Contents


def _python(host: Host, answer: Answer, _: Expected) -> Iterator[Finding]:
    name = "python"
    if not answer.python:
        yield Finding(name, False, "there is no interpreter", "Install Python, or set `python` of the host")
        return
    versions = answer.versions
    if versions is None or not versions.get("python"):
        remedy = "Set `python` of the host to an interpreter that runs there"
        yield Finding(name, False, f"{answer.python} does not run", remedy)
        return
    version = str(versions["python"])
    least = ".".join(map(str, _LEAST_PYTHON))
    remedy = f"Set `python` of the host to an interpreter of version {least} or newer"
    yield Finding(name, _is_new_enough(version), f"{version} at {answer.python}", remedy)
    wanted = _packages_of(host)
    missing = [one for one in wanted if versions.get(one) is None]
    there = ", ".join(f"{one} {versions[one]}".strip() for one in wanted if versions.get(one) is not None)
    found = f"cannot import {', '.join(missing)}" if missing else there
    remedy = f"Install them there, or set `python` of the host to the interpreter that has them, not {answer.python}"
    yield Finding("packages", not missing, found, remedy)


def _is_new_enough(version: str) -> bool:
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) >= _LEAST_PYTHON


def _checkout(host: Host, answer: Answer, expected: Expected) -> Iterator[Finding]:
    if not host.checkout:
        yield Finding("checkout", False, "the host has no `checkout`", "Set it: ttmatrix hosts add " + _again(host))
        return
    if not answer.checkout:
        remedy = f"Clone tt-xla there, with its submodules, or set `checkout` of the host: not {host.checkout}"
        yield Finding("checkout", False, f"there is no tt-xla checkout in {host.checkout}", remedy)
        return
    yield Finding("checkout", True, answer.checkout)
    update = f"git -C {answer.checkout} fetch && git -C {answer.checkout} checkout {expected.commit[:12]}"
    yield from _same("commit", answer.commit, expected.commit, f"There: {update}")
    submodule = f"There: git -C {answer.checkout} submodule update --init third_party/tt_forge_models"
    yield from _same("models", answer.models, expected.models, submodule)


def _again(host: Host) -> str:
    return f"{host.name} --checkout DIR"


def _same(check: str, found: str, wanted: str, remedy: str) -> Iterator[Finding]:
    if not wanted:
        return
    text = found[:12] or "git does not know"
    yield Finding(check, found == wanted, text if found == wanted else f"{text}; here it is {wanted[:12]}", remedy)


def _devices(host: Host, answer: Answer, _: Expected) -> Iterator[Finding]:
    wanted = _boards_of(host)
    if not wanted:
        return
    if not answer.nodes:
        yield Finding(
            "devices", False, "/dev/tenstorrent has none", "Start the container with its devices, or remove the label"
        )
        return
    if answer.boards is None:
        yield Finding("devices", True, f"{answer.nodes} at /dev/tenstorrent; no tt-smi that says which")
        return
    boards = [one.lower() for one in answer.boards]
    missing = [one for one in wanted if not any(board.startswith(one.partition("-")[0]) for board in boards)]
    found = ", ".join(answer.boards) or "tt-smi sees none"
    remedy = f"Correct the labels of the host, or reset the devices there (tt-smi -r): {', '.join(missing)} is missing"
    yield Finding("devices", not missing, found, remedy)


def _disk(host: Host, answer: Answer, _: Expected) -> Iterator[Finding]:
    if answer.free is None:
        yield Finding("disk", False, "df does not say", "Look there: df -h")
        return
    remedy = "Remove what is not needed there: caches of models, old runs (ttmatrix prune)"
    yield Finding("disk", answer.free >= _LITTLE_FREE, f"{answer.free / 2**30:,.1f} GiB free", remedy)


def _lease(host: Host, now: datetime) -> Iterator[Finding]:
    left = host.time_left(now)
    if left is None:
        return
    remedy = f"Extend the reservation, then: ttmatrix hosts add {host.name} --expires 4h"
    found = f"{time_text(left)} left" if left else "it has ended"
    yield Finding("lease", left >= _LITTLE_TIME, found, remedy)
