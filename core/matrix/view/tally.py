# SPDX-License-Identifier: Apache-2.0
"""Counts of tests by status: one word per row, counts of the words, and their shares of a bar."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from core.matrix.columns import Column
from core.matrix.matrix import NO_ARCH, Matrix
from core.model import Status

MIXED = "MIXED"
"""The word for a test whose status differs between its archs."""

WORDS: tuple[str, ...] = (*Status, MIXED)
DECLARED = tuple(word for word in WORDS if word != Status.UNSPECIFIED)
"""The words of tests with an entry."""

Tally = Mapping[str, int]
"""The number of tests for each of WORDS; words without tests may be missing."""


def status_words(matrix: Matrix, arch: str) -> Column:
    """The status of each row on `arch`; with NO_ARCH, the one that all its archs share, else MIXED."""
    if arch != NO_ARCH:
        return matrix.status[arch]
    flags = matrix.flags["status"]
    codes = {mask: _code(flags.values, mask) for mask in set(flags.masks)}
    return Column.packed(WORDS, list(map(codes.__getitem__, flags.masks)))


def _code(values: tuple[str, ...], mask: int) -> int:
    return WORDS.index(MIXED if mask.bit_count() != 1 else values[mask.bit_length() - 1])


def tally(words: Column, rows: Iterable[int]) -> Tally:
    """The counts of the words that occur in `rows`, in the order of WORDS."""
    counted = Counter(map(words.codes.__getitem__, rows))
    found = {words.values[code]: count for code, count in counted.items()}
    return {word: found[word] for word in WORDS if word in found}


_PASSED = (Status.EXPECTED_PASSING, "pass", "xpass")
_SAYS_NOTHING = (Status.UNSPECIFIED, "xfail", "skip", "not-an-op", "dup")
"""No entry, no run, or an expected failure: left out of rates, as in `ttmatrix ops report`."""


class Rate(NamedTuple):
    """How many tests of a cell pass, among those that an entry or a result describes."""

    passed: int
    total: int

    @property
    def share(self) -> float | None:
        """From 0 to 1; None: there are no such tests."""
        return self.passed / self.total if self.total else None

    @property
    def percent(self) -> int | None:
        """In percent: 100 only if all pass, and 0 only if none does."""
        if not self.total or self.passed in (0, self.total):
            return 100 * self.passed // self.total if self.total else None
        return max(1, 100 * self.passed // self.total)


def rate(counts: Tally) -> Rate:
    """The rate of model tests that their entries expect to pass, or of op cases that passed among those that ran."""
    total = sum(count for word, count in counts.items() if word not in _SAYS_NOTHING)
    return Rate(sum(counts.get(word, 0) for word in _PASSED), total)


def shares(counts: Tally, width: int) -> dict[str, int]:
    """Divide `width` cells in proportion to `counts`; every word with tests gets a cell, as long as there are enough.

    The cells add up to `width`, except for an empty tally, which gets none.
    """
    present = {word: count for word, count in counts.items() if count}
    total = sum(present.values())
    if not total or width < len(present):
        first = sorted(present, key=lambda word: -present[word])[: max(0, width)]
        return {word: 1 for word in present if word in first}
    # One cell each, and the rest by largest remainder.
    spare = width - len(present)
    exact = {word: count * spare / total for word, count in present.items()}
    cells = {word: 1 + int(part) for word, part in exact.items()}
    for word in sorted(exact, key=lambda word: int(exact[word]) - exact[word])[: width - sum(cells.values())]:
        cells[word] += 1
    return cells
