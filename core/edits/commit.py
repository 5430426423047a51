# SPDX-License-Identifier: Apache-2.0
"""Commit exactly the files that were edited; what else is staged stays staged and out of the commit."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import TTMatrixError, UsageError
from core.proc import CommandRunner, run_command

# Nobody sits at git's own prompts: a question would hang.
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}


def commit(root: Path, paths: Sequence[Path], message: str, runner: CommandRunner = run_command) -> str:
    """Commit the present content of `paths`, all in the work tree at `root`, and return the new commit's hash.

    Nothing is ever pushed. Raises UsageError for an empty message or a path that is no file of the work tree, and
    TTMatrixError with git's own words where git refuses (a hook, no identity, nothing to commit, a merge).
    """
    if not message.strip():
        raise UsageError("A commit needs a message", hint="Say what the change does in one line.")
    names = [_relative(root, path) for path in paths]
    if not names:
        raise UsageError("There is nothing to commit", "No file was named.")
    argv = ["git", "commit", "--quiet", "--only", "--cleanup=whitespace", "--file=-", "--"]
    _git(runner, root, [*argv, *(f":(literal){name}" for name in names)], message)
    return _git(runner, root, ["git", "rev-parse", "--verify", "HEAD"]).strip()


def _relative(root: Path, path: Path) -> str:
    try:
        name = (root / path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError as error:
        raise UsageError(f"{path} is outside the work tree {root}") from error
    if not (root / path).is_file():
        # A directory would commit everything below it.
        raise UsageError(f"{path} is not a file")
    return name


def _git(runner: CommandRunner, root: Path, argv: Sequence[str], stdin: str = "") -> str:
    done = runner(argv, cwd=root, env=_ENVIRONMENT, stdin=stdin)
    if done.returncode != 0:
        words = "\n".join(text for text in (done.stderr.strip(), done.stdout.strip()) if text)
        raise TTMatrixError(
            f"git {argv[1]} failed",
            words or f"It ended with exit status {done.returncode} and said nothing.",
            "The files keep their new content; commit them once git agrees.",
        )
    return done.stdout
