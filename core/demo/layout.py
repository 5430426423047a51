# SPDX-License-Identifier: Apache-2.0
"""Lay out the sample checkout as a git repository, identical to the last bit on every machine."""

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from datetime import UTC, date, datetime, time
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.base.umask import for_others
from core.demo.history import COMMITS
from core.demo.replay import ReplayedCommit, states
from core.demo.template import sample_files

BRANCH = "main"

_AUTHOR = "ttmatrix sample <sample@ttmatrix.invalid>"
_TIME_OF_DAY = time(9, tzinfo=UTC)


def fast_import_stream(history: Iterable[tuple[ReplayedCommit, Mapping[str, str]]]) -> str:
    """One commit on `BRANCH` for each pair of a commit and the files after it, oldest first.

    A file that is the same as before is left out. Files are never deleted: every path stays once it is there.
    """
    parts: list[str] = []
    known: dict[str, str] = {}
    for commit, files in history:
        parts.append(_header(commit))
        parts += [_file(path, text) for path, text in files.items() if known.get(path) != text]
        known |= files
    return "".join((*parts, "done\n"))


def _header(commit: ReplayedCommit) -> str:
    when = int(datetime.combine(date.fromisoformat(commit.date), _TIME_OF_DAY).timestamp())
    who = f"{_AUTHOR} {when} +0000"
    return f"commit refs/heads/{BRANCH}\nauthor {who}\ncommitter {who}\n{_data(commit.message + chr(10))}"


def _file(path: str, text: str) -> str:
    return f"M 100644 inline {path}\n{_data(text)}"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


_NOTHING = os.devnull

_OPTIONS = {
    "core.attributesFile": _NOTHING,
    "core.autocrlf": "false",
    "core.excludesFile": _NOTHING,
    "core.hooksPath": _NOTHING,
    "init.defaultBranch": BRANCH,
}
"""Options that override the user's configuration, for the git commands of the layout only."""


def lay_out(target: Path, runner: CommandRunner = run_command) -> None:
    """Make `target`, which is absent or an empty directory, the sample checkout with its history.

    The models are a plain directory, not a submodule: a submodule would need a second repository to come from.
    git still works below it, since that directory belongs to the work tree of the checkout.
    Raises TTMatrixError if `target` is in use or a git command fails; then `target` is as it was before.
    """
    target = target.expanduser().absolute()
    _refuse_unless_free(target)
    _require_git(target, runner)
    files = sample_files()
    stream = fast_import_stream(zip(COMMITS, states(files, COMMITS), strict=True))
    with ExitStack() as undo:
        undo.callback(_remove if not target.exists() else _clear, target)
        _make(target)
        _git(target, runner, "init", "--quiet", "--template=")
        _git(target, runner, "fast-import", "--quiet", "--done", stdin=stream)
        _git(target, runner, "checkout", "--quiet", "--force", BRANCH)
        undo.pop_all()


def _refuse_unless_free(target: Path) -> None:
    hint = "Name a directory that does not exist yet or is empty."
    if target.is_dir():
        try:
            used = any(target.iterdir())
        except OSError as error:
            raise TTMatrixError(f"Cannot read {target}", error.strerror or str(error), hint) from error
        if used:
            raise TTMatrixError(f"{target} is not empty", "The sample checkout overwrites nothing.", hint)
    elif target.exists() or target.is_symlink():
        raise TTMatrixError(f"{target} is not a directory", "The sample checkout overwrites nothing.", hint)


def _require_git(target: Path, runner: CommandRunner) -> None:
    somewhere = next(parent for parent in (target, *target.parents) if parent.is_dir())
    try:
        runner(["git", "--version"], cwd=somewhere)
    except TTMatrixError as error:
        raise TTMatrixError(
            f"Cannot lay out the sample checkout in {target}", str(error), "Install git and try again."
        ) from error


def _make(target: Path) -> None:
    try:
        with for_others():
            target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TTMatrixError(f"Cannot make {target}", error.strerror or str(error)) from error


def _git(target: Path, runner: CommandRunner, *arguments: str, stdin: str = "") -> None:
    options = [word for name, value in _OPTIONS.items() for word in ("-c", f"{name}={value}")]
    done = runner(["git", *options, *arguments], cwd=target, env=_environment(target), stdin=stdin)
    if done.returncode != 0:
        raise TTMatrixError(
            f"Cannot lay out the sample checkout in {target}",
            f"git {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}",
            f"{target} is as it was before.",
        )


def _environment(target: Path) -> dict[str, str]:
    """No configuration except ours, and only this repository, whatever a calling git has set for its own."""
    git_dir = target / ".git"
    return {
        "GIT_CONFIG_GLOBAL": _NOTHING,
        "GIT_CONFIG_SYSTEM": _NOTHING,
        "GIT_CONFIG_COUNT": "0",
        "GIT_DEFAULT_HASH": "sha1",
        "GIT_DIR": str(git_dir),
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
        "GIT_WORK_TREE": str(target),
    }


def _remove(target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)


def _clear(target: Path) -> None:
    for path in target.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
