# SPDX-License-Identifier: Apache-2.0
"""Follow every entry back through the commits that changed, renamed or moved it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.history.commits import EntryHistory
from core.history.pairing import EntryEdit, Location
from core.sources import Commit, Edge


class Step(NamedTuple):
    """One commit and its change to one entry."""

    commit: Commit | None
    """None: not committed yet."""
    edit: EntryEdit


@dataclass(frozen=True, slots=True)
class Timeline:
    """The life of one entry."""

    location: Location | None
    """Where it is on disk; None: it is removed."""
    steps: tuple[Step, ...]
    """Newest first. The last step added the entry, or is where the clone's history begins."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id it ever had, newest first."""
        places = [self.location, *(place for step in self.steps for place in (step.edit.after, step.edit.before))]
        return tuple(dict.fromkeys(place.id for place in places if place is not None))


_Tracks = dict[Location, set[int]]
"""The numbers of the entries that were at each location; two branches can lead to the same one."""


def timelines(
    history: EntryHistory, uncommitted: Sequence[EntryEdit], present: Iterable[Location]
) -> tuple[Timeline, ...]:
    """The timelines of the entries at `present`, the locations on disk, and of all removed entries.

    At a merge, the parent is followed whose entry is the same; the merge itself is a step only if the entry has
    something in it that it has in no parent.
    """
    walk = _Walk([*present])
    tip = history.commits[0].id if history.commits else ""
    walk.cross(None, [(tip, uncommitted)])
    for commit in history.commits:
        walk.cross(commit, [(parent, history.edits[Edge(commit.id, parent)]) for parent in commit.parents or ("",)])
    return tuple(Timeline(place, tuple(steps)) for place, steps in zip(walk.places, walk.steps, strict=True))


class _Walk:
    """Follows all entries at once, from children to parents."""

    def __init__(self, present: list[Location]) -> None:
        self.places: list[Location | None] = [*present]
        self.steps: list[list[Step]] = [[] for _ in present]
        self._at: defaultdict[str, _Tracks] = defaultdict(dict)
        self._on_disk: _Tracks = {place: {number} for number, place in enumerate(present)}

    def cross(self, commit: Commit | None, parents: Sequence[tuple[str, Sequence[EntryEdit]]]) -> None:
        """Move the entries from a commit, or from disk (None), to its parents."""
        tracks = self._at.pop(commit.id, {}) if commit else self._on_disk
        changed = [{edit.after: edit for edit in edits if edit.after} for _, edits in parents]
        onward: list[_Tracks] = [{} for _ in parents]
        for place in changed[0].keys() & tracks.keys():
            numbers = tracks.pop(place)
            same = next((nth for nth, edits in enumerate(changed) if place not in edits), None)
            if same is not None:
                onward[same][place] = numbers
            else:
                self._step(commit, [edits[place] for edits in changed], numbers, onward)
        for gone in _gone([edits for _, edits in parents]):
            self.places.append(None)
            self.steps.append([])
            self._step(commit, [gone], {len(self.steps) - 1}, onward)
        onward[0] = _join(onward[0], tracks)
        for (parent, _), found in zip(parents, onward, strict=True):
            self._at[parent] = _join(found, self._at[parent])

    def _step(
        self, commit: Commit | None, edits: Sequence[EntryEdit], numbers: set[int], onward: list[_Tracks]
    ) -> None:
        if len(edits) == 1 or _is_new(edits):
            step = Step(commit, next((edit for edit in edits if edit.before), edits[0]))
            for number in numbers:
                self.steps[number].append(step)
        for edit, tracks in zip(edits, onward, strict=False):
            if edit.before is not None:
                tracks.setdefault(edit.before, set()).update(numbers)


def _gone(parents: Sequence[Sequence[EntryEdit]]) -> Iterator[EntryEdit]:
    """The entries that every parent has and the commit has not."""
    gone = [{edit.before: edit for edit in edits if edit.after is None} for edits in parents]
    yield from (edit for place, edit in gone[0].items() if all(place in others for others in gone[1:]))


def _join(tracks: _Tracks, more: _Tracks) -> _Tracks:
    """Merge the smaller mapping into the larger one, which is changed and returned."""
    if len(more) > len(tracks):
        tracks, more = more, tracks
    for place, numbers in more.items():
        tracks.setdefault(place, set()).update(numbers)
    return tracks


def _is_new(edits: Sequence[EntryEdit]) -> bool:
    """Whether a merged entry has a place or a value that no parent has, or lacks one that all parents have."""
    new = edits[0].new or {}
    olds = [edit.old or {} for edit in edits]
    said = all(any(name in old and old[name] == value for old in olds) for name, value in new.items())
    unsaid = all(name in new or not all(name in old for old in olds) for old in olds for name in old)
    return not (said and unsaid and any(edit.before == edit.after for edit in edits))
