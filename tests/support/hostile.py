# SPDX-License-Identifier: Apache-2.0
"""A checkout with its own programs wherever git or Python might start one; each leaves a mark."""

import os
import subprocess
from pathlib import Path

_SETTINGS = {
    "core.fsmonitor": "fsmonitor",
    "core.sshCommand": "ssh",
    "core.pager": "pager",
    "diff.external": "extdiff",
    "diff.evil.command": "extdiff",
    "diff.evil.textconv": "textconv",
    "filter.evil.clean": "filter",
    "filter.evil.process": "process",
    "gpg.program": "gpg",
}
_PLAIN = {"core.hooksPath": ".git/evil-hooks", "filter.evil.required": "true", "log.showSignature": "true"}
_HOOKS = ("post-index-change", "pre-commit", "reference-transaction")


def make_hostile(root: Path, marks: Path) -> None:
    """Make everything that the repository at `root` can configure leave a file in `marks`, and touch each of its files.

    A submodule is a repository of its own: call this for it separately.
    """
    git_directory = root / _git(root, "rev-parse", "--git-dir").strip()
    marks.mkdir(exist_ok=True)
    for key, name in _SETTINGS.items():
        _git(root, "config", key, str(_program(git_directory / f"evil-{name}", marks / name)))
    hooks = git_directory / "evil-hooks"
    hooks.mkdir()
    for name in _HOOKS:
        _program(hooks / name, marks / "hook")
    for key, value in _PLAIN.items():
        _git(root, "config", key, value)
    (git_directory / "info").mkdir(exist_ok=True)
    (git_directory / "info" / "attributes").write_text("* filter=evil diff=evil\n")
    # git must read files whose times it has not recorded.
    for path in _git(root, "-c", "core.fsmonitor=", "ls-files", "-z").split("\0"):
        if path and (root / path).is_file():
            os.utime(root / path, (1e9, 1e9))


def make_hostile_to_python(root: Path, marks: Path) -> Path:
    """Give a checkout a `json.py`, a `sitecustomize.py` and an interpreter that leave marks; returns the interpreter."""
    marks.mkdir(exist_ok=True)
    for name in ("json", "sitecustomize"):
        (root / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'a').close()\n")
    (root / "venv" / "bin").mkdir(parents=True)
    return _program(root / "venv" / "bin" / "python", marks / "python")


def marks_in(marks: Path) -> list[str]:
    """The names of the programs that were started."""
    return sorted(path.name for path in marks.iterdir())


def _program(path: Path, mark: Path) -> Path:
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    path.chmod(0o755)
    return path


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout
