# SPDX-License-Identifier: Apache-2.0
"""The loader edits in the work tree of a checkout that are in no commit, and how to revert them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.files import read_text
from core.workflows.driver import workflow_lock
from core.workflows.loader_code.edits import EditedFile, committed_content, edited_files, take_back
from core.workflows.session import edits_directory


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


def _shown(path: Path, checkout: Path) -> str:
    return path.relative_to(checkout).as_posix() if path.is_relative_to(checkout) else str(path)


def _stands(edited: EditedFile) -> bool:
    if not edited.path.is_file():
        return False
    text = read_text(edited.path)
    return text != edited.edit.before and text.encode("utf-8") != committed_content(edited.path)
