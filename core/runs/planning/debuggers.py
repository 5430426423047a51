# SPDX-License-Identifier: Apache-2.0
"""Debuggers in profiles: they see the process that runs the test, and those that read from a terminal are refused."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from core.errors import UsageError
from core.runs.planning.kinds import FORKED
from core.runs.spec import RUN_VARIABLE, RunSpec, is_debugger, shell_command

_BATCH = frozenset({"-batch", "--batch", "-batch-silent", "--batch-silent", "-b"})
_OF_PYTHON = frozenset({"pdb", "ipdb", "pudb"})
_OF_PYTEST = frozenset({"--pdb", "--trace", "--pudb"})
_MORE_OPTIONS = "PYTEST_ADDOPTS"
_BRING_ONE = frozenset({"gnome-terminal", "konsole", "screen", "script", "tmux", "xterm"})
"""Programs that give the rest of their command a terminal."""


def with_debugger(spec: RunSpec, environ: Mapping[str, str]) -> RunSpec:
    """The run with its debugger, if its prefix has one, on the process of the test: pytest then forks no other.

    `environ` is the environment that it is requested from. Raises UsageError for a debugger that needs a terminal.
    """
    asks = _asking(spec, environ)
    if any(map(is_debugger, spec.prefix)) or asks:
        spec = replace(spec, argv=tuple(word for word in spec.argv if word != FORKED))
    if asks:
        env = {name: value for name, value in spec.env.items() if name != RUN_VARIABLE}
        raise UsageError(
            f"Profile {spec.profile!r}: {asks} reads from a terminal, and runs have none",
            "A debugger with commands on its command line can run: gdb -batch -ex run -ex bt --args; lldb --batch.",
            f"In a terminal: {shell_command(replace(spec, env=env))}",
        )
    return spec


def _asking(spec: RunSpec, environ: Mapping[str, str]) -> str:
    """What in the command waits for somebody to type; empty: nothing."""
    names = [PurePath(word).name for word in spec.prefix]
    if not _BRING_ONE.isdisjoint(names):
        return ""
    for number, word in enumerate(spec.prefix):
        if is_debugger(word) and _BATCH.isdisjoint(spec.prefix[number:]):
            return names[number]
        if word == "-m" and {*spec.prefix[number + 1 : number + 2]} & _OF_PYTHON:
            return spec.prefix[number + 1]
    given = spec.env.get(_MORE_OPTIONS, environ.get(_MORE_OPTIONS, ""))
    return next((word for word in (*spec.argv, *_words(given)) if word in _OF_PYTEST), "")


def _words(text: str) -> Sequence[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
