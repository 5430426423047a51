# SPDX-License-Identifier: Apache-2.0
"""Update all pending changes after others have changed the files."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from core.domain.ids import TestId
from core.edits.apply import Key, Present
from core.edits.pending.change import Pending, Put
from core.edits.pending.conflict import is_done
from core.edits.pending.events import Rebased
from core.edits.pending.state import PendingState, apply

_CLOSE = 0.6
"""Smallest part of a name that two ids must share."""


def renames(gone: Mapping[Key, str], come: Mapping[Key, str]) -> dict[Key, Key]:
    """Pairs of a removed entry and the one it became; both mappings give the digest of the fields.

    The same id in another file is the same entry, whatever its fields. Any other pair needs equal fields and similar
    names, and each must be the nearest of the other. If a third entry is as near to one of them, the case is ambiguous
    and neither is paired.
    """
    moved = _moved(gone, come)
    taken = set(moved.values())
    olds = _groups({key: digest for key, digest in gone.items() if key not in moved})
    news = _groups({key: digest for key, digest in come.items() if key not in taken})
    return moved | {old: new for group, keys in olds.items() for old, new in _pairs(keys, news.get(group, []))}


def _moved(gone: Collection[Key], come: Collection[Key]) -> dict[Key, Key]:
    places: dict[str, list[Key]] = defaultdict(list)
    for key in come:
        places[key[1]].append(key)
    sources = Counter(key[1] for key in gone)
    return {key: places[key[1]][0] for key in gone if len(places[key[1]]) == 1 == sources[key[1]]}


def _groups(digests: Mapping[Key, str]) -> Mapping[object, list[Key]]:
    """Group entries that may be renamed to each other: another mode, phase or parallelism is another test."""
    found: dict[object, list[Key]] = defaultdict(list)
    for key, digest in digests.items():
        id = _parsed(key[1])
        found[(digest, (id.mode, id.parallelism, id.llm.phase if id.llm else "") if id else None)].append(key)
    return found


def _pairs(olds: Sequence[Key], news: Sequence[Key]) -> Iterator[tuple[Key, Key]]:
    forth = {old: _nearest(old, news) for old in olds}
    back = {new: _nearest(new, olds) for new in news}
    mutual = {(old, new) for old, new in forth.items() if new is not None and back[new] == old}
    claimed_old = _claimed_otherwise(back.items(), {(new, old) for old, new in mutual})
    claimed_new = _claimed_otherwise(forth.items(), mutual)
    for old, new in mutual:
        if old not in claimed_old and new not in claimed_new:
            yield old, new


def _claimed_otherwise(nearest: Iterable[tuple[Key, Key | None]], mutual: Collection[tuple[Key, Key]]) -> set[Key]:
    """The entries that are the nearest of an entry with which they are not paired."""
    return {other for one, other in nearest if other is not None and (one, other) not in mutual}


def _nearest(key: Key, others: Sequence[Key]) -> Key | None:
    """The entry nearest to `key`; None if none is close, or two are equally close."""
    best, closest = _CLOSE, list[Key]()
    for other in others:
        found = _closeness(key, other)
        if found > best:
            best, closest = found, []
        if found == best:
            closest.append(other)
    return closest[0] if len(closest) == 1 else None


def _closeness(one: Key, other: Key) -> float:
    """The similarity of two keys, from 0 to 1."""
    left, right = _parsed(one[1]), _parsed(other[1])
    if left is None or right is None:
        return _likeness(one[1], other[1])
    shape = 0.0 if (left.llm, left.full) == (right.llm, right.full) else 0.05
    return _likeness(_name(left), _name(right)) - shape


@lru_cache(1 << 14)
def _parsed(id: str) -> TestId | None:
    return TestId.parse(id)


def _name(id: TestId) -> str:
    return f"{id.directory}-{id.variant or ''}"


def _likeness(one: str, other: str) -> float:
    """The share of the longer text that the common beginning and end make up."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    return (start + end) / max(len(one), len(other), 1)


def _shared(one: str, other: str) -> int:
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def rebase(state: PendingState, present: Present) -> Rebased | None:
    """The effect of the present files on the pending changes; None: the files have not changed since the last look.

    Entries that were renamed or moved are followed, also in undone steps; changes that are done already are dropped.
    Conflicts stay, for a person to decide. Files that are being written, which takes as long as the hooks of a commit
    do, are looked at afterwards: our own write is nobody else's change.
    """
    if state.writing is not None:
        present = present.without_files([one.file for one in state.writing.files])
    gone, come = _differences(state.seen, present)
    if not gone and not come:
        return None
    fresh = {key: digest for key, digest in come.items() if key not in state.seen}
    found = renames({key: state.seen[key] for key in gone}, fresh) if gone and fresh else {}
    wanted = _keys(state.pending) if found else set()
    event = Rebased(gone, come, tuple((old, new) for old, new in found.items() if old in wanted))
    changes = apply(state, event).pending.changes
    return replace(event, dropped=tuple(change.id for change in changes if is_done(change, present)))


def _differences(seen: Mapping[Key, str], present: Present) -> tuple[tuple[Key, ...], dict[Key, str]]:
    """The entries that are gone since the last look, and those that are new or changed."""
    now = {(file, id): digest for file, entries in present.digests.items() for id, digest in entries.items()}
    gone = tuple(key for key in seen if key not in now and key[0] not in present.broken)
    return gone, {key: digest for key, digest in now.items() if seen.get(key) != digest}


def _keys(pending: Pending) -> set[Key]:
    """Every entry that a change found, pending or undone."""
    steps = (*pending.past, *pending.future)
    sides = (
        side for step in steps for edit in step.edits if isinstance(edit, Put) for side in (edit.before, edit.after)
    )
    changes = (change for change in (*pending.changes, *sides) if change)
    return {base.key for change in changes for base in change.bases if base.fields is not None}


def files_about(pending: Pending) -> frozenset[str]:
    """Every file of a change, pending or undone."""
    return frozenset(file for file, _ in _keys(pending))
