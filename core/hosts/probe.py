# SPDX-License-Identifier: Apache-2.0
"""Probing a machine: one script for a POSIX shell that changes nothing there, and its answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.base.files import Malformed, parsed
from core.base.text import one_line
from core.hosts.model import DEVICE_NODES, Host
from core.hosts.ssh import shell_text

_PREFIX = "ttmatrix:"
"""Starts every line of the answer; other output of a login shell is ignored."""
_MOST = 400

# One function, so that a shell whose input is cut off does nothing. Nothing in it reads standard input.
_SCRIPT = """\
probe() {
say() { printf '@PREFIX@%s %s\\n' "$1" "$2"; }
say machine "$(uname -n)"
checkout=@CHECKOUT@
python=@PYTHON@
if [ -z "$python" ]; then
    for one in "$checkout/venv/bin/python" "$checkout/.venv/bin/python" "$(command -v python3)"; do
        if [ -x "$one" ]; then python=$one; break; fi
    done
fi
say python "$python"
if [ -n "$python" ]; then
    say versions "$("$python" -c @CODE@ </dev/null 2>/dev/null)"
fi
if [ -n "$checkout" ] && [ -d "$checkout/tests/runner/test_config" ]; then
    say checkout "$checkout"
    say commit "$(git -C "$checkout" rev-parse HEAD </dev/null 2>/dev/null)"
    models=$checkout/third_party/tt_forge_models
    if [ -e "$models/.git" ]; then say models "$(git -C "$models" rev-parse HEAD </dev/null 2>/dev/null)"; fi
fi
nodes=0
for one in @NODES@/*; do if [ -e "$one" ]; then nodes=$((nodes + 1)); fi; done
say nodes "$nodes"
smi=$(command -v tt-smi)
if [ -n "$smi" ]; then
    limit=; if command -v timeout >/dev/null; then limit='timeout 60'; fi
    say boards "$($limit "$smi" -s </dev/null 2>/dev/null | tr -d '\\n\\r')"
fi
place=$checkout; if [ ! -d "$place" ]; then place=$HOME; fi
say disk "$(df -Pk "$place" </dev/null 2>/dev/null | awk 'END { print $4 }')"
say end ok
}
probe
"""
_CODE = """\
import importlib.util, json, platform
from importlib import metadata
def version(name):
    if importlib.util.find_spec(name) is None:
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
print(json.dumps({"python": platform.python_version(), **{name: version(name) for name in @NAMES@}}))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a machine has reported."""

    machine: str = ""
    python: str = ""
    """The interpreter; empty: there is none."""
    versions: Mapping[str, str | None] | None = None
    """By import name, with `python` for the interpreter itself; empty: installed, version unknown.
    None: the interpreter did not answer."""
    checkout: str = ""
    """The checkout found there; empty: there is none in the directory that the host names."""
    commit: str = ""
    models: str = ""
    """The commit of the models submodule."""
    nodes: int = 0
    """Number of devices that the driver lists."""
    boards: Sequence[str] | None = None
    """Types of the devices according to `tt-smi -s`; None: there is no tt-smi, or it did not answer."""
    free: int | None = None
    """Free bytes on the disk of the checkout, else of the home directory."""
    whole: bool = field(default=False, compare=False)
    """Whether the script ran to its end."""


def probe_script(host: Host, packages: Sequence[str], nodes: Path = DEVICE_NODES) -> str:
    """The script for `host`; `packages` are import names, `nodes` the directory of the devices."""
    code = _CODE.replace("@NAMES@", json.dumps(list(packages)))
    words = {"CHECKOUT": host.checkout, "PYTHON": host.python, "CODE": code, "NODES": str(nodes)}
    text = _SCRIPT.replace("@PREFIX@", _PREFIX)
    for name, word in words.items():
        text = text.replace(f"@{name}@", shell_text(word))
    return text


def parse_answer(text: str) -> Answer:
    """Parse the output of the script; missing and implausible values are treated as not reported."""
    said: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith(_PREFIX):
            name, _, value = line.removeprefix(_PREFIX).partition(" ")
            said[name] = value.strip()
    free = said.get("disk", "")
    return Answer(
        machine=_short(said.get("machine", "")),
        python=_short(said.get("python", "")),
        versions=_versions(said.get("versions", "")),
        checkout=_short(said.get("checkout", "")),
        commit=_commit(said.get("commit", "")),
        models=_commit(said.get("models", "")),
        nodes=int(said["nodes"]) if said.get("nodes", "").isdecimal() else 0,
        boards=parse_boards(said.get("boards", "")),
        free=int(free) * 1024 if free.isdecimal() and len(free) < 18 else None,
        whole=said.get("end") == "ok",
    )


def _short(text: str) -> str:
    return one_line(text)[:_MOST]


def _commit(text: str) -> str:
    return text if len(text) in (40, 64) and text.isalnum() else ""


def _json(text: str) -> Any:
    try:
        return parsed(text)
    except Malformed:
        return None


def _versions(text: str) -> Mapping[str, str | None] | None:
    found = _json(text)
    if not isinstance(found, dict):
        return None
    return {str(name): None if value is None else _short(str(value)) for name, value in found.items()}


def parse_boards(text: str) -> Sequence[str] | None:
    """The types of the boards in a snapshot of tt-smi: `n150 L`, `p150a`; None: it is none."""
    found = _json(text)
    devices = found.get("device_info") if isinstance(found, dict) else None
    if not isinstance(devices, list):
        return None
    infos = [one.get("board_info") for one in devices if isinstance(one, dict)]
    return tuple(_short(str(one.get("board_type", ""))) for one in infos if isinstance(one, dict))
