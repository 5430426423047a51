# SPDX-License-Identifier: Apache-2.0
"""The loader edits in the work tree of a checkout that are in no commit, and how to revert them."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import UsageError
from core.base.files import atomic_write, read_bytes, read_text
from core.base.processes import run_command
from core.edits import unified_diff
from core.workflows.driver import workflow_lock
from core.workflows.loader_code.edits import EditedFile, committed_content, edited_files, take_back
from core.workflows.session import edits_directory

_PRE_COMMIT, _CONFIGURATION = "pre-commit", ".pre-commit-config.yaml"


@dataclass(frozen=True, slots=True)
class LoaderEdit:
    """A snapshot of an edit made by a workflow."""

    edited: EditedFile
    path: str
    """The file, relative to the checkout; the absolute path if a link leads outside."""
    overtaken: bool
    """Whether the file was changed after the edit, so that the edit cannot be reverted."""

    @property
    def diff(self) -> str:
        return self.edited.edit.diff(self.path)


def uncommitted_edits(sessions: Path, checkout: Path) -> tuple[LoaderEdit, ...]:
    """The edits of workflows in the work tree of `checkout`, newest first: per file only the newest can be reverted.

    `sessions` is the directory of its sessions. An edit is left out if its file has its original text, or that of
    the commit. Raises TTMatrixError where the record of an edit cannot be read.
    """
    newest: dict[Path, EditedFile] = {}
    found = []
    for edited in reversed(edited_files(edits_directory(sessions))):
        last = newest.setdefault(edited.path, edited)
        if _stands(edited):
            found.append(LoaderEdit(edited, _shown(edited.path, checkout.resolve()), not last.is_in_force))
    return tuple(found)


def take_back_edits(sessions: Path, edits: Sequence[LoaderEdit]) -> None:
    """Restore the files of `edits`, the newest first.

    Raises TTMatrixError while a workflow runs, and at the first file that was changed since: it is not touched.
    """
    with workflow_lock(sessions):
        for edit in edits:
            take_back(edit.edited)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the hooks of the submodule say of an edited file, which is left as the edit made it."""

    path: str
    passed: bool
    said: str
    """The output of pre-commit."""
    diff: str
    """What the hooks would change; empty: nothing."""


def check_edits(edits: Sequence[LoaderEdit], models: Path, python: Path) -> list[Checked]:
    """Run pre-commit on each edited file of the submodule at `models`: it sees only what is staged otherwise.

    Raises UsageError if pre-commit is neither beside `python` nor on PATH, or if the submodule has no hooks.
    """
    beside = python.parent / _PRE_COMMIT
    program = str(beside) if beside.is_file() else shutil.which(_PRE_COMMIT)
    if program is None:
        raise UsageError(f"There is no {_PRE_COMMIT}", f"Neither beside {python} nor on PATH.", "source venv/activate")
    if not (models / _CONFIGURATION).is_file():
        raise UsageError(f"{models} has no {_CONFIGURATION}")
    return [_checked(edit, models, program) for edit in edits if edit.edited.path.is_file()]


def _checked(edit: LoaderEdit, models: Path, program: str) -> Checked:
    path = edit.edited.path
    before = read_bytes(path)
    command = [program, "run", "--files", str(path)]
    done = run_command(command, cwd=models)
    text = read_text(path)
    diff = ""
    if read_bytes(path) != before:
        diff = unified_diff(edit.path, before.decode("utf-8", "replace"), text)
        atomic_write(path, before)
    return Checked(edit.path, done.returncode == 0, f"{done.stdout}{done.stderr}", diff)


def _shown(path: Path, checkout: Path) -> str:
    return path.relative_to(checkout).as_posix() if path.is_relative_to(checkout) else str(path)


def _stands(edited: EditedFile) -> bool:
    if not edited.path.is_file():
        return False
    text = read_text(edited.path)
    return text != edited.edit.before and text.encode("utf-8") != committed_content(edited.path)
