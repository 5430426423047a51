# SPDX-License-Identifier: Apache-2.0
"""How another machine is reached: plain OpenSSH, host keys checked, no questions asked, no secrets in its arguments."""

import shlex
from pathlib import Path

from core.hosts.model import Host

_OPTIONS = (
    # Nobody is there to answer: what would ask a question fails.
    "BatchMode=yes",
    "StrictHostKeyChecking=yes",
    "ConnectTimeout=10",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
    # The other machine gets nothing of this one.
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
)
_NO_FORWARDING = "ClearAllForwardings=yes"
_FORWARDING = (
    "ExitOnForwardFailure=yes",
    # A connection that others share would not end with us, and says nothing of the port.
    "ControlMaster=no",
    "ControlPath=none",
    "LogLevel=INFO",
)
_SHELL = "exec sh -s"
LOCAL_PROBE = ("sh", "-s")
"""What reads a script on this machine."""


def ssh_command(host: Host) -> tuple[str, ...]:
    """What runs a shell on `host` that reads its script from standard input."""
    options = [word for option in (*_OPTIONS, _NO_FORWARDING) for word in ("-o", option)]
    return ("ssh", "-T", *options, *_address(host), _SHELL)


def forward_command(host: Host, port: int, command: str) -> tuple[str, ...]:
    """What runs `command` on `host` and lets it reach `port` of this machine's loopback by a port of its own loopback.

    ssh says on standard error which one: `Allocated port N for remote forward to ...`.
    """
    options = [word for option in (*_FORWARDING, *_OPTIONS) for word in ("-o", option)]
    return ("ssh", "-T", *options, "-R", f"127.0.0.1:0:127.0.0.1:{port}", *_address(host), command)


def ssh_by_hand(host: Host) -> str:
    """The line that a person types to connect."""
    words = [word for word in _address(host) if word != "--"]
    return shlex.join(("ssh", *words))


def known_name(host: Host) -> str:
    """As the file of known keys has it."""
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
    """User and machine, and the port; empty: what the configuration says."""
    machine, port = host.ssh, ""
    name, colon, number = machine.rpartition(":")
    if colon and number.isdigit() and (":" not in name.rpartition("@")[2] or name.endswith("]")):
        machine, port = name, number
    return machine.replace("[", "").replace("]", ""), port
