# SPDX-License-Identifier: Apache-2.0
"""Two texts line by line and, in the lines that changed, word by word."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_ALIKE = 0.3
"""Similarity from which two lines count as one changed line, whose words are compared."""
_MOST_WORDS = 300
"""Of longer lines only the beginning and the end are compared: the time grows with the square, and worse."""
_MOST_CHARACTERS = 400
"""How much of a line without a key decides what it is similar to."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line."""

    text: str
    changed: bool = False
    """Whether the other side differs here; always false for a line without another side."""


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A line before and after; None: there is none. An unchanged line is the same on both sides."""

    old: Spans | None
    new: Spans | None

    @property
    def stays(self) -> bool:
        return self.old == self.new


def word_diff(before: Sequence[str], after: Sequence[str]) -> list[Row]:
    """Rows that hold every line of both texts in order: `old` sides joined are `before`, `new` sides `after`."""
    rows: list[Row] = []
    for kind, old, old_end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            rows += [Row((Span(line),), (Span(line),)) for line in before[old:old_end]]
        else:
            rows += _replaced(before[old:old_end], after[new:new_end])
    return rows


def _replaced(before: Sequence[str], after: Sequence[str]) -> Iterator[Row]:
    """Replaced lines: each old one beside the next new one that is similar."""
    at = 0
    for line in before:
        partner = next((n for n in range(at, len(after)) if _alike(line, after[n])), None)
        if partner is None:
            yield Row((Span(line),), None)
            continue
        yield from (Row(None, (Span(added),)) for added in after[at:partner])
        yield Row(*_words(line, after[partner]))
        at = partner + 1
    yield from (Row(None, (Span(added),)) for added in after[at:])


def _alike(one: str, other: str) -> bool:
    """Whether two lines set the same key or, without a key, are similar."""
    (key, colon, _), (other_key, other_colon, _) = one.partition(":"), other.partition(":")
    if colon and other_colon:
        return key.strip() == other_key.strip()
    begun, other_begun = one[:_MOST_CHARACTERS], other[:_MOST_CHARACTERS]
    return SequenceMatcher(None, begun, other_begun, autojunk=False).ratio() >= _ALIKE


def _words(before: str, after: str) -> tuple[Spans, Spans]:
    old, new = _WORD.findall(before), _WORD.findall(after)
    left: list[Span] = []
    right: list[Span] = []
    for kind, a, a_end, b, b_end in _compared(old, new):
        for spans, words in ((left, old[a:a_end]), (right, new[b:b_end])):
            if words:
                spans.append(Span("".join(words), kind != "equal"))
    return tuple(left), tuple(right)


def _compared(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """As `SequenceMatcher.get_opcodes`; in long lines everything between the first and the last difference differs."""
    if max(len(old), len(new)) <= _MOST_WORDS:
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    first = _same(zip(old, new, strict=False))
    last = _same(zip(reversed(old[first:]), reversed(new[first:]), strict=False))
    old_end, new_end = len(old) - last, len(new) - last
    middle = ("replace", first, old_end, first, new_end)
    return [("equal", 0, first, 0, first), middle, ("equal", old_end, len(old), new_end, len(new))]


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pairs are of two equal words before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
