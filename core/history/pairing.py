# SPDX-License-Identifier: Apache-2.0
"""What one commit did to entries: removed and added entries are paired if one became the other."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from core.domain.ids import TestId
from core.history.diff import Fields

_WORD = re.compile(r"[a-z]+|[0-9]+")


class Name(NamedTuple):
    """The parts of an id that tell whether another id can name the same test."""

    kind: tuple[str, str, str]
    """Framework, parallelism without its sharding, mode: tests that differ in one of them are never the same."""
    directory: str
    variant: str
    """In lower case."""
    words: tuple[str, ...]
    """Words and numbers of directory and variant, sorted; a variant need not repeat the words of its directory."""
    shape: tuple[str | int | None, ...]
    """Phase, sequence length, batch size, sharding and mesh of an LLM test; None: not part of the id."""

    @property
    def text(self) -> str:
        """Directory and variant, without the framework."""
        return f"{self.directory.rpartition('/')[0]}-{self.variant}"


@lru_cache(maxsize=1 << 12)
def name_of(id: str) -> Name | None:
    """The name in `id`; None if it follows no grammar."""
    parsed = TestId.parse(id)
    if parsed is None:
        return None
    variant = (parsed.variant or "").lower()
    shape: tuple[str | int | None, ...] = (None,) * 5
    if parsed.llm is not None:
        llm = parsed.llm
        sharding = None if llm.seq_len is None else parsed.parallelism
        shape = (llm.phase, llm.seq_len, llm.batch_size, sharding, llm.mesh or None)
    directory = _WORD.findall(parsed.directory.rpartition("/")[0].lower())
    words = [*directory, *(word for word in _WORD.findall(variant) if word.isdigit() or word not in directory)]
    kind = (parsed.framework.value, parsed.parallelism.rpartition("-")[2], parsed.mode)
    return Name(kind, parsed.directory, variant, tuple(sorted(words)), shape)


def shape_differences(one: Name, other: Name) -> int:
    """The number of parts in which the shapes differ, among the parts that both names give."""
    return sum(a != b for a, b in zip(one.shape, other.shape, strict=True) if a is not None and b is not None)


_CLOSE = 0.9
_NUMBER = re.compile(r"[0-9]+")
_Score = tuple[bool | int, ...]


class Location(NamedTuple):
    """Where an entry is."""

    file: str
    """Path relative to the test_config directory."""
    id: str


class Placed(NamedTuple):
    """An entry that only one side of a commit has."""

    location: Location
    fields: Fields
    follows: str
    """The nearest id above it that is in its file on both sides; empty: there is none."""


class EntryEdit(NamedTuple):
    """What happened to one entry: its old and its new place and text. None: there was, or is, none.

    A rename or a move has both locations, and the fields are the same mapping where they did not change.
    """

    before: Location | None
    old: Fields | None
    after: Location | None
    new: Fields | None


def paired(removed: Sequence[Placed], added: Sequence[Placed]) -> Iterator[EntryEdit]:
    """Pair entries, given in the order of their files, if something shows that one became the other:

    - the same id in another file;
    - the same name in any spelling, with at most one different part of an LLM shape;
    - a key in the place of another, of the same loader or with a typo fixed, and with the same values.

    A pair must be the single best match for both of its sides: nothing is guessed.
    """
    pairs = _best(removed, added, {}, lambda one: one.location.id, _same_fields)
    pairs |= _best(removed, added, pairs, _name, _same_spelling)
    pairs |= _in_place(removed, added, pairs)
    became = {one.location: one for one in added}
    for old in removed:
        new = became.pop(pairs[old.location]) if old.location in pairs else None
        yield EntryEdit(old.location, old.fields, new and new.location, new and new.fields)
    for one in became.values():
        yield EntryEdit(None, None, one.location, one.fields)


def _name(one: Placed) -> Hashable:
    name = name_of(one.location.id)
    return (name.kind, name.words) if name else None


def _same_fields(old: Placed, new: Placed) -> _Score | None:
    return (old.fields == new.fields,)


def _same_spelling(old: Placed, new: Placed) -> _Score | None:
    one, other = name_of(old.location.id), name_of(new.location.id)
    if one is None or other is None or (differences := shape_differences(one, other)) > 1:
        return None
    same_file = old.location.file == new.location.file
    return one.directory == other.directory, one.variant == other.variant, -differences, same_file


def _best(
    removed: Sequence[Placed],
    added: Sequence[Placed],
    pairs: Mapping[Location, Location],
    key: Callable[[Placed], Hashable],
    score: Callable[[Placed, Placed], _Score | None],
) -> dict[Location, Location]:
    """Pair more of the entries that share a key: mutual best matches, then those of the rest, and so on."""
    taken = {*pairs, *pairs.values()}
    groups: dict[Hashable, tuple[list[Placed], list[Placed]]] = defaultdict(lambda: ([], []))
    for side, placed in enumerate((removed, added)):
        for one in placed:
            if one.location not in taken:
                groups[key(one)][side].append(one)
    found: dict[Location, Location] = {}
    for olds, news in groups.values():
        scores = {(old.location, new.location): score(old, new) for old in olds for new in news}
        while best := _mutual({pair: value for pair, value in scores.items() if value is not None}):
            found |= best
            gone = {*best, *best.values()}
            scores = {pair: value for pair, value in scores.items() if gone.isdisjoint(pair)}
    return found


def _mutual(scores: Mapping[tuple[Location, Location], _Score]) -> dict[Location, Location]:
    olds: dict[Location, list[tuple[_Score, Location]]] = defaultdict(list)
    news: dict[Location, list[tuple[_Score, Location]]] = defaultdict(list)
    for (old, new), value in scores.items():
        olds[old].append((value, new))
        news[new].append((value, old))
    wanted = {old: _first(candidates) for old, candidates in olds.items()}
    return {old: new for old, new in wanted.items() if new is not None and _first(news[new]) == old}


def _first(candidates: Sequence[tuple[_Score, Location]]) -> Location | None:
    """The best candidate; None if two are equally good."""
    best = max(value for value, _ in candidates)
    winners = [location for value, location in candidates if value == best]
    return winners[0] if len(winners) == 1 else None


def _in_place(
    removed: Sequence[Placed], added: Sequence[Placed], pairs: Mapping[Location, Location]
) -> dict[Location, Location]:
    """More pairs: if one place of a file lost and gained equally many entries, they are paired in their order."""
    olds = _runs(removed, {old: old for old in pairs})
    news = _runs(added, {new: old for old, new in pairs.items()})
    return {
        old.location: new.location
        for place, run in olds.items()
        if len(run) == len(news.get(place, ()))
        for old, new in zip(run, news[place], strict=True)
        if _took_its_place(old, new)
    }


def _runs(placed: Sequence[Placed], anchors: Mapping[Location, Location]) -> dict[Hashable, list[Placed]]:
    """Unpaired entries by place: the id above that both sides hold, and the nearest paired entry above."""
    above: dict[Hashable, Location] = {}
    runs: dict[Hashable, list[Placed]] = defaultdict(list)
    for one in placed:
        gap = (one.location.file, one.follows)
        if anchor := anchors.get(one.location):
            above[gap] = anchor
        else:
            runs[gap, above.get(gap)].append(one)
    return runs


def _took_its_place(old: Placed, new: Placed) -> bool:
    if old.fields != new.fields:
        return False
    one, other = name_of(old.location.id), name_of(new.location.id)
    if one is None or other is None:
        return _close(old.location.id, new.location.id)
    if one.kind != other.kind or shape_differences(one, other):
        return False
    return one.directory == other.directory or _close(one.text, other.text)


def _close(one: str, other: str) -> bool:
    """Whether one text is the other with a typo in it; a different number means a different model."""
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _CLOSE
