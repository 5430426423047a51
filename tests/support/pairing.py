# SPDX-License-Identifier: Apache-2.0
"""Pair replaced keys of a file: ids that are one entry under two names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from core.edits.yaml import meaning_of
from core.edits.yaml.meaning import Meaning

_WORD = re.compile(r"[a-z]+|\d+")
_ENOUGH = 0.5
"""Minimum share of common words of two ids with equal fields; ids of one loader have about as much."""
_ENOUGH_OF_FIELDS = 0.5
"""Minimum share of equal fields, if key and fields changed at once."""


def renames(before: Mapping[str, Mapping[str, object]], after: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Old id to new id for removed and added keys. The most similar ones are paired first.

    Ids are similar by their common words; most fields must be equal. Among equally similar ones, the
    one at the same position among the changed keys is taken.
    """
    gone = [one for one in before if one not in after]
    come = [one for one in after if one not in before]
    if not gone or not come:
        return {}
    candidates = sorted(_candidates(before, after, gone, come), reverse=True)
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, old, new in candidates:
        if old not in found and new not in taken:
            found[old] = new
            taken.add(new)
    return found


def _candidates(
    before: Mapping[str, Mapping[str, object]],
    after: Mapping[str, Mapping[str, object]],
    gone: list[str],
    come: list[str],
) -> Iterator[tuple[float, float, str, str]]:
    fields = {**{id: meaning_of(before[id]) for id in gone}, **{id: meaning_of(after[id]) for id in come}}
    words = {id: _words(id) for id in (*gone, *come)}
    for row, old in enumerate(gone):
        for column, new in enumerate(come):
            alike = _share(words[old], words[new])
            if alike < _ENOUGH:
                continue
            agree = _agreement(fields[old], fields[new])
            if agree >= _ENOUGH_OF_FIELDS:
                yield alike + agree, -abs(row / len(gone) - column / len(come)), old, new


def _words(identifier: str) -> frozenset[tuple[str, int]]:
    """Each word with its number of earlier occurrences: `3.3` has a word more than `3.1` shares with it."""
    seen: Counter[str] = Counter()
    found = set()
    for word in _WORD.findall(identifier.lower()):
        found.add((word, seen[word]))
        seen[word] += 1
    return frozenset(found)


def _share(one: frozenset[tuple[str, int]], other: frozenset[tuple[str, int]]) -> float:
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def _agreement(one: Meaning, other: Meaning) -> float:
    if one == other:
        return 1.0
    mine, theirs = set(_pairs(one)), set(_pairs(other))
    return len(mine & theirs) / max(len(mine | theirs), 1)


def _pairs(fields: Meaning) -> Iterable[tuple[str, Meaning]]:
    return zip(fields.names, fields.items, strict=True)
