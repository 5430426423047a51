# SPDX-License-Identifier: Apache-2.0
"""From files that commits changed to the entries that differ; a state that cannot be read is passed over."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from core.errors import TTMatrixError
from core.sources.entry_edits import EntryEdit, Location, Placed, paired
from core.sources.entry_texts import NO_FILE, Difference, EntryReader, EntryTexts, cut
from core.sources.git import Edge, FileChange

_EDGES_AT_ONCE = 64

Blobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes | None]]]
"""Gives the content of blobs by id; None: there is none to be had."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A state of a file that cannot be read; history goes on as if the commit had not touched the file."""

    commit: str
    """Empty: not committed."""
    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChangeReader:
    """Reads the entries of changed files."""

    blobs: Blobs
    stand_ins: dict[str, str | None] = field(default_factory=dict)
    """For each blob that cannot be read, the one that stood there before; None: no file."""
    skipped: list[Skipped] = field(default_factory=list)
    _entries: EntryReader = field(default_factory=EntryReader)

    def read(self, changes: Mapping[Edge, tuple[FileChange, ...]]) -> Iterator[tuple[Edge, tuple[EntryEdit, ...]]]:
        """The entries that differ over each edge. Edges come parents first."""
        remaining = iter(changes.items())
        # A few at a time: all texts of a long history together are large.
        while some := list(islice(remaining, _EDGES_AT_ONCE)):
            texts = self._texts(file for _, files in some for file in files)
            for edge, files in some:
                yield edge, tuple(self._edits(edge.commit, files, texts))

    def _texts(self, changes: Iterable[FileChange]) -> dict[str | None, EntryTexts | str]:
        """What stands in all blobs that `changes` need; why not, where one cannot be read."""
        ids = {id for change in changes for id in (change.before, self._readable(change.before), change.after) if id}
        return {None: NO_FILE, **{id: _text(data) for id, data in self.blobs(ids)}}

    def _edits(
        self, commit: str, changes: Iterable[FileChange], texts: Mapping[str | None, EntryTexts | str]
    ) -> Iterator[EntryEdit]:
        removed: list[Placed] = []
        added: list[Placed] = []
        for change in changes:
            for one in self._differences(commit, change, texts):
                location = Location(change.path, one.id)
                if one.old is not None and one.new is not None:
                    yield EntryEdit(location, one.old, location, one.new)
                elif one.old is not None:
                    removed.append(Placed(location, one.old, one.follows))
                elif one.new is not None:
                    added.append(Placed(location, one.new, one.follows))
        yield from paired(removed, added)

    def _differences(
        self, commit: str, change: FileChange, texts: Mapping[str | None, EntryTexts | str]
    ) -> Sequence[Difference]:
        before, after = texts[self._readable(change.before)], texts[change.after]
        try:
            return self._entries.differences(_readable(before), _readable(after))
        except TTMatrixError as error:
            self.skipped.append(Skipped(commit, change.path, ", ".join(filter(None, (error.title, error.detail)))))
            if change.after is not None:
                self.stand_ins[change.after] = self._readable(change.before)
            return ()

    def _readable(self, blob: str | None) -> str | None:
        return self.stand_ins.get(blob, blob) if blob else None


def _text(data: bytes | None) -> EntryTexts | str:
    if data is None:
        return "Cannot be read, or is not in this clone"
    try:
        return cut(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8"


def _readable(text: EntryTexts | str) -> EntryTexts:
    if isinstance(text, str):
        raise TTMatrixError(text)
    return text
