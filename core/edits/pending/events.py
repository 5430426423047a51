# SPDX-License-Identifier: Apache-2.0
"""The events of the pending changes of a checkout, as values: the journal holds these and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.edits.apply import Key
from core.edits.facts import Cited
from core.edits.operations import Operation
from core.edits.pending.change import Change, UndoStep


@dataclass(frozen=True, slots=True)
class Stepped:
    """A person proposed, decided or changed something."""

    step: UndoStep


@dataclass(frozen=True, slots=True)
class Undone:
    """The last step was taken back."""


@dataclass(frozen=True, slots=True)
class Redone:
    """The step that was undone last was taken again."""


class FileWrite(NamedTuple):
    """One file of a write, with the digests of its text before and after."""

    file: str
    """Path relative to the test_config directory."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class WriteBegan:
    """A write begins to replace files one by one. Without a `WriteDone` or `WriteAbandoned` it was interrupted."""

    files: tuple[FileWrite, ...]
    ids: tuple[int, ...] = ()
    """The changes that are written; none for operations that came from a file."""


@dataclass(frozen=True, slots=True)
class WriteAbandoned:
    """A write has ended without success, and its changes stay pending."""


@dataclass(frozen=True, slots=True)
class WriteDone:
    """Changes are written: they are no longer pending, and undo offers their inverse."""

    ids: tuple[int, ...]
    files: tuple[str, ...]
    ops: tuple[Operation, ...] = ()
    """Other operations that were written and are no longer pending, each with its file."""
    evidence: Mapping[str, tuple[Cited, ...]] = field(default_factory=dict)
    """What justifies `ops`, by id."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """The causes of `ops`, by id."""


@dataclass(frozen=True, slots=True)
class FilesCommitted:
    """Files that were written are in a commit."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rebased:
    """The files have changed: entries were renamed, and changes that are done already are dropped."""

    gone: tuple[Key, ...] = ()
    come: Mapping[Key, str] | None = None
    """Digests of entries that are new or changed, so that later renames can be recognised."""
    renamed: tuple[tuple[Key, Key], ...] = ()
    dropped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """Tests of the matrix were marked and unmarked."""

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reminded:
    """Entries are to be as before once an issue is closed; or nobody needs to be reminded any more."""

    added: tuple[Change, ...] = ()
    """What is written, with the issue in `restore`: the way back is noted."""
    noted: tuple[Change, ...] = ()
    """Ways back."""
    removed: tuple[str, ...] = ()
    """Issues."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Ids below this one belong to changes that are no longer in the journal."""

    next_id: int


JournalEvent = (
    Stepped
    | Undone
    | Redone
    | WriteBegan
    | WriteAbandoned
    | WriteDone
    | FilesCommitted
    | Rebased
    | Marked
    | Reminded
    | Numbered
)
