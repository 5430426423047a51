# SPDX-License-Identifier: Apache-2.0
"""The history of a checkout's entries: read from git once, cached between starts, followed through renames."""

from dataclasses import dataclass
from functools import cached_property

from core.history.commits import EntryHistory, Skipped, read_entry_history, read_uncommitted, read_unseen
from core.history.pairing import EntryEdit, Location
from core.history.timelines import Timeline, timelines
from core.matrix import Matrix, load, store
from core.matrix.cache import Cache
from core.sources import Commit, Edge


@dataclass(frozen=True)
class History:
    """What happened to the entries of `matrix`, up to what is on disk."""

    matrix: Matrix
    committed: EntryHistory
    uncommitted: tuple[EntryEdit, ...]
    skipped: tuple[Skipped, ...]
    """States of files, committed or not, that cannot be read."""
    unseen: tuple[EntryEdit, ...] = ()
    """The entries of files on disk that cannot be read, as the last commit has them: the matrix lacks them."""

    @cached_property
    def timelines(self) -> tuple[Timeline, ...]:
        """The timelines of every entry on disk, in merge order, then of all removed entries."""
        present = [Location(entry.file, entry.id) for file in self.matrix.files for entry in file.entries]
        present += [edit.after for edit in self.unseen if edit.after is not None]
        return timelines(self.committed, self.uncommitted, dict.fromkeys(present))

    def of(self, id: str) -> tuple[Timeline, ...]:
        """The timelines of the entries that have or had this id; an entry that has it now comes first.

        An entry that was removed and added again has two: removed entries are found by any id of the others.
        """
        lives = [(one, frozenset(one.ids)) for one in self.timelines]
        related = {known for _, ids in lives if id in ids for known in ids}
        found = [one for one, ids in lives if id in ids or (one.location is None and not related.isdisjoint(ids))]
        return tuple(sorted(found, key=lambda one: _rank(one, id)))

    @cached_property
    def counting(self) -> dict[str, Timeline]:
        """The timeline of the entry that counts, by id."""
        by_place = {one.location: one for one in self.timelines if one.location is not None}
        return {id: by_place[Location(entry.file, id)] for id, entry in self.matrix.entries.items()}

    @property
    def begins(self) -> Commit | None:
        """The first commit with expectations in YAML that the clone has."""
        return next((commit for commit in reversed(self.committed.commits) if self._touches_entries(commit)), None)

    def _touches_entries(self, commit: Commit) -> bool:
        return any(self.committed.edits[Edge(commit.id, parent)] for parent in commit.parents or ("",))


def _rank(timeline: Timeline, id: str) -> int:
    return 2 if timeline.location is None else int(timeline.location.id != id)


def read_history(cache: Cache, matrix: Matrix) -> History:
    """The history of the checkout of `matrix`; only commits that are new since the last reading are read.

    Raises TTMatrixError if there is no git, no repository or no commit.
    """
    file = cache.file("history")
    cached = load(file)
    known = cached if isinstance(cached, EntryHistory) else None
    committed = read_entry_history(cache.checkout, known)
    if committed is not known:
        store(file, committed)
    uncommitted, skipped = read_uncommitted(cache.checkout, committed)
    unseen = read_unseen(cache.checkout, committed, (one.file for one in skipped)) if skipped else ()
    return History(matrix, committed, uncommitted, (*skipped, *committed.skipped), unseen)
