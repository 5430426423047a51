# SPDX-License-Identifier: Apache-2.0
"""Compare two programs op by op, ignoring names of values and locations."""

import difflib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import overload

from core.base.processes import CommandRunner, run_command
from core.runs.alignment import hunks
from core.runs.ir.ops import Op, Ops

_MOST_PAIRED = 2000
"""Ops of a hunk among which ops of the same name are paired."""


_NONE = -1
"""Marks a missing op on one side."""


class Change(StrEnum):
    """How an op differs."""

    SAME = "same"
    CHANGED = "changed"
    """The same op with another type, shape or attribute."""
    OPERANDS = "operands"
    """The same op with results of other ops as operands."""
    REMOVED = "removed"
    ADDED = "added"


_CHANGES = tuple(Change)
_CODES = {change: number for number, change in enumerate(_CHANGES)}


@dataclass(frozen=True, slots=True)
class Row:
    """The ops on both sides of a row."""

    change: Change
    left: Op | None
    right: Op | None


class ProgramDiff(Sequence[Row]):
    """All ops of both programs side by side, in columns; rows are made on request."""

    def __init__(self, left: Ops, right: Ops) -> None:
        self.left, self.right = left, right
        self._left, self._right, self._changes = array("i"), array("i"), bytearray()

    def add(self, change: Change, left: Sequence[int], right: Sequence[int]) -> None:
        """Append rows of a change with the ops at these positions; one side may have none."""
        count = len(left) or len(right)
        self._left.extend(left or [_NONE] * count)
        self._right.extend(right or [_NONE] * count)
        self._changes.extend(bytes([_CODES[change]]) * count)

    def mark_moved(self) -> None:
        """Find equal ops whose operands come from ops that do not correspond to each other.

        An operand from a new op is ignored: that op is a difference already.
        """
        right_of, left_of = _by_line(self.left), _by_line(self.right)
        for one, other in zip(self._left, self._right, strict=True):
            if one != _NONE and other != _NONE:
                right_of[self.left.lines[one]] = self.right.lines[other]
                left_of[self.right.lines[other]] = self.left.lines[one]
        same = _CODES[Change.SAME]
        for row, change in enumerate(self._changes):
            if change == same:
                both = self.left.operands(self._left[row]), self.right.operands(self._right[row])
                if any(right_of[a] not in (0, b) and left_of[b] for a, b in zip(*both, strict=False) if a and b):
                    self._changes[row] = _CODES[Change.OPERANDS]

    def __len__(self) -> int:
        return len(self._changes)

    @overload
    def __getitem__(self, position: int) -> Row: ...
    @overload
    def __getitem__(self, position: slice) -> list[Row]: ...
    def __getitem__(self, position: int | slice) -> Row | list[Row]:
        if isinstance(position, slice):
            return [self[at] for at in range(*position.indices(len(self)))]
        left, right = self._left[position], self._right[position]
        return Row(
            self.change(position),
            None if left == _NONE else self.left[left],
            None if right == _NONE else self.right[right],
        )

    def change(self, position: int) -> Change:
        """How the ops of a row differ."""
        return _CHANGES[self._changes[position]]

    @cached_property
    def differences(self) -> Sequence[int]:
        """The positions of rows that differ."""
        same = _CODES[Change.SAME]
        return array("I", (at for at, change in enumerate(self._changes) if change != same))

    @cached_property
    def counts(self) -> Mapping[Change, int]:
        """The number of rows of each change."""
        return {change: self._changes.count(_CODES[change]) for change in Change}

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def broken(self) -> Sequence[str]:
        """The errors in each program, with their places."""
        return list(dict.fromkeys(filter(None, (self.left.broken, self.right.broken))))

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, int]]:
        """The number of ops of each name on both sides, for names whose numbers differ."""
        left, right = Counter(self.left.names), Counter(self.right.names)
        return {name: (left[name], right[name]) for name in sorted(left | right) if left[name] != right[name]}


def diff_programs(left: Ops, right: Ops, runner: CommandRunner = run_command) -> ProgramDiff:
    """Compare two programs. Raises TTMatrixError if git fails."""
    found = ProgramDiff(left, right)
    one = other = 0
    both_digests = (map(str, left.digests), map(str, right.digests))
    for start, count, other_start, other_count in hunks(*both_digests, runner):
        found.add(Change.SAME, range(one, start), range(other, other_start))
        one, other = start + count, other_start + other_count
        for change, *both in _paired(left, right, range(start, one), range(other_start, other)):
            found.add(change, *both)
    found.add(Change.SAME, range(one, len(left)), range(other, len(right)))
    found.mark_moved()
    return found


def _paired(left: Ops, right: Ops, ours: range, theirs: range) -> Iterator[tuple[Change, range, range]]:
    """Pair the ops of a hunk: ops of the same name, in the same order, share a row."""
    if len(ours) + len(theirs) > _MOST_PAIRED:
        blocks = [(0, 0, 0)]
    else:
        names = (left.names[ours.start : ours.stop], right.names[theirs.start : theirs.stop])
        matcher = difflib.SequenceMatcher(None, *names, autojunk=False)
        blocks = [(one.a, one.b, one.size) for one in matcher.get_matching_blocks()]
    one = other = 0
    for start, other_start, size in (*blocks, (len(ours), len(theirs), 0)):
        yield Change.REMOVED, ours[one:start], range(0)
        yield Change.ADDED, range(0), theirs[other:other_start]
        one, other = start + size, other_start + size
        yield Change.CHANGED, ours[start:one], theirs[other_start:other]


def _by_line(ops: Ops) -> "array[int]":
    """A number for each line of a program, initially 0."""
    return array("I", bytes(4 * (ops.lines[-1] + 1 if ops.lines else 1)))
