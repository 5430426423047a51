# SPDX-License-Identifier: Apache-2.0
"""Counts of tests by status: one word per row, counts of the words, and their shares of a bar."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from core.base.text import percent
from core.domain.model import Status
from core.matrix.columns import Column
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.query import AS_EXPECTED, PASSED

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
        return share(self.passed, self.total) if self.total else None


def share(part: int, total: int) -> int:
    """In percent: 100 only if the part is all, and 0 only if it is nothing."""
    whole = 100 * part // total
    return whole if part in (0, total) else max(1, whole)


class Outcomes(NamedTuple):
    """How results ended: as their entry said when they ran, and passed. A known failure that fails is as expected."""

    ran: int = 0
    as_expected: int = 0
    passed: int = 0

    def with_result(self, words: Collection[str]) -> "Outcomes":
        """One result more, given by `query.LAST_WORDS`."""
        return Outcomes(self.ran + 1, self.as_expected + (AS_EXPECTED in words), self.passed + (PASSED in words))

    @property
    def words(self) -> str:
        """`As expected: 19 of 20 (95.0%); passed: 85.0%`; empty without results."""
        if not self.ran:
            return ""
        right, passed = percent(self.as_expected / self.ran), percent(self.passed / self.ran)
        return f"As expected: {self.as_expected:,} of {self.ran:,} ({right}); passed: {passed}"


_RAN = ("pass", "xpass", "xfail", "fail", "crash", "timeout", "error(ref)", "build-error")


def case_outcomes(counts: Tally) -> Outcomes:
    """How the last results of op cases ended; those that did not run are left out."""
    right = counts.get("pass", 0) + counts.get("xfail", 0)
    passed = counts.get("pass", 0) + counts.get("xpass", 0)
    return Outcomes(sum(counts.get(word, 0) for word in _RAN), right, passed)


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
