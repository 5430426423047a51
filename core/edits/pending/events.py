# SPDX-License-Identifier: Apache-2.0
"""What happens to the pending changes of a checkout, as values: the journal holds these and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.edits.apply import Key
from core.edits.operations import Operation
from core.edits.pending.change import UndoStep


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
    """Files are about to be replaced, one after the other. Without a `WriteDone` or `WriteAbandoned` it was cut off."""

    files: tuple[FileWrite, ...]
    ids: tuple[int, ...] = ()
    """The changes that are written; none for operations that came from a file."""


@dataclass(frozen=True, slots=True)
class WriteAbandoned:
    """The write that began is over, and the changes stay pending."""


@dataclass(frozen=True, slots=True)
class WriteDone:
    """Changes are in the files: they leave, and undo offers their inverse."""

    ids: tuple[int, ...]
    files: tuple[str, ...]
    ops: tuple[Operation, ...] = ()
    """What else was written that is no longer pending, each with its file."""
    evidence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What justifies `ops`, by id."""


@dataclass(frozen=True, slots=True)
class FilesCommitted:
    """Files that were written are in a commit."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rebased:
    """The files say something else by now: entries were renamed, and changes that are done already are dropped."""

    gone: tuple[Key, ...] = ()
    come: Mapping[Key, str] | None = None
    """Digests of entries that are new or say something else, so that later renames can be recognised."""
    renamed: tuple[tuple[Key, Key], ...] = ()
    dropped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """Tests of the matrix were marked and unmarked."""

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Numbered:
    """Ids below this one belong to changes that are no longer in the journal."""

    next_id: int


JournalEvent = (
    Stepped | Undone | Redone | WriteBegan | WriteAbandoned | WriteDone | FilesCommitted | Rebased | Marked | Numbered
)
