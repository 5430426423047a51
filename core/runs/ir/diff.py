# SPDX-License-Identifier: Apache-2.0
"""Two programs compared op by op, whatever their values are called and wherever they come from."""

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.proc import CommandRunner, run_command
from core.runs.alignment import hunks
from core.runs.ir.reading import Op

_MOST_PAIRED = 2000
"""Ops of a hunk among which those of the same name are looked for."""


class Change(StrEnum):
    """How an op differs."""

    SAME = "same"
    CHANGED = "changed"
    """The same op with another type, shape or attribute."""
    OPERANDS = "operands"
    """The same op on results of other ops."""
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Row:
    """An op on both sides."""

    change: Change
    left: Op | None
    right: Op | None


@dataclass(frozen=True)
class ProgramDiff:
    """All ops of both programs, side by side."""

    rows: tuple[Row, ...]

    @cached_property
    def counts(self) -> Mapping[Change, int]:
        """How many rows there are of each change."""
        counts = Counter(row.change for row in self.rows)
        return {change: counts[change] for change in Change}

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.counts[Change.SAME] == len(self.rows)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, int]]:
        """How many ops of each name either side has, of names whose number differs."""
        left = Counter(row.left.name for row in self.rows if row.left)
        right = Counter(row.right.name for row in self.rows if row.right)
        return {name: (left[name], right[name]) for name in sorted(left | right) if left[name] != right[name]}


def diff_programs(left: Sequence[Op], right: Sequence[Op], runner: CommandRunner = run_command) -> ProgramDiff:
    """Compare two programs. Raises TTMatrixError where git cannot."""
    rows: list[Row] = []
    one = other = 0
    both_digests = ([op.digest for op in left], [op.digest for op in right])
    for start, count, other_start, other_count in hunks(*both_digests, runner):
        rows += (Row(Change.SAME, *both) for both in zip(left[one:start], right[other:other_start], strict=True))
        rows += _paired(left[start : start + count], right[other_start : other_start + other_count])
        one, other = start + count, other_start + other_count
    rows += (Row(Change.SAME, *both) for both in zip(left[one:], right[other:], strict=True))
    return ProgramDiff(tuple(_with_operands(rows)))


def _paired(left: Sequence[Op], right: Sequence[Op]) -> Iterator[Row]:
    """The ops of a hunk, those of the same name in the same order as one row."""
    if len(left) + len(right) > _MOST_PAIRED:
        blocks = [(0, 0, 0)]
    else:
        matcher = difflib.SequenceMatcher(None, [op.name for op in left], [op.name for op in right], autojunk=False)
        blocks = [(one.a, one.b, one.size) for one in matcher.get_matching_blocks()]
    one = other = 0
    for start, other_start, size in (*blocks, (len(left), len(right), 0)):
        yield from (Row(Change.REMOVED, op, None) for op in left[one:start])
        yield from (Row(Change.ADDED, None, op) for op in right[other:other_start])
        both = zip(left[start : start + size], right[other_start : other_start + size], strict=True)
        yield from (Row(Change.CHANGED, *ops) for ops in both)
        one, other = start + size, other_start + size


def _with_operands(rows: Sequence[Row]) -> Iterator[Row]:
    """Ops that are alike but take the results of ops that do not correspond to each other.

    An operand that comes from a new op says nothing: that op is a difference already.
    """
    right_of = {row.left.line: row.right.line for row in rows if row.left and row.right}
    left_of = {right: left for left, right in right_of.items()}
    for row in rows:
        if row.change is Change.SAME and row.left and row.right:
            operands = zip(row.left.operands, row.right.operands, strict=False)
            if any(right_of.get(a) not in (None, b) and b in left_of for a, b in operands if a and b):
                yield Row(Change.OPERANDS, row.left, row.right)
                continue
        yield row
