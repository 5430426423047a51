# SPDX-License-Identifier: Apache-2.0
"""Open the person's own editor at a line."""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import run_in_terminal

_FALLBACKS = ("vi", "nano")
_LIKE_CODE = ("code", "code-insiders", "codium", "code-oss", "cursor", "windsurf")
_LINE_AS_SUFFIX = ("subl", "sublime_text", "hx", "helix", "zed", "zeditor")
_LINE_AS_OPTION = {"kate": "--line", "kwrite": "--line", "mate": "--line", "idea": "--line", "pycharm": "--line"}
_RETURN_AT_ONCE = (*_LIKE_CODE, "subl", "sublime_text", "zed", "zeditor", "mate", "idea", "pycharm")
"""Editors that return immediately unless given an option to wait."""
_WAITS = ("-w", "--wait")
_STARTERS = re.compile(r"env|nice|[A-Za-z_]\w*=.*")
"""Words that may precede the editor's name."""
_MISSING = (126, 127)
"""Exit codes by which a starter such as `env` reports that the program does not exist."""


def editor_command(path: Path, line: int, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command that opens `path` at `line` (from 1): $VISUAL, else $EDITOR, else what is installed.

    An editor is recognised by its name, ignoring directory and version suffix; an unknown one
    gets `+LINE`, which most editors understand. Raises TTMatrixError if there is no editor or the variable cannot be
    parsed.
    """
    words = _chosen(environ)
    name = next((_name(word) for word in words if not _STARTERS.fullmatch(word)), "")
    if name in _RETURN_AT_ONCE and not any(word in _WAITS for word in words):
        words.append("--wait")
    if name in _LIKE_CODE:
        return [*words, *(() if "-g" in words or "--goto" in words else ("--goto",)), f"{path}:{line}"]
    if name in _LINE_AS_SUFFIX:
        return [*words, f"{path}:{line}"]
    if name in _LINE_AS_OPTION:
        return [*words, _LINE_AS_OPTION[name], str(line), str(path)]
    return [*words, f"+{line}", str(path)]


def edit(argv: Sequence[str], cwd: Path, started: Callable[[int], object] = lambda _: None) -> None:
    """Run an editor in the terminal and wait for it; `started` gets its process id.

    Raises TTMatrixError if it cannot be started.
    """
    try:
        code = run_in_terminal(argv, cwd=cwd, started=started)
    except TTMatrixError as error:
        raise TTMatrixError(error.title, error.detail, _HINT) from error
    if code in _MISSING:
        raise TTMatrixError(f"Cannot run {argv[0]}", f"There is no such program: {shlex.join(argv)}", _HINT)


_HINT = "For example: export EDITOR=vim"


def _chosen(environ: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(variable, ""))
        except ValueError as error:
            raise TTMatrixError(f"${variable} cannot be read", f"{environ[variable]}: {error}", _HINT) from error
        if words:
            return words
    installed = next(filter(shutil.which, _FALLBACKS), "")
    if not installed:
        raise TTMatrixError("No editor", "Neither $VISUAL nor $EDITOR is set.", _HINT)
    return [installed]


def _name(word: str) -> str:
    """The name of a program without its directory, suffix and version, as in `/opt/bin/code.cmd`."""
    return re.sub(r"\.(exe|cmd|sh|basic|nox)$|[-.]?\d+(\.\d+)*$", "", Path(word).name)
