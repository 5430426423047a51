# SPDX-License-Identifier: Apache-2.0
"""Reaching another machine: plain OpenSSH, host keys checked, no questions asked, no secrets in arguments."""

import shlex
from pathlib import Path

from core.hosts.model import Host

_OPTIONS = (
    # Nobody can answer: fail instead of asking a question.
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=10",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    # Forward nothing of this machine to the other one.
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
)
_NO_FORWARDING = "ClearAllForwardings=yes"
_FORWARDING = (
    "ExitOnForwardFailure=yes",
    # A shared connection would not end with ours, and does not report the port.
    "ControlMaster=no",
    "ControlPath=none",
    "LogLevel=INFO",
)
_SHELL = "exec sh -s"
LOCAL_PROBE = ("sh", "-s")
"""The command that reads a script on this machine."""


def ssh_command(host: Host) -> tuple[str, ...]:
    """The command that runs a shell on `host`, which reads its script from standard input."""
    options = [word for option in (*_OPTIONS, _NO_FORWARDING) for word in ("-o", option)]
    return ("ssh", "-T", *options, *_address(host), _SHELL)


def forward_command(host: Host, port: int, command: str) -> tuple[str, ...]:
    """The command that runs `command` on `host`, with `port` of our loopback reachable from a port of its loopback.

    ssh reports that port on standard error: `Allocated port N for remote forward to ...`.
    """
    options = [word for option in (*_FORWARDING, *_OPTIONS) for word in ("-o", option)]
    return ("ssh", "-T", *options, "-R", f"127.0.0.1:0:127.0.0.1:{port}", *_address(host), command)


def ssh_by_hand(host: Host) -> str:
    """The command line that a person types to connect."""
    words = [word for word in _address(host) if word != "--"]
    return shlex.join(("ssh", *words))


def known_name(host: Host) -> str:
    """The name of the host in the file of known keys."""
    machine, port = _machine(host)
    name = machine.rpartition("@")[2]
    return f"[{name}]:{port}" if port else name


def shell_text(text: str) -> str:
    """`text` as one word of a POSIX shell; a leading `~/` is the home directory there."""
    if text.startswith("~/"):
        return f'"$HOME"/{shlex.quote(text[2:])}'
    return shlex.quote(text)


def _address(host: Host) -> list[str]:
    machine, port = _machine(host)
    configured = ["-F", str(Path(host.ssh_config).expanduser())] if host.ssh_config else []
    return [*configured, *(["-p", port] if port else []), "--", machine]


def _machine(host: Host) -> tuple[str, str]:
    """User with machine, and the port; an empty port: the ssh configuration decides."""
    machine, port = host.ssh, ""
    name, colon, number = machine.rpartition(":")
    if colon and number.isdigit() and (":" not in name.rpartition("@")[2] or name.endswith("]")):
        machine, port = name, number
    return machine.replace("[", "").replace("]", ""), port
