# SPDX-License-Identifier: Apache-2.0
"""Put an edit of loader code into the work tree, and take it back byte for byte."""

from dataclasses import dataclass
from pathlib import Path

from core.triage.loader_code.edit import Edit


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the models tree that carries an uncommitted edit of ours."""

    path: Path
    kept: Path
    """Its bytes as they were before."""
    edit: Edit


def put(path: Path, edit: Edit, directory: Path) -> EditedFile:
    """Write `edit` to `path`, its original bytes having been kept below `directory` first. Nothing is committed.

    Doing it again is the same as doing it once. Raises TTMatrixError where the file is not what the edit was made
    for.
    """
    raise NotImplementedError


def take_back(edited: EditedFile) -> None:
    """Restore the bytes of before; done already is fine.

    Raises TTMatrixError where somebody has changed the file since: then it stays.
    """
    raise NotImplementedError


def edited_files(directory: Path) -> tuple[EditedFile, ...]:
    """The edits kept below `directory`, oldest first."""
    raise NotImplementedError
