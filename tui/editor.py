# SPDX-License-Identifier: Apache-2.0
"""Open the person's own editor at a line."""

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import TTMatrixError
from core.proc import run_in_terminal

_FALLBACKS = ("vi", "nano")
_LINE_AS_SUFFIX = ("code", "subl", "hx", "zed")


def editor_command(path: Path, line: int, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command that opens `path` at `line` (from 1): $VISUAL, else $EDITOR, else what is installed.

    Raises TTMatrixError where there is no editor.
    """
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or next(filter(shutil.which, _FALLBACKS), "")
    if not chosen:
        raise TTMatrixError("No editor", "Neither $VISUAL nor $EDITOR is set.", "For example: export EDITOR=vim")
    words = shlex.split(chosen)
    if Path(words[0]).name in _LINE_AS_SUFFIX:
        return [*words, f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]


def edit(argv: Sequence[str], cwd: Path) -> None:
    """Run an editor in the terminal and wait for it. Raises TTMatrixError where it cannot be started."""
    run_in_terminal(argv, cwd=cwd)
