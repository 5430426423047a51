# SPDX-License-Identifier: Apache-2.0
"""Which entries each commit changed, read from git objects; what an earlier reading gave is not read again."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from core.sources.checkout import Checkout
from core.sources.entry_changes import ChangeReader, Skipped
from core.sources.entry_edits import EntryEdit
from core.sources.git import Commit, Edge, FileChange, Git
from core.sources.schema import Schema

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
    """What each commit did against each of its parents."""
    files: Mapping[str, str]
    """Blobs of the files as of `head`."""
    skipped: tuple[Skipped, ...] = ()
    stand_ins: Mapping[str, str | None] = field(default_factory=dict)
    """For each blob that cannot be read, the one that stood there before; None: no file."""


def read_entry_history(checkout: Checkout, known: EntryHistory | None = None, git: Git | None = None) -> EntryHistory:
    """The history up to the commit that is checked out. Of what is in `known`, nothing is read again.

    Expectations in Python files, which is what they were before 2025-10-20, are passed over. Raises TTMatrixError
    where there is no git, no repository or no commit.
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
    """How the entries on disk differ from those of the last commit, and the files of which that cannot be told."""
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
    """The expectation files on disk, each with the id git gives its content, and the content; None: unreadable."""
    for path in checkout.test_config.rglob(_FILES):
        if _holds_entries(path.name):
            data = _bytes(path)
            yield path.relative_to(checkout.test_config).as_posix(), (_blob_id(data), data)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _blob_id(data: bytes | None) -> str:
    """The object id; where git would compute another, as it does for filtered files, files are compared needlessly."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() if data is not None else _UNREADABLE
