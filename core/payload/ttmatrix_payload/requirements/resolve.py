# SPDX-License-Identifier: Apache-2.0
"""Find out which packages pip would fetch for loaders, and from where; downloads, builds and installs nothing.

`main` takes SECONDS PIP DIRECTORY...: PIP is the directory of a pip package to use if this interpreter's own is too
old, or empty. The line that it prints is JSON behind TTMATRIX-PACKAGES: by directory, names and addresses, or null if
pip gave no answer.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Timer

from .install import STEPS, constraints, distribution_version
from .satisfied import named_lines

FIRST_PIP = 26
"""The first version whose dry run downloads no package."""

_WHOLE = re.compile(r"Downloading \S+ \([\d.]+ [MG]B\)")
"""Message of pip when it downloads a package because its index has neither metadata nor partial downloads."""
_ASK = (
    *("install", "--dry-run", "--only-binary=:all:", "--use-feature=fast-deps", "--no-input", "--progress-bar=off"),
    *("--disable-pip-version-check", "--retries=0", "--timeout=5"),
)

Packages = list[tuple[str, str]]
"""`name==version` (or a requirement line as it is), and the address of its file or an empty text."""


def resolved(directory: Path, pip: Sequence[str], deadline: float) -> Packages | None:
    """The packages that pip would fetch for a loader's files; None if it has not answered by `deadline` (monotonic).

    Lines that are not package names, such as addresses of repositories, are returned unchanged: finding their
    dependencies would mean executing their code. pip does not run either if a file has options: servers named by a
    checkout are not contacted before a run.
    """
    found: Packages = []
    for name, options in STEPS.items():
        if not (directory / name).is_file():
            continue
        lines = named_lines((directory / name).read_text())
        if any(line.startswith("-") for line in lines):
            return None
        asked = [line for line in lines if _is_name(line)]
        more = _ask(asked, pip, [one for one in options if one == "--no-deps"], deadline) if asked else []
        if more is None:
            return None
        found += [*more, *((line, "") for line in lines if line not in asked)]
    return list(dict.fromkeys(found))


def _is_name(line: str) -> bool:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        return Requirement(line).url is None
    except InvalidRequirement:
        return False


def _ask(lines: Sequence[str], pip: Sequence[str], options: Sequence[str], deadline: float) -> Packages | None:
    with tempfile.TemporaryDirectory() as place:
        report, wanted, fixed = (Path(place) / name for name in ("report.json", "wanted.txt", "constraints.txt"))
        wanted.write_text("\n".join(lines))
        fixed.write_text(constraints())
        command = [*pip, *_ASK, f"--report={report}", *options, "-r", str(wanted), "-c", str(fixed)]
        if not _ends_well(command, place, deadline):
            return None
        try:
            return [_package(one) for one in json.loads(report.read_text())["install"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _ends_well(command: Sequence[str], scratch: str, deadline: float) -> bool:
    """Whether pip succeeds in time and without downloading a package."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    # A killed pip cannot remove its temporary files.
    environ.update(TMPDIR=scratch, PYTHONUNBUFFERED="1")
    none = subprocess.DEVNULL
    with subprocess.Popen(command, text=True, env=environ, stdin=none, stdout=subprocess.PIPE, stderr=none) as running:
        timer = Timer(max(0.0, deadline - time.monotonic()), running.kill)
        timer.start()
        for line in running.stdout or ():
            if _WHOLE.search(line):
                running.kill()
        timer.cancel()
    return running.returncode == 0


def _package(one: dict[str, dict[str, str]]) -> tuple[str, str]:
    return f"{one['metadata']['name']}=={one['metadata']['version']}", one["download_info"]["url"]


def pip_command(other: str, alone: Path) -> list[str] | None:
    """The command for pip: this interpreter's own, or the package in the directory `other`; None: neither works.

    A pip that is run from its directory takes the packages beside it for installed, so `other` is linked into the
    empty directory `alone`.
    """
    own = distribution_version("pip") or "0"
    if int(own.partition(".")[0]) >= FIRST_PIP:
        return [sys.executable, "-m", "pip"]
    if not other:
        return None
    (alone / "pip").symlink_to(other, target_is_directory=True)
    return [sys.executable, str(alone / "pip")]


def main(argv: Sequence[str]) -> None:
    """Print the answer, as documented at the top of this file."""
    seconds, other, *places = argv
    deadline = time.monotonic() + float(seconds)
    with tempfile.TemporaryDirectory() as alone:
        pip = pip_command(other, Path(alone))
        said = {place: None if pip is None else resolved(Path(place), pip, deadline) for place in places}
    print("TTMATRIX-PACKAGES", json.dumps(said))
