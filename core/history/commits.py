# SPDX-License-Identifier: Apache-2.0
"""Which entries each commit changed, read from git objects; commits that were read earlier are not read again."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePosixPath

from core.base.errors import TTMatrixError
from core.base.files import bytes_if_any
from core.history.diff import NO_FILE, Difference, EntryReader, EntryTexts, cut
from core.history.pairing import EntryEdit, Location, Placed, paired
from core.sources import Checkout, Commit, Edge, FileChange, Git, Schema

_EDGES_AT_ONCE = 64

Blobs = Callable[[Iterable[str]], Iterator[tuple[str, bytes | None]]]
"""Gives the content of blobs by id; None: the blob is missing."""


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
    """For each unreadable blob, the blob that was there before; None: no file."""
    skipped: list[Skipped] = field(default_factory=list)
    _entries: EntryReader = field(default_factory=EntryReader)

    def read(self, changes: Mapping[Edge, tuple[FileChange, ...]]) -> Iterator[tuple[Edge, tuple[EntryEdit, ...]]]:
        """The entries that differ across each edge. Edges come parents first."""
        remaining = iter(changes.items())
        # A few at a time, because the texts of a long history together are large.
        while some := list(islice(remaining, _EDGES_AT_ONCE)):
            texts = self._texts(file for _, files in some for file in files)
            for edge, files in some:
                yield edge, tuple(self._edits(edge.commit, files, texts))

    def _texts(self, changes: Iterable[FileChange]) -> dict[str | None, EntryTexts | str]:
        """The texts of all blobs that `changes` need, or why a blob cannot be read."""
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


def entry_edits(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[EntryEdit, ...]:
    """What happened to each entry between two states of the files, given as texts by file name; renames are paired."""
    sides = {
        f"{side} {name}": text for side, texts in (("old", before), ("new", after)) for name, text in texts.items()
    }
    changes = tuple(
        FileChange(name, f"old {name}" if name in before else None, f"new {name}" if name in after else None)
        for name in sorted({**before, **after})
        if before.get(name) != after.get(name)
    )
    reader = ChangeReader(lambda ids: ((id, sides[id].encode()) for id in ids))
    return next((edits for _, edits in reader.read({Edge("", ""): changes})), ())


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


_FILES = "test_config_*.yaml"
_PLACEHOLDERS = Schema().placeholders_filename
_UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class EntryHistory:
    """The history of all entries up to one commit. Files are named relative to the test_config directory."""

    head: str
    shallow: bool
    """Whether the clone lacks the older part."""
    commits: tuple[Commit, ...]
    """Children before their parents."""
    edits: Mapping[Edge, tuple[EntryEdit, ...]]
    """How each commit differs from each of its parents."""
    files: Mapping[str, str]
    """Blob ids of the files as of `head`."""
    skipped: tuple[Skipped, ...] = ()
    stand_ins: Mapping[str, str | None] = field(default_factory=dict)
    """For each unreadable blob, the blob that was there before; None: no file."""


def read_entry_history(checkout: Checkout, known: EntryHistory | None = None, git: Git | None = None) -> EntryHistory:
    """The history up to the commit that is checked out. Nothing in `known` is read again.

    Expectations in Python files, the form before 2025-10-20, are skipped. Raises TTMatrixError if there is no git, no
    repository or no commit.
    """
    git = git or Git(checkout.root)
    directory = checkout.relative(checkout.test_config)
    head = git.head()
    if known is not None and (known.head, known.shallow) == head:
        return known
    commits = git.commits(head.commit, directory)
    edges = [Edge(commit.id, parent) for commit in commits for parent in commit.parents or ("",)]
    old = known.edits if known else {}
    changed = git.changes([edge for edge in reversed(edges) if edge not in old], directory)
    reader = ChangeReader(git.blobs, dict(known.stand_ins) if known else {}, list(known.skipped) if known else [])
    found = {**old, **dict(reader.read({edge: _files(changes, directory) for edge, changes in changed.items()}))}
    present = {commit.id for commit in commits}
    created = (FileChange(path, None, blob) for path, blob in git.files(head.commit, directory).items())
    return EntryHistory(
        *head,
        commits,
        {edge: found[edge] for edge in edges},
        {file.path: file.after for file in _files(created, directory) if file.after},
        tuple(one for one in reader.skipped if one.commit in present),
        reader.stand_ins,
    )


def read_uncommitted(
    checkout: Checkout, history: EntryHistory, git: Git | None = None
) -> tuple[tuple[EntryEdit, ...], tuple[Skipped, ...]]:
    """How the entries on disk differ from those of the last commit, and the files for which that is unknown."""
    on_disk = dict(_on_disk(checkout))
    contents = {blob: data for blob, data in on_disk.values()}
    changes = tuple(
        FileChange(file, before, after)
        for file in sorted({*history.files, *on_disk})
        if (before := history.files.get(file)) != (after := on_disk.get(file, (None, None))[0])
    )

    def blobs(ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        wanted = set(ids)
        yield from ((id, contents[id]) for id in wanted & contents.keys())
        yield from (git or Git(checkout.root)).blobs(wanted - contents.keys())

    reader = ChangeReader(blobs, dict(history.stand_ins))
    found = dict(reader.read({Edge("", history.head): changes}))
    return found[Edge("", history.head)], tuple(reader.skipped)


def read_unseen(
    checkout: Checkout, history: EntryHistory, files: Iterable[str], git: Git | None = None
) -> tuple[EntryEdit, ...]:
    """The entries that `files` have in the last commit, as if each had just been added: on disk they cannot be read."""
    blobs = {file: history.files[file] for file in files if file in history.files}
    added = tuple(FileChange(file, None, history.stand_ins.get(blob, blob)) for file, blob in blobs.items())
    reader = ChangeReader((git or Git(checkout.root)).blobs)
    return next((edits for _, edits in reader.read({Edge("", ""): added})), ())


def _files(changes: Iterable[FileChange], directory: str) -> tuple[FileChange, ...]:
    """The changes of expectation files, named relative to the directory."""
    return tuple(
        FileChange(path.removeprefix(f"{directory}/"), before, after)
        for path, before, after in changes
        if _holds_entries(path)
    )


def _holds_entries(path: str) -> bool:
    name = PurePosixPath(path).name
    return fnmatchcase(name, _FILES) and name != _PLACEHOLDERS


def _on_disk(checkout: Checkout) -> Iterator[tuple[str, tuple[str, bytes | None]]]:
    """The expectation files on disk, each with its content and the id that git gives it; None: unreadable."""
    for path in checkout.test_config.rglob(_FILES):
        if _holds_entries(path.name):
            data = bytes_if_any(path)
            yield path.relative_to(checkout.test_config).as_posix(), (_blob_id(data), data)


def _blob_id(data: bytes | None) -> str:
    """The object id. For files that git filters, git would compute another one; they are then compared needlessly."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() if data is not None else _UNREADABLE
