# SPDX-License-Identifier: Apache-2.0
"""One change of one Python file, as data."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import atomic_write, drop_leftovers, plain, read_as, read_bytes, read_text
from core.edits import unified_diff
from core.sources import Git


class EditKind(StrEnum):
    """What the edit does; loaders are changed in no other way."""

    CONSTRUCTOR = "constructor"
    """`dtype=dtype_override` on one tensor constructor."""
    CAST = "cast"
    """One `.to(dtype_override)`, guarded for None."""
    OVERRIDE = "override"
    """A method `unpack_forward_output`, and the import it needs."""
    REGISTER = "register"
    """One added line in the registry of output classes."""
    UNREGISTER = "unregister"
    """One removed line in that registry."""
    DECODER_INPUTS = "decoder-inputs"
    TARGETS = "targets"
    BATCH = "batch"


_THEN = "; then "


@dataclass(frozen=True, slots=True)
class SourceEdit:
    """The text of one file before and after.

    They differ in one statement and the import that it needs, or in several of these, one on top of the other.
    """

    kind: EditKind
    line: int
    """The line of the change in the text after; the first is 1."""
    summary: str
    """One line for people: what is done to what."""
    before: str
    after: str

    def diff(self, path: str) -> str:
        """The diff as `git diff` prints it, for the file at `path`."""
        return unified_diff(path, self.before, self.after)

    def then(self, later: "SourceEdit") -> "SourceEdit":
        """This edit and `later`, which was made on top of it, as one."""
        if later.before != self.after:
            raise ValueError("the second edit was made for another text")
        return replace(later, summary=f"{self.summary}{_THEN}{later.summary}", before=self.before)

    @property
    def last_summary(self) -> str:
        """The summary of the edit on top."""
        return self.summary.rpartition(_THEN)[2]


_RECORD, _BACKUP = ".json", ".before"


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the models tree that contains one of our edits, uncommitted."""

    path: Path
    original: Path
    """Where its original bytes are stored."""
    edit: SourceEdit

    @property
    def is_in_force(self) -> bool:
        """Whether the file reads as the edit left it: false after it was changed, committed or reverted."""
        return self.path.is_file() and read_text(self.path) == self.edit.after

    @property
    def is_committed(self) -> bool:
        """Whether the commit that is checked out has the file as the edit left it."""
        return committed_content(self.path) == self.edit.after.encode("utf-8")

    @property
    def in_place(self) -> bool:
        """Whether the file differs from its original, perhaps with later edits on top."""
        return self.path.is_file() and read_text(self.path) != self.edit.before


@dataclass(frozen=True, slots=True)
class _Record:
    """Stored beside the original content of a file."""

    path: Path
    edit: SourceEdit


def put(path: Path, edit: SourceEdit, directory: Path) -> EditedFile:
    """Write `edit` to `path` after storing the original bytes below `directory`. Nothing is committed.

    Repeating it is safe, wherever an earlier attempt was stopped. A second edit of the same file builds on the first,
    and must be taken back before it. Raises TTMatrixError if the file is not what the edit was made for.
    """
    path = path.resolve()
    known = [one for one in edited_files(directory) if one.path == path and one.edit == edit]
    present = read_text(path)
    if known and present == edit.after:
        return known[-1]
    if present != edit.before:
        raise TTMatrixError(f"{path} has changed since the edit was worked out", hint="Run the triage again.")
    edited = known[-1] if known else _keep(path, edit, directory)
    drop_leftovers(path)
    atomic_write(path, edit.after)
    return edited


def take_back(edited: EditedFile) -> None:
    """Restore the original bytes; does nothing if that was done already, or if the edit was committed.

    Raises TTMatrixError where the file is neither as the edit left it nor as it was before, nor as it was committed:
    then it is not touched.
    """
    committed = committed_content(edited.path)
    if committed == edited.edit.after.encode("utf-8"):
        return
    present = read_text(edited.path)
    known = (edited.edit.after, edited.edit.before)
    if present not in known and present.encode("utf-8") != committed:
        hint = f"Compare it with the original: {edited.original}."
        raise TTMatrixError(f"{edited.path} has changed since it was edited", "It was left as it is.", hint)
    if present == edited.edit.after and edited.original.is_file():
        drop_leftovers(edited.path)
        atomic_write(edited.path, read_bytes(edited.original))
    forget(edited)


def forget(edited: EditedFile) -> None:
    """Make the edit permanent: the stored original is removed."""
    edited.original.with_suffix(_RECORD).unlink(missing_ok=True)
    edited.original.unlink(missing_ok=True)


def committed_content(path: Path) -> bytes | None:
    """The bytes of a file in the commit that is checked out; None: it is in none."""
    try:
        return Git(path.parent).content(path.name)
    except TTMatrixError:
        return None  # Without git there are no commits.


def edited_files(directory: Path) -> tuple[EditedFile, ...]:
    """The edits stored below `directory`, oldest first. Raises TTMatrixError where the record of one cannot be read."""
    return tuple(_read(record) for record in sorted(directory.glob(f"*{_RECORD}")))


def _keep(path: Path, edit: SourceEdit, directory: Path) -> EditedFile:
    """Store the bytes first, then the record that makes them count."""
    directory.mkdir(parents=True, exist_ok=True)
    numbers = [int(one.stem) for one in directory.glob(f"*{_RECORD}") if one.stem.isdecimal()]
    backup = directory / f"{max(numbers, default=0) + 1:06}{_BACKUP}"
    atomic_write(backup, read_bytes(path))
    atomic_write(backup.with_suffix(_RECORD), json.dumps(plain(_Record(path, edit))))
    return EditedFile(path, backup, edit)


def _read(record: Path) -> EditedFile:
    backup = record.with_suffix(_BACKUP)
    found = read_as(record, _Record, f"The old content of the file is in {backup}.")
    return EditedFile(found.path, backup, found.edit)
