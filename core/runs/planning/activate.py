# SPDX-License-Identifier: Apache-2.0
"""The environment that `source venv/activate` of a checkout would give a run, read from that file; nothing is executed.

Upstream's tests import `infra` and others from directories that only this file puts on the import path.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_text

_FILE = "venv/activate"
_ROOTS = ("", "tests", "integrations/vllm_plugin")
"""Directories of a checkout that belong on the import path, whatever the file says."""
_PATHS = ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH")
_EXPORT = re.compile(r"export\s+([A-Za-z_]\w*)=(.*)")
_UNLESS_SET = re.compile(r"if\s+\[\s+-z\s+\"?\$\{?([A-Za-z_]\w*)\}?\"?\s+\]\s*;\s*then$")
_PART = re.compile(r"\$\((.*?)\)|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$([A-Za-z_]\w*)|`")
_QUOTED, _WORD = re.compile(r'"([^"]*)'), re.compile(r"((?:\$\([^)]*\)|[^\s;])*)")
_HERE = "pwd"


class Activation(NamedTuple):
    """Changes of an environment."""

    env: Mapping[str, str]
    """Variables to set."""
    paths: Mapping[str, str]
    """By name of a variable that is a list of directories: those to put before it."""


NO_ACTIVATION = Activation({}, {})


def activation(root: Path, python: Path, environ: Mapping[str, str] = os.environ) -> Activation:
    """What a run of `python` in the checkout at `root` lacks in `environ`, the environment it is requested from.

    Values that lead into the checkout replace those of `environ`, which may be another checkout's; for the others, the
    person's own value wins.
    """
    root = root.absolute()
    script = _Script(root, environ)
    try:
        script.read(read_text(root / _FILE))
    except TTMatrixError:
        script = _Script(root, environ)
    own = {name: value for name, value in script.values.items() if str(root) in value or name not in environ}
    directories = {name: [*script.directories.get(name, ())] for name in _PATHS}
    searched = directories["PYTHONPATH"]
    directories["PYTHONPATH"] = [
        *(one for one in (str(root / one) for one in _ROOTS) if one not in searched),
        *searched,
    ]
    bin_directory = python.absolute().parent
    if (bin_directory.parent / "pyvenv.cfg").is_file():
        own["VIRTUAL_ENV"] = str(bin_directory.parent)
        directories["PATH"].append(str(bin_directory))
    there = {name: [one for one in each if Path(one).is_dir()] for name, each in directories.items()}
    return Activation(own, {name: os.pathsep.join(each) for name, each in there.items() if each})


@dataclass
class _Script:
    """The assignments of a shell script that depend on nothing but variables and its directory."""

    root: Path
    environ: Mapping[str, str]
    values: dict[str, str] = field(default_factory=dict)
    directories: dict[str, list[str]] = field(default_factory=dict)
    """By variable: the directories that are put before its earlier value."""

    def read(self, text: str) -> None:
        branches: list[bool] = []
        for line in map(str.strip, text.splitlines()):
            if line.startswith("if "):
                branches.append(bool((found := _UNLESS_SET.match(line)) and not self._value(found[1])))
            elif line == "fi" and branches:
                branches.pop()
            elif line.startswith(("else", "elif ")) and branches:
                branches[-1] = False
            elif all(branches) and (found := _EXPORT.match(line)):
                self._assign(found[1], found[2])

    def _assign(self, name: str, text: str) -> None:
        value = self._expanded(text, name)
        if value is None:
            return
        if name in _PATHS:
            entries = [one for one in value.split(os.pathsep) if one]
            self.directories[name] = [*dict.fromkeys([*entries, *self.directories.get(name, ())])]
        else:
            self.values[name] = value

    def _expanded(self, text: str, name: str) -> str | None:
        """The value of a word of the shell; None: it depends on more than variables and the directory."""
        if text[:1] == "'":
            return text[1:].partition("'")[0]
        word = _QUOTED.match(text) or _WORD.match(text)
        text = word[1] if word else ""
        unknown = False

        def part(found: re.Match[str]) -> str:
            nonlocal unknown
            command, braced, default, plain = found.groups()
            variable = braced or plain
            if variable is None:
                unknown |= command != _HERE
                return str(self.root)
            # The earlier value of the variable itself is added when the run starts.
            return "" if variable == name and name in _PATHS else self._value(variable) or default or ""

        value = _PART.sub(part, text)
        return None if unknown else value

    def _value(self, name: str) -> str:
        return self.values.get(name, self.environ.get(name, ""))
